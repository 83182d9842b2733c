// Objects that end on another stack than the one where the outermost of them does, as where fibres take turns.

#include <gtest/gtest.h>
#include <freehold/cyclic/cyclic_ptr.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#include "support/small_stack.hpp"
#include "support/tracked.hpp"
#include "support/ucontext.hpp"

using freehold::cyclic_ptr;
using freehold::make_cyclic;

#ifdef __GLIBC__

namespace {

struct node {
    cyclic_ptr<node> next;
    support::tracked part;

    void trace(auto& visit) const { visit(next); }
};

cyclic_ptr<node> make_chain(int length) {
    cyclic_ptr<node> first;
    for (int i = 0; i < length; ++i) {
        auto made = make_cyclic<node>();
        made->next = std::move(first);
        first = std::move(made);
    }
    return first;
}

ucontext_t outside;
ucontext_t fiber;
cyclic_ptr<node> dropped_by_fiber;

struct yields_in_its_destructor {
    ~yields_in_its_destructor() { swapcontext(&outside, &fiber); }
};

struct yielding_node {
    yields_in_its_destructor part;
};

using cyclic_fibers_test = support::tracked_test;

}  // namespace

TEST_F(cyclic_fibers_test, a_long_chain_is_destroyed_on_the_small_stack_of_a_fiber_while_a_destructor_waits_for_it) {
    constexpr int length = 100'000;
    std::vector<std::byte> stack(support::small_stack_bytes);
    getcontext(&fiber);
    fiber.uc_stack.ss_sp = stack.data();
    fiber.uc_stack.ss_size = stack.size();
    fiber.uc_link = &outside;
    makecontext(&fiber, [] { dropped_by_fiber.reset(); }, 0);

    dropped_by_fiber = make_chain(length);
    auto waits = make_cyclic<yielding_node>();
    waits.reset();
    EXPECT_EQ(support::tracked::destroyed(), length);
}

#else

TEST(cyclic_fibers, need_fibers) { GTEST_SKIP() << "the C library has no swapcontext"; }

#endif
