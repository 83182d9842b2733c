#include <gtest/gtest.h>
#include <freehold/traced/traced_local.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <freehold/traced/traced_heap.hpp>

#include "support/fiber.hpp"
#include "support/thread_locals.hpp"
#include "support/tracked_node.hpp"

namespace {

using freehold::traced_heap;
using freehold::traced_local;
using support::tracked;
using support::tracked_node;

class traced_local_test : public support::tracked_test {
protected:
    // Returns: the number of objects that are alive after a collection.
    int alive() {
        heap.collect();
        return tracked::alive();
    }

    traced_heap heap;

    void TearDown() override {
        EXPECT_EQ(alive(), 0);
        support::tracked_test::TearDown();
    }
};

// Calls itself, so that there are roots at any depth of the stack. Returns: the number of them.
int nest(traced_heap& heap, int depth) {
    if (depth == 0) {
        heap.collect();
        return 0;
    }
    const traced_local<tracked_node> kept = heap.make<tracked_node>(depth);
    const int deeper = nest(heap, depth - 1);
    return deeper + (kept->id == depth ? 1 : 0);
}

#if defined(__GLIBC__) && !defined(FREEHOLD_ADDRESS_SANITIZER)  // musl has no swapcontext
using support::fiber;

traced_heap* heap_of_fiber = nullptr;
fiber* this_fiber = nullptr;
int alive_in_fiber = 0;

void collect_in_fiber() {
    const traced_local<tracked_node> kept = heap_of_fiber->make<tracked_node>(2);
    this_fiber->pause();
    heap_of_fiber->collect();
    alive_in_fiber = tracked::alive();
}

// Returns: the number of objects that are alive after a collection on the stack of the caller, and of the fiber.
std::pair<int, int> collect_on_two_stacks() {
    traced_heap heap;
    heap_of_fiber = &heap;
    fiber other(collect_in_fiber);
    this_fiber = &other;
    const traced_local<tracked_node> kept = heap.make<tracked_node>(1);
    other.resume();
    heap.collect();
    const int alive_here = tracked::alive();
    other.resume();
    return {alive_here, alive_in_fiber};
}

#endif

// One of the two results can not be elided.
traced_local<tracked_node> either(traced_heap& heap, bool first) {
    traced_local<tracked_node> one = heap.make<tracked_node>(1);
    traced_local<tracked_node> other = heap.make<tracked_node>(2);
    if (first) return one;
    return other;
}

}  // namespace

TEST_F(traced_local_test, keeps_its_object_alive) {
    {
        const traced_local<tracked_node> kept = heap.make<tracked_node>(1);
        EXPECT_EQ(alive(), 1);
    }
    EXPECT_EQ(alive(), 0);
}

TEST_F(traced_local_test, is_empty_by_default) {
    const traced_local<tracked_node> empty;
    EXPECT_FALSE(empty);
    EXPECT_EQ(empty.get(), nullptr);
    EXPECT_EQ(empty, nullptr);
    EXPECT_EQ(alive(), 0);
}

TEST_F(traced_local_test, a_copy_keeps_its_object_alive) {
    std::optional<traced_local<tracked_node>> first = heap.make<tracked_node>(1);
    const traced_local<tracked_node> second = *first;
    first.reset();
    EXPECT_EQ(alive(), 1);
    EXPECT_EQ(second->id, 1);
}

TEST_F(traced_local_test, assignment_releases_the_old_object) {
    traced_local<tracked_node> kept = heap.make<tracked_node>(1);
    kept = heap.make<tracked_node>(2);
    EXPECT_EQ(alive(), 1);
    EXPECT_EQ(kept->id, 2);
    const traced_local<tracked_node> other = heap.make<tracked_node>(3);
    kept = other;
    EXPECT_EQ(alive(), 1);
    EXPECT_EQ(kept, other);
    kept = nullptr;
    EXPECT_EQ(alive(), 1);
}

TEST_F(traced_local_test, may_be_returned) {
    const traced_local<tracked_node> one = either(heap, true);
    const traced_local<tracked_node> other = either(heap, false);
    EXPECT_EQ(alive(), 2);
    EXPECT_EQ(one->id, 1);
    EXPECT_EQ(other->id, 2);
}

