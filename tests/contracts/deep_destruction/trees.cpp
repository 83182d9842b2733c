// Trees of any shape are destroyed in little stack.

#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include "families.hpp"
#include "support/contract.hpp"
#include "support/effort.hpp"
#include "support/small_stack.hpp"
#include "support/tracked.hpp"

namespace contracts {

namespace {

// A tenth is still deep enough to overflow the stack.
const std::size_t nodes = support::sanitized ? std::size_t{20'000} : support::full_effort<std::size_t>(200'000, 20'000);

template <class Family>
struct tree_node : Family::template base<tree_node<Family>>, support::tracked {
    std::vector<typename Family::template pointer<tree_node>> children;
    typename Family::template back<tree_node> parent;
};

template <class Family>
class tree_destruction : public support::tracked_test {
protected:
    using node = tree_node<Family>;
    using pointer = typename Family::template pointer<node>;

    void SetUp() override {
        support::tracked_test::SetUp();
        Family::begin();
    }

    // Effects: makes a tree in which each node is the child of parent_of(its number), a smaller number, and releases
    // it in little stack.
    template <class ParentOf>
    static void make_and_destroy(ParentOf parent_of) {
        support::with_small_stack([&] {
            std::vector<pointer> made(nodes);
            for (std::size_t number = 0; number < nodes; ++number) {
                made[number] = Family::template make<node>();
                if (number == 0) continue;
                const pointer& parent = made[parent_of(number)];
                made[number]->parent.point_to(parent);
                parent->children.push_back(made[number]);
            }
            pointer root = std::move(made.front());
            made.clear();
            ASSERT_EQ(support::tracked::destroyed(), 0);
            root.reset();
        });
        EXPECT_EQ(support::tracked::destroyed(), static_cast<int>(nodes));
    }
};

}  // namespace

}  // namespace contracts

template <>
struct support::implementations<contracts::tree_destruction> {
    using types = contracts::chained_pointers;
};

namespace contracts {

CONTRACT(tree_destruction, a_wide_tree_is_destroyed_in_little_stack) {
    TestFixture::make_and_destroy([](std::size_t) { return std::size_t{0}; });
}

CONTRACT(tree_destruction, a_tree_of_random_shape_is_destroyed_in_little_stack) {
    std::mt19937 random(20060117);
    TestFixture::make_and_destroy([&](std::size_t number) { return random() % number; });
}

CONTRACT(tree_destruction, a_deep_tree_of_random_shape_is_destroyed_in_little_stack) {
    std::mt19937 random(20060117);
    TestFixture::make_and_destroy([&](std::size_t number) {
        const std::size_t back = 1 + random() % 3;
        return number > back ? number - back : 0;
    });
}

}  // namespace contracts
