// Coroutines whose frames are in a shared_traced_heap, and which threads resume in turn.

#include <gtest/gtest.h>
#include <freehold/traced/shared_traced_heap.hpp>
#include <freehold/traced/traced_frame.hpp>
#include <freehold/traced/traced_root.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <random>
#include <utility>

#include "support/effort.hpp"
#include "support/threads.hpp"
#include "support/traced_numbers.hpp"

using freehold::shared_traced_heap;
using freehold::traced_frame;
using freehold::traced_heap_options;
using freehold::traced_local;
using freehold::traced_ptr;
using freehold::traced_root;
using support::traced_numbers;

namespace {

constexpr int resuming_threads = 3;

std::atomic<int> living_frames = 0;  // relaxed: the threads have ended when it is compared

struct counts_frames {
    counts_frames() { living_frames.fetch_add(1, std::memory_order_relaxed); }
    counts_frames(const counts_frames&) = delete;
    counts_frames& operator=(const counts_frames&) = delete;
    ~counts_frames() { living_frames.fetch_sub(1, std::memory_order_relaxed); }
};

struct link {
    int value = 0;
    traced_ptr<link> next = {};
    traced_ptr<traced_frame> frame = {};
};

// Yields the length of a list in its frame, and its sum if that is not right.
traced_numbers count_up(shared_traced_heap& heap) {
    const counts_frames counted;
    traced_local<link> list;
    for (int length = 1;; ++length) {
        list = heap.make<link>(length, list);
        int sum = 0;
        for (traced_local<link> each = list; each; each = each->next) sum += each->value;
        co_yield sum == length*(length + 1) / 2 ? length : -sum;
        if (length == 20) {
            list = nullptr;
            length = 0;
        }
    }
}

struct resumed_place {
    std::mutex mutex;
    traced_root<traced_frame> frame;
    int next = 1;
};

using places = std::array<resumed_place, 8>;

void resume_any(shared_traced_heap& heap, places& all, unsigned seed, int steps) {
    std::minstd_rand random(seed);
    for (int i = 0; i < steps;) {
        shared_traced_heap::session session(heap);
        for (int k = 0; k < 100 && i < steps; ++k, ++i) {
            resumed_place& place = all[random() % all.size()];
            const auto held = session.lock(place.mutex);
            if (random() % 50 == 0) {
                place.frame = count_up(heap).frame;
                place.next = 1;
            }
            if (!place.frame) continue;
            if (random() % 100 == 0) {
                place.frame->destroy();
                place.frame.reset();
                continue;
            }
            place.frame->resume();
            ASSERT_EQ(place.frame->promise<traced_numbers::promise_type>().value, place.next);
            place.next = place.next % 20 + 1;
            if (random() % 200 == 0) heap.collect();
        }
    }
}

void resume_in_turn(traced_heap_options options, int steps) {
    shared_traced_heap heap(std::move(options));
    places all;
    support::in_threads(resuming_threads,
                        [&](int number) { resume_any(heap, all, static_cast<unsigned>(number) + 1, steps); });
    const shared_traced_heap::session session(heap);
    for (resumed_place& place : all) place.frame.reset();
    heap.collect();
    EXPECT_EQ(living_frames.load(std::memory_order_relaxed), 0);
}

}  // namespace

TEST(shared_traced_frames, threads_resume_them_in_turn) {
    resume_in_turn({.nursery_bytes = 64 * 1024}, support::effort(20000, 2000));
}

TEST(shared_traced_frames, threads_resume_them_beside_a_helper) {
    resume_in_turn({.nursery_bytes = 32 * 1024, .min_full_bytes = 32 * 1024, .pause_budget = 64},
                   support::effort(20000, 2000));
}

TEST(shared_traced_frames, threads_resume_them_and_collect_at_every_allocation) {
    resume_in_turn({.collect_at_every_allocation = true}, support::effort(1000, 300));
}
