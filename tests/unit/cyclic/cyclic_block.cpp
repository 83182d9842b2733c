// What a reader of the program's memory finds in a block of collected objects.

#include <gtest/gtest.h>
#include <freehold/cyclic/detail/cyclic_block.hpp>

#include <cstddef>
#include <string_view>

#include <freehold/cyclic/cyclic_ptr.hpp>

namespace cyclic_blocks {

struct node {
    freehold::cyclic_ptr<node> next;

    void trace(auto& visit) const { visit(next); }
};

}  // namespace cyclic_blocks

TEST(cyclic_block, has_the_name_of_its_type_behind_a_prefix) {
    const auto p = freehold::make_cyclic<cyclic_blocks::node>();
    const auto& block = freehold::detail::cyclic_block::of(freehold::detail::cyclic_header::of(p.get()));
    constexpr std::string_view name = "freehold cyclic 1: cyclic_blocks::node";
    constexpr std::size_t prefix = sizeof("freehold cyclic 1: ") - 1;
    EXPECT_STREQ(block.type->name, name.data() + prefix);
    EXPECT_STREQ(block.type->name - prefix, name.data());
}
