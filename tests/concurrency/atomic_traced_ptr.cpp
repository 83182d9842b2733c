// A stack of atomic_traced_ptr, which threads push onto and pop from: no element is lost, or popped twice, though
// addresses are used again. And what a thread has written before it stores is seen by who reads, whatever the two call:
// ThreadSanitizer watches that.

#include <gtest/gtest.h>
#include <freehold/traced/atomic_traced_ptr.hpp>
#include <freehold/traced/shared_traced_heap.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include <freehold/traced/traced_root.hpp>

#include "support/effort.hpp"
#include "support/threads.hpp"
#include "support/tracked.hpp"

namespace {

using freehold::atomic_traced_ptr;
using freehold::shared_traced_heap;
using freehold::traced_local;
using freehold::traced_root;
using freehold::traced_view;
using support::tracked;

struct stacked {
    explicit stacked(int its) : number(its) {}
    void trace(auto& visit) const { visit(next); }

    const int number;
    freehold::traced_ptr<stacked> next;
    tracked counted;
};

struct stack {
    void push(traced_view<stacked> added) noexcept {
        traced_view<stacked> seen = top.load();
        do added->next = seen;
        while (!top.compare_exchange_weak(seen, added));
    }

    traced_view<stacked> pop() noexcept {
        traced_view<stacked> seen = top.load();
        while (seen && !top.compare_exchange_weak(seen, traced_view<stacked>(seen->next))) {
        }
        return seen;
    }

    atomic_traced_ptr<stacked> top;
};

struct letter {
    int number = 0;
};

struct letter_box {
    atomic_traced_ptr<letter> place;
    freehold::traced_ptr<letter> first;
    freehold::traced_ptr<letter> second;
};

// A null pointer is stored, and nothing is read from the heap: no check without NDEBUG takes a lock for that, which
// would order everything.
void take_away(atomic_traced_ptr<letter>& place, traced_view<letter> first, int way) {
    traced_view<letter> expected = first;
    switch (way) {
        case 0: place.store(nullptr); break;
        case 1: static_cast<void>(place.exchange(nullptr)); break;
        case 2:
            while (!place.compare_exchange_strong(expected, nullptr)) expected = first;
            break;
        default:
            while (!place.compare_exchange_weak(expected, nullptr)) expected = first;
    }
}

// Returns: whether the pointer was null.
bool finds_nothing(atomic_traced_ptr<letter>& place, traced_view<letter> first, traced_view<letter> second, int way) {
    traced_view<letter> expected;
    traced_view<letter> other = second;
    switch (way) {
        case 0: return !place.load();
        case 1: return !place.exchange(first);
        case 2: return place.compare_exchange_strong(expected, first);
        case 3: return place.compare_exchange_weak(expected, first);
        case 4: return !place.compare_exchange_strong(other, first) && !other;
        default: return !place.compare_exchange_weak(other, first) && !other;
    }
}

class atomic_traced_ptrs : public support::tracked_test {};

}  // namespace

TEST_F(atomic_traced_ptrs, no_element_is_popped_twice) {
    constexpr int threads = 3;
    const int each = support::effort(20'000, 2'000);
    shared_traced_heap heap({.nursery_bytes = 64 * 1024});
    traced_root<stack> shared;
    {
        const shared_traced_heap::session session(heap);
        shared = heap.make<stack>();
    }
    std::vector<std::atomic<int>> popped(static_cast<std::size_t>(threads * each));
    const auto pop = [&](stack& from) {
        const traced_view<stacked> taken = from.pop();
        if (taken) popped[static_cast<std::size_t>(taken->number)].fetch_add(1, std::memory_order_relaxed);
        return static_cast<bool>(taken);
    };
    support::in_threads(threads, [&](int number) {
        const shared_traced_heap::session session(heap);
        const traced_local<stack> all = traced_view<stack>(shared.get());
        for (int i = 0; i < each; ++i) {
            all->push(heap.make_unrooted<stacked>(number * each + i));
            if (i % 3 != 0) pop(*all);
        }
    });
    const shared_traced_heap::session session(heap);
    while (pop(*shared)) {
    }
    for (const auto& times : popped) ASSERT_EQ(times, 1);
    heap.collect();
    EXPECT_EQ(tracked::alive(), 0);
    shared.reset();
}

TEST_F(atomic_traced_ptrs, what_was_written_before_is_seen) {
    shared_traced_heap heap;
    const shared_traced_heap::session session(heap);
    traced_root<letter_box> shared = heap.make<letter_box>();
    shared->first = heap.make<letter>();
    shared->second = heap.make<letter>();
    letter_box& box = *shared;
    const traced_view<letter> first = box.first;
    const traced_view<letter> second = box.second;
    for (int way = 0; way < 24; ++way) {
        box.place = first;
        int text = -1;
        std::atomic<bool> is_read = false;  // relaxed: it orders nothing
        std::thread writer([&] {
            const shared_traced_heap::session of_writer(heap);
            text = way;
            take_away(box.place, first, way % 4);
            while (!is_read.load(std::memory_order_relaxed)) std::this_thread::yield();
        });
        while (!finds_nothing(box.place, first, second, way / 4)) std::this_thread::yield();
        EXPECT_EQ(text, way);
        is_read.store(true, std::memory_order_relaxed);
        writer.join();
    }
}
