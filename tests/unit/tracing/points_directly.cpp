#include <gtest/gtest.h>
#include <freehold/tracing/points_directly.hpp>

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <stack>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <freehold/traced/traced_heap.hpp>

namespace {

using freehold::traced_ptr;
using freehold::detail::may_lead_outside;

struct leaf {
    std::vector<std::string> text;
};

struct aggregate {
    std::string text = {};
    std::vector<int> numbers = {};
    traced_ptr<aggregate> link = {};
};

struct with_trace {
    void trace(auto& visit) const { visit(link); }
    traced_ptr<leaf> link;
};

struct declared {
    void trace(auto& visit) const { visit(link); }
    traced_ptr<leaf> link;
};

struct derived : declared {
    void trace(auto& visit) const {
        declared::trace(visit);
        visit(more);
    }
    std::vector<traced_ptr<leaf>> more;
};

struct holder {
    declared first;
    std::array<declared, 2> rest;
};

struct mixed {
    declared inside;
    with_trace unknown;
};

struct buffered {
    int number = 0;
    std::vector<traced_ptr<buffered>> links = {};
};

// A container whose elements are inside.
template <std::size_t Capacity>
struct inline_list {
    using value_type = traced_ptr<leaf>;
    using size_type = std::size_t;
    using const_iterator = const value_type*;

    [[nodiscard]] const_iterator begin() const { return elements_.data(); }
    [[nodiscard]] const_iterator end() const { return begin() + count_; }
    [[nodiscard]] size_type size() const { return count_; }
    [[nodiscard]] static size_type max_size() { return Capacity; }

private:
    std::array<value_type, Capacity> elements_;
    std::size_t count_ = 0;
};

}  // namespace

template <>
inline constexpr bool freehold::points_directly<declared> = true;
template <>
inline constexpr bool freehold::points_directly<inline_list<4>> = true;

// What leads to no traced pointers leads nowhere.
static_assert(!may_lead_outside<int>);
static_assert(!may_lead_outside<leaf>);
static_assert(!may_lead_outside<std::unique_ptr<leaf>>);

// The parts of an object are known by their types.
static_assert(!may_lead_outside<traced_ptr<leaf>>);
static_assert(!may_lead_outside<const traced_ptr<leaf>>);
static_assert(!may_lead_outside<traced_ptr<buffered>>);
static_assert(!may_lead_outside<aggregate>);
static_assert(!may_lead_outside<const aggregate>);
static_assert(!may_lead_outside<aggregate[3]>);
static_assert(!may_lead_outside<std::array<aggregate, 3>>);
static_assert(!may_lead_outside<std::optional<aggregate>>);
static_assert(!may_lead_outside<std::variant<std::string, aggregate>>);
static_assert(!may_lead_outside<std::pair<const std::string, traced_ptr<leaf>>>);
static_assert(!may_lead_outside<std::tuple<std::string, traced_ptr<leaf>>>);

// Memory that an object owns is outside.
static_assert(may_lead_outside<buffered>);
static_assert(may_lead_outside<const buffered>);
static_assert(may_lead_outside<std::vector<traced_ptr<leaf>>>);
static_assert(may_lead_outside<std::unique_ptr<aggregate>>);
static_assert(may_lead_outside<std::stack<traced_ptr<leaf>>>);
static_assert(may_lead_outside<std::optional<std::deque<aggregate>>>);
static_assert(may_lead_outside<std::variant<int, std::vector<aggregate>>>);
static_assert(may_lead_outside<std::array<buffered, 2>>);
static_assert(may_lead_outside<std::tuple<int, buffered>>);

// A `trace` member may visit anything, unless its class declares that it does not.
static_assert(may_lead_outside<with_trace>);
static_assert(!may_lead_outside<declared>);
static_assert(!may_lead_outside<holder>);
static_assert(may_lead_outside<mixed>);
static_assert(may_lead_outside<derived>);
static_assert(may_lead_outside<inline_list<3>>);
static_assert(!may_lead_outside<inline_list<4>>);

TEST(points_directly, is_false_unless_declared) {
    EXPECT_FALSE(freehold::points_directly<aggregate>);
    EXPECT_FALSE(freehold::points_directly<derived>);
    EXPECT_TRUE(freehold::points_directly<declared>);
}

TEST(points_directly, lets_a_collection_visit_pointers_in_all_parts_of_an_object) {
    freehold::traced_heap heap;
    const freehold::traced_local<holder> kept = heap.make<holder>();
    kept->first.link = heap.make<leaf>();
    kept->rest[1].link = heap.make<leaf>(leaf{{"one"}});
    const auto array = heap.make_array<holder>(3);
    (*array)[2].rest[1].link = heap.make<leaf>(leaf{{"two"}});
    heap.collect();
    EXPECT_EQ(kept->rest[1].link->text.front(), "one");
    EXPECT_EQ((*array)[2].rest[1].link->text.front(), "two");
}
