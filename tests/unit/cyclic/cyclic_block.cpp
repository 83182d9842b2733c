// What a reader of the program's memory finds in a block of collected objects.

#include <gtest/gtest.h>
#include <freehold/cyclic/detail/cyclic_block.hpp>

#include <string_view>

#include <freehold/core/type_name.hpp>
#include <freehold/cyclic/cyclic_ptr.hpp>

namespace {

struct node {
    freehold::cyclic_ptr<node> next;

    void trace(auto& visit) const { visit(next); }
};

}  // namespace

TEST(cyclic_block, has_the_name_of_its_type_behind_a_prefix) {
    const auto p = freehold::make_cyclic<node>();
    const auto& block = freehold::detail::cyclic_block::of(freehold::detail::cyclic_header::of(p.get()));
    constexpr std::string_view prefix = "freehold cyclic 1: ";
    EXPECT_STREQ(block.type->name, freehold::detail::type_name<node>);
    EXPECT_EQ(std::string_view(block.type->name - prefix.size(), prefix.size()), prefix);
}
