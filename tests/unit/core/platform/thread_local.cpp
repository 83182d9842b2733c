// Compiled alone: optimized, as only then a compiler keeps the address of a thread-local variable.
//
// A fiber goes on in another thread, in the middle of a function that uses what is per thread before and after.

#include <gtest/gtest.h>

#include <freehold/core/platform/thread_local.hpp>

#include <thread>

#include <freehold/memory/concurrent_pool_resource.hpp>
#include <freehold/pointers/biased_shared_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/shared_ptr.hpp>

#include "support/fiber.hpp"
#include "support/sanitized.hpp"

#ifdef __GLIBC__  // others have no fibers

namespace {

using support::fiber;

struct node {
    long values[4];
};

constexpr int rounds = 4;
fiber* running = nullptr;
const void* made = nullptr;
std::pmr::memory_resource* shared_resource = nullptr;

void make_shared_objects() {
    for (int i = 0; i < rounds; ++i) {
        made = freehold::make_shared<node>().get();
        running->pause();
    }
}

void allocate_from_a_resource() {
    auto& resource = *static_cast<freehold::concurrent_pool_resource*>(shared_resource);
    for (int i = 0; i < rounds; ++i) {
        void* const block = resource.allocate(sizeof(node));
        made = block;
        resource.deallocate(block, sizeof(node));
        running->pause();
    }
}

// Two threads call resume() in turn. Expects that each makes the fiber use the block that it has freed itself.
void expect_each_thread_to_use_its_own(void (*body)()) {
    if (support::sanitized) GTEST_SKIP() << "a sanitizer has stacks and memory of its own";
    const auto block_of_thread = [body] {
        fiber once(body);
        running = &once;
        once.resume();
        return made;
    };
    fiber shared(body);
    const void* const own = block_of_thread();
    const auto expect_in = [&](const void* expected) {
        running = &shared;
        shared.resume();
        EXPECT_EQ(made, expected);
    };
    expect_in(own);
    std::thread([&] {
        const void* const others = block_of_thread();
        EXPECT_NE(others, own);
        expect_in(others);
    }).join();
    expect_in(own);
}

TEST(thread_local_variables, a_fiber_makes_objects_in_the_pool_of_the_thread_in_which_it_goes_on) {
    expect_each_thread_to_use_its_own(make_shared_objects);
}

TEST(thread_local_variables, a_fiber_allocates_from_the_list_of_the_thread_in_which_it_goes_on) {
    freehold::concurrent_pool_resource resource;
    shared_resource = &resource;
    expect_each_thread_to_use_its_own(allocate_from_a_resource);
}

#if !defined(__x86_64__) && !defined(__i386__)

void copy_biased_owners() {
    const auto owner = freehold::make_biased_shared<node>();
    for (int i = 0; i < rounds; ++i) {
        made = freehold::biased_shared_ptr<node>(owner).get();
        running->pause();
    }
}

TEST(thread_local_variables, a_fiber_with_biased_owners_must_stay_in_its_thread) {
#ifdef __riscv
    GTEST_SKIP() << "g++ adds to the thread's register anew, and uses what is the thread's own";
#endif
    const auto go_on_elsewhere = [] {
        fiber shared(copy_biased_owners);
        running = &shared;
        shared.resume();
        std::thread([&] { shared.resume(); }).join();
    };
    EXPECT_DEATH(go_on_elsewhere(), "a fiber with biased owners goes on in another thread");
}

#endif

}  // namespace

#else

TEST(thread_local_variables, need_fibers_to_be_tested) { GTEST_SKIP() << "the C library has no swapcontext"; }

#endif