TEST_F(traced_local_test, may_be_destroyed_in_any_order) {
    std::optional<traced_local<tracked_node>> a = heap.make<tracked_node>(1);
    std::optional<traced_local<tracked_node>> b = heap.make<tracked_node>(2);
    std::optional<traced_local<tracked_node>> c = heap.make<tracked_node>(3);
    b.reset();
    EXPECT_EQ(alive(), 2);
    a.reset();
    EXPECT_EQ(alive(), 1);
    EXPECT_EQ((*c)->id, 3);
}

TEST_F(traced_local_test, points_to_a_base) {
    const traced_local<tracked_node> kept = heap.make<tracked_node>(1);
    const traced_local<const tracked_node> looked_at = kept;
    EXPECT_EQ(looked_at.get(), kept.get());
    static_assert(!std::is_convertible_v<traced_local<const tracked_node>, traced_local<tracked_node>>);
}

TEST_F(traced_local_test, is_empty_once_its_heap_is_destroyed) {
    traced_local<tracked_node> kept;
    {
        traced_heap other;
        kept = other.make<tracked_node>(1);
    }
    EXPECT_FALSE(kept);
}

TEST_F(traced_local_test, is_found_at_any_depth) {
    EXPECT_EQ(nest(heap, 1000), 1000);
    EXPECT_EQ(alive(), 0);
}

TEST_F(traced_local_test, is_gone_with_its_frame) {
    EXPECT_EQ(nest(heap, 100), 100);
    const auto look_again = [this] { return alive(); };
    EXPECT_EQ(look_again(), 0);
}

// Functions leave pointers to themselves, and near themselves, on the stack.
TEST_F(traced_local_test, other_words_are_not_taken_for_one) {
    const traced_local<tracked_node> kept = heap.make<tracked_node>(1);
    std::uintptr_t words[64];
    static std::uintptr_t* volatile all;
    all = words;
    for (std::uintptr_t offset = 0; offset < 32; ++offset) {
        for (std::size_t i = 0; i < 64; i += 2) {
            all[i] = reinterpret_cast<std::uintptr_t>(&all[i]) + offset;
            all[i + 1] = 4;
        }
        EXPECT_EQ(alive(), 1);
    }
}

TEST_F(traced_local_test, keeps_its_object_alive_from_a_container) {
    std::vector<traced_local<tracked_node>> kept;
    for (int i = 0; i < 100; ++i) kept.push_back(heap.make<tracked_node>(i));
    EXPECT_EQ(alive(), 100);
    kept.erase(kept.begin() + 10, kept.begin() + 20);
    EXPECT_EQ(alive(), 90);
    EXPECT_EQ(kept[10]->id, 20);
    kept.clear();
    EXPECT_EQ(alive(), 0);
}

// It took a minute when they were searched for one by one.
TEST_F(traced_local_test, many_in_a_container_are_destroyed_in_linear_time) {
    const traced_local<tracked_node> one = heap.make<tracked_node>(1);
    const std::vector<traced_local<tracked_node>> kept(200'000, one);
    EXPECT_EQ(alive(), 1);
}

TEST_F(traced_local_test, keeps_its_object_alive_as_a_static_variable) {
    static traced_local<tracked_node> kept;
    kept = heap.make<tracked_node>(1);
    EXPECT_EQ(alive(), 1);
    kept = nullptr;
}

TEST_F(traced_local_test, keeps_its_object_alive_in_another_thread) {
    if (support::thread_locals_are_freed_first) GTEST_SKIP() << "thread_local objects are freed first";
    int found = 0;
    int left = 0;
    std::thread([&] {
        traced_heap other;
        found = nest(other, 1000);
        static thread_local traced_local<tracked_node> kept;
        kept = other.make<tracked_node>(1);
        other.collect();
        left = tracked::alive();
    }).join();
    EXPECT_EQ(found, 1000);
    EXPECT_EQ(left, 1);
}

#if defined(__GLIBC__) && !defined(FREEHOLD_ADDRESS_SANITIZER)  // musl has no swapcontext
TEST_F(traced_local_test, keeps_its_object_alive_on_a_stack_of_the_program) {
    EXPECT_EQ(collect_on_two_stacks(), std::pair(2, 2));
    std::pair<int, int> in_a_thread;
    std::thread([&] { in_a_thread = collect_on_two_stacks(); }).join();
    EXPECT_EQ(in_a_thread, std::pair(2, 2));
}
#endif
