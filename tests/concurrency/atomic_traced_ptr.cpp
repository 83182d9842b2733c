// A stack of atomic_traced_ptr, which threads push onto and pop from: no element is lost, or popped twice, though
// addresses are used again. And what a thread has written before it stores is seen by who reads, whatever the two call:
// ThreadSanitizer watches that.

#include <gtest/gtest.h>
#include <freehold/traced/atomic_traced_ptr.hpp>
#include <freehold/traced/shared_traced_heap.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
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

// What one thread gives to another: an object whose member is written plainly.
struct letter {
    int text = 0;
};

using letter_pointer = atomic_traced_ptr<letter>;

struct letter_box {
    letter_pointer place;
    freehold::traced_ptr<letter> only;
};

void post(letter_pointer& place, traced_view<letter> added, int way) {
    traced_view<letter> seen;
    switch (way) {
        case 0: return place.store(added);
        case 1: static_cast<void>(place.exchange(added)); return;
        case 2:
            while (!place.compare_exchange_strong(seen, added)) {
            }
            return;
        default:
            while (!place.compare_exchange_weak(seen, added)) {
            }
    }
}

// Returns: what is there, or a null pointer. Effects: may empty the place. `known` is what will be there.
traced_view<letter> fetch(letter_pointer& place, traced_view<letter> known, int way) {
    traced_view<letter> seen;
    switch (way) {
        case 0: return place.load();
        case 1: return place.exchange(nullptr);
        case 2: return place.compare_exchange_strong(seen, nullptr) ? traced_view<letter>() : seen;
        case 3: return place.compare_exchange_weak(seen, nullptr) ? traced_view<letter>() : seen;
        case 4: return place.compare_exchange_strong(known, nullptr) ? known : traced_view<letter>();
        default: return place.compare_exchange_weak(known, nullptr) ? known : traced_view<letter>();
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
    traced_root<letter_box> shared;
    {
        const shared_traced_heap::session session(heap);
        shared = heap.make<letter_box>();
        shared->only = heap.make<letter>();
    }
    for (int way = 0; way < 24; ++way) {
        support::in_threads(2, [&](int number) {
            const shared_traced_heap::session session(heap);
            const traced_local<letter_box> box = traced_view<letter_box>(shared.get());
            if (number == 0) {
                box->only->text = way;
                post(box->place, box->only, way % 4);
                return;
            }
            traced_view<letter> found;
            while (!found) found = fetch(box->place, box->only, way / 4);
            EXPECT_EQ(found->text, way);
        });
        const shared_traced_heap::session session(heap);
        shared->place = nullptr;
    }
    const shared_traced_heap::session session(heap);
    shared.reset();
}
