// Which types may be in a cycle, and that an object of another type is never a candidate.

#include <gtest/gtest.h>
#include <freehold/cyclic/cycle_collector.hpp>
#include <freehold/cyclic/cyclic_ptr.hpp>
#include <freehold/cyclic/may_be_in_cycle.hpp>

#include <string>
#include <vector>

using freehold::cycle_collector;
using freehold::cyclic_ptr;
using freehold::make_cyclic;
using freehold::may_be_in_cycle;

namespace {

struct node {
    cyclic_ptr<node> next;
};

struct leaf {
    std::vector<std::string> texts;
};

struct points_to_older {
    cyclic_ptr<points_to_older> older;
};

}  // namespace

template <>
inline constexpr bool freehold::may_be_in_cycle<points_to_older> = false;

static_assert(may_be_in_cycle<node>);
static_assert(!may_be_in_cycle<leaf>);
static_assert(!may_be_in_cycle<int>);
static_assert(!may_be_in_cycle<points_to_older>);

template <class T>
std::size_t candidates_after_a_release() {
    const auto kept = make_cyclic<T>();
    {
        const auto released = kept;
    }
    return cycle_collector::candidates();
}

TEST(may_be_in_cycle, only_an_object_that_may_be_in_one_becomes_a_candidate) {
    EXPECT_EQ(candidates_after_a_release<node>(), 1U);
    EXPECT_EQ(candidates_after_a_release<leaf>(), 0U);
    EXPECT_EQ(candidates_after_a_release<points_to_older>(), 0U);
}
