// The names of kinds of block, as a reader of the program's memory sees them: each field is compared with the block.

#include <gtest/gtest.h>
#include <freehold/pointers/detail/block_name.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

#include <freehold/core/type_name.hpp>
#include <freehold/pointers/biased_shared_ptr.hpp>
#include <freehold/pointers/local_shared_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/managed_ptr.hpp>
#include <freehold/pointers/sharded_shared_ptr.hpp>
#include <freehold/pointers/shared_ptr.hpp>
#include <freehold/pointers/thin_ptr.hpp>

namespace {

struct widget {
    ~widget() {}

    int number = 7;
    double weight = 1.5;
};

template <class First, class Second>
struct pair {};

struct alignas(64) aligned {
    char bytes[3];
};

constexpr std::string_view prefix = "freehold block 1: ";

struct fields {
    std::string counts;
    std::size_t table;
    std::string contents;
    std::size_t place;
    std::size_t bytes;
    std::string type;
};

template <class Pointer>
const std::byte* block_of(const Pointer& owner) {
    return static_cast<const std::byte*>(freehold::detail::access::handle(owner).address());
}

template <class Value>
Value read(const std::byte* from) {
    Value value;
    std::memcpy(&value, from, sizeof(value));
    return value;
}

template <class T, class Counting>
std::string name_of(const freehold::shared_ptr<T, Counting>& owner) {
    return freehold::detail::access::handle(owner).block()->kind()->name;
}

fields parsed(const std::string& name) {
    EXPECT_TRUE(name.starts_with(prefix)) << name;
    std::istringstream from(name.substr(prefix.size()));
    fields found;
    from >> found.counts >> found.table >> found.contents >> found.place >> found.bytes;
    from.get();
    std::getline(from, found.type);
    return found;
}

// Checks the fields in which all kinds are alike.
template <class T, class Counting>
fields checked(const freehold::shared_ptr<T, Counting>& owner, std::string_view counts, std::string_view contents) {
    const fields found = parsed(name_of(owner));
    EXPECT_EQ(found.counts, counts);
    EXPECT_EQ(found.contents, contents);
    using table = const freehold::detail::block_operations<Counting>*;
    EXPECT_EQ(read<table>(block_of(owner) + found.table), freehold::detail::access::handle(owner).block()->kind());
    return found;
}

}  // namespace

TEST(block_name, says_where_an_object_is_in_its_block) {
    const auto p = freehold::make_shared<widget>();
    const fields found = checked(p, "atomic", "object");
    EXPECT_EQ(static_cast<const void*>(block_of(p) + found.place), p.get());
    EXPECT_EQ(found.bytes, sizeof(widget));
    EXPECT_EQ(found.type, freehold::detail::type_name<widget>);
}

TEST(block_name, says_where_an_aligned_object_is) {
    const auto p = freehold::make_shared<aligned>();
    EXPECT_EQ(static_cast<const void*>(block_of(p) + checked(p, "atomic", "object").place), p.get());
}

TEST(block_name, says_where_the_pointer_to_an_object_is) {
    const freehold::shared_ptr<widget> p(new widget);
    const fields found = checked(p, "atomic", "pointer");
    EXPECT_EQ(read<const widget*>(block_of(p) + found.place), p.get());
    EXPECT_EQ(found.bytes, sizeof(widget));
    EXPECT_EQ(found.type, freehold::detail::type_name<widget>);
}

TEST(block_name, says_where_the_pointer_of_a_unique_ptr_is) {
    const freehold::shared_ptr<widget> p(std::make_unique<widget>());
    EXPECT_EQ(read<const widget*>(block_of(p) + checked(p, "atomic", "pointer").place), p.get());
}

TEST(block_name, knows_no_size_of_what_a_deleter_destroys) {
    const freehold::shared_ptr<const widget> p(new widget, [](const widget* object) { delete object; });
    const fields found = checked(p, "atomic", "pointer");
    EXPECT_EQ(found.bytes, 0U);
    EXPECT_EQ(found.type, freehold::detail::type_name<widget>);
}

TEST(block_name, says_where_elements_are_and_their_number) {
    const auto p = freehold::make_shared<widget[]>(5);
    const fields found = checked(p, "atomic", "elements");
    EXPECT_EQ(static_cast<const void*>(block_of(p) + found.place), p.get());
    EXPECT_EQ(read<std::size_t>(block_of(p) + found.table + 8 + sizeof(std::size_t)), 5U);
    EXPECT_EQ(found.bytes, sizeof(widget));
    EXPECT_EQ(found.type, freehold::detail::type_name<widget>);
}

TEST(block_name, says_that_something_else_leads_to_a_managed_object) {
    const freehold::shared_ptr<widget> p(freehold::managed_ptr<widget>(new widget));
    EXPECT_EQ(read<const void*>(block_of(p) + checked(p, "atomic", "other").place), nullptr);
}

TEST(block_name, says_that_one_thread_counts) { checked(freehold::make_local_shared<widget>(), "plain", "object"); }

TEST(block_name, says_that_the_maker_counts_apart) {
    const auto p = freehold::make_biased_shared<widget>();
    const auto copy = p;
    const fields found = checked(p, "biased", "object");
    EXPECT_EQ(static_cast<const void*>(block_of(p) + found.place), p.get());
    EXPECT_EQ(read<freehold::count_word>(block_of(p) + 16), 2);  // the owners of the maker
}

TEST(block_name, says_that_counts_are_sharded) {
    const auto p = freehold::make_sharded_shared<widget>();
    EXPECT_EQ(static_cast<const void*>(block_of(p) + checked(p, "sharded", "object").place), p.get());
}

TEST(block_name, leaves_out_the_version_of_the_library) {
    const auto p = freehold::make_shared<freehold::managed_ptr<int>>();
    EXPECT_EQ(checked(p, "atomic", "object").type, "freehold::managed_ptr<int>");
}

TEST(block_name, of_a_type_with_spaces_ends_the_string) {
    const auto p = freehold::make_shared<pair<int, char>>();
    EXPECT_EQ(checked(p, "atomic", "object").type, (freehold::detail::type_name<pair<int, char>>));
}

TEST(block_name, is_that_of_an_object_with_thin_pointers) {
    const freehold::shared_ptr<widget> p = freehold::make_thin<widget>();
    checked(p, "atomic", "object");
}
