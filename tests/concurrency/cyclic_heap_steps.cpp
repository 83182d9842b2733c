// A shared heap collects by itself: as soon as its objects, with all that they own, have grown; and in steps, between
// which its sessions run.

#include <gtest/gtest.h>
#include <freehold/core/annotate.hpp>
#include <freehold/cyclic/cyclic_heap.hpp>
#include <freehold/memory/page_cache.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/session_thread.hpp"
#include "support/thread_sanitizer.hpp"
#include "support/threads.hpp"
#include "support/tracked.hpp"

using freehold::concurrent_cyclic_ptr;
using freehold::cyclic_heap;

namespace {

struct node {
    void trace(auto& visit) const { visit(next); }

    concurrent_cyclic_ptr<node> next;
    support::tracked part;
};

// Nothing in it tells a collector how large it is.
struct image {
    concurrent_cyclic_ptr<image> self;
    std::vector<char> pixels;
};

// Has a block of its own.
struct large {
    void trace(auto& visit) const { visit(next); }

    concurrent_cyclic_ptr<large> next;
    std::array<std::byte, 100'000> room;
};

// Destroys another object when it is finalized.
struct dropping {
    void trace(auto& visit) const { visit(self); }

    void finalize() const {
        dropped->reset();
        freehold::page_cache::shared().trim();
    }

    concurrent_cyclic_ptr<dropping> self;
    concurrent_cyclic_ptr<large>* dropped = nullptr;
};

// relaxed: the test asks it between rounds, or only bounds it
std::atomic<std::size_t> most_visited = 0;

void note_visits(const freehold::cyclic_collection& collection) {
    if (collection.visited_objects > most_visited) most_visited = collection.visited_objects;
}

[[nodiscard]] concurrent_cyclic_ptr<node> make_ring(cyclic_heap& heap, int length) {
    const auto last = heap.make<node>();
    auto first = last;
    for (int i = 1; i < length; ++i) {
        auto added = heap.make<node>();
        added->next = std::move(first);
        first = std::move(added);
    }
    last->next = first;
    return first;
}

using cyclic_heap_steps = support::tracked_test;

}  // namespace

// A sanitizer keeps what is freed.
#if !defined(FREEHOLD_ADDRESS_SANITIZER) && !defined(THREAD_SANITIZER)

namespace {

[[nodiscard]] long resident_kibibytes() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

// Effects: makes images of 100 kB in four sessions, none of which is owned. Returns: whether that took 64 MiB at most.
[[nodiscard]] bool images_fit() {
    const long before = resident_kibibytes();
    cyclic_heap heap;
    support::in_threads(4, [&heap](int) {
        const cyclic_heap::session session(heap);
        for (int i = 0; i < 3'000; ++i) {
            const auto made = heap.make<image>();
            made->self = made;
            made->pixels.resize(100'000, 'x');
        }
    });
    return resident_kibibytes() - before <= 64L * 1024;
}

}  // namespace

TEST(cyclic_heap_pace, four_sessions_make_images_in_64_mebibytes) {
    const pid_t child = ::fork();
    ASSERT_NE(child, -1);
    if (child == 0) ::_exit(images_fit() ? 0 : 1);
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

#endif

// One session makes them, and the other one makes nothing.
TEST_F(cyclic_heap_steps, what_one_session_makes_and_another_releases_is_collected) {
    cyclic_heap heap;
    constexpr int objects = 50'000;
    constexpr std::size_t room = 64;
    std::array<concurrent_cyclic_ptr<node>, room> handed_over;
    std::barrier<> meeting(2);
    int most = 0;
    support::in_threads(2, [&](int thread) {
        cyclic_heap::session session(heap);
        const auto meet = [&] {
            const cyclic_heap::pause waiting(session);
            meeting.arrive_and_wait();
        };
        for (int i = 0; i < objects; i += int{room}) {
            if (thread == 0) {
                for (auto& each : handed_over) {
                    each = heap.make<node>();
                    each->next = each;
                }
                most = std::max(most, support::tracked::alive());
            }
            meet();
            if (thread == 1) {
                for (auto& each : handed_over) each.reset();
            }
            meet();
        }
    });
    EXPECT_LT(most, objects / 2);
}

TEST_F(cyclic_heap_steps, a_program_that_only_makes_and_drops_what_is_large_keeps_no_memory) {
    cyclic_heap heap;
    const cyclic_heap::session session(heap);
    const auto candidate = make_ring(heap, 1);  // so that a list of the heap has an entry
    auto dropped = candidate;
    dropped.reset();
    heap.collect(1);
    heap.set_limit(std::size_t{64} * 200'000);
    for (int i = 0; i < 10'000; ++i) static_cast<void>(heap.make<large>());
}

TEST_F(cyclic_heap_steps, each_stop_visits_as_many_objects_as_it_may) {
    cyclic_heap heap;
    heap.set_automatic(false);
    std::optional<cyclic_heap::session> session(std::in_place, heap);
    support::session_thread other(heap);
    constexpr int rings = 300;
    constexpr std::size_t budget = 50;
    std::vector<concurrent_cyclic_ptr<node>> kept;
    other.run(*session, [&] {
        for (int i = 0; i < rings; ++i) kept.push_back(make_ring(heap, 10));
        // One long chain of rings: whoever looks at one reaches all that follow.
        for (std::size_t i = 1; i < kept.size(); ++i) kept[i - 1]->next->next = kept[i];
    });
    most_visited = 0;
    heap.on_collection(note_visits);
    for (std::size_t i = 0; i + 1 < kept.size(); i += 2) {
        kept[i].reset();
        heap.collect(budget);
        other.run(*session, [&] { kept[i + 1].reset(); });
    }
    EXPECT_LE(most_visited, 4 * budget);
    heap.on_collection(nullptr);
    kept.clear();
    while (heap.collect() != 0 || support::tracked::alive() != 0) other.run(*session, [] {});
    EXPECT_EQ(heap.objects(), 0U);
}

// The parts of a structure hang together through their links back, so a look around each finds it alone.
TEST_F(cyclic_heap_steps, steps_alone_find_all_garbage_that_there_was) {
    cyclic_heap heap;
    heap.set_automatic(false);
    const cyclic_heap::session session(heap);
    for (int i = 0; i < 100; ++i) static_cast<void>(make_ring(heap, 20));
    for (int i = 0; i < 10'000 && support::tracked::alive() != 0; ++i) heap.collect(7);
    EXPECT_EQ(support::tracked::alive(), 0);
}

TEST_F(cyclic_heap_steps, a_session_that_ends_within_a_search_leaves_its_objects_to_it) {
    cyclic_heap heap;
    heap.set_automatic(false);
    std::optional<cyclic_heap::session> session(std::in_place, heap);
    std::vector<concurrent_cyclic_ptr<node>> kept;
    {
        support::session_thread other(heap);
        other.run(*session, [&] {
            for (int i = 0; i < 100; ++i) kept.push_back(make_ring(heap, 20));
        });
        for (std::size_t i = 0; i < kept.size(); i += 2) kept[i].reset();
        heap.collect(10);
        heap.collect(10);
    }
    for (int i = 0; i < 5'000; ++i) heap.collect(10);
    EXPECT_EQ(support::tracked::alive(), 50 * 20);
    kept.clear();
    heap.collect();
    EXPECT_EQ(support::tracked::alive(), 0);
}

TEST_F(cyclic_heap_steps, a_search_looks_at_no_block_that_was_given_back) {
    cyclic_heap heap;
    heap.set_automatic(false);
    const cyclic_heap::session session(heap);
    std::vector<concurrent_cyclic_ptr<large>> chain;
    for (int i = 0; i < 20; ++i) {
        const auto made = heap.make<large>();
        if (!chain.empty()) made->next = chain.back();
        chain.push_back(made);
    }
    for (int steps = 1; steps < 12; ++steps) {
        for (int i = 0; i < steps; ++i) heap.collect(3);
        chain.pop_back();
        freehold::page_cache::shared().trim();
    }
    for (int i = 0; i < 100; ++i) heap.collect(3);
    EXPECT_EQ(heap.objects(), 9U);
    chain.clear();
}

TEST_F(cyclic_heap_steps, a_finalizer_may_destroy_what_waits_for_a_search) {
    cyclic_heap heap;
    heap.set_automatic(false);
    const cyclic_heap::session session(heap);
    auto waiting = heap.make<large>();
    auto last = heap.make<dropping>();
    last->self = last;
    last->dropped = &waiting;
    last.reset();
    concurrent_cyclic_ptr<large>(waiting).reset();  // a candidate, for which the budget leaves no room
    EXPECT_EQ(heap.collect(1), 1U);
    EXPECT_EQ(waiting, nullptr);
    for (int i = 0; i < 20; ++i) heap.collect(1);
    EXPECT_EQ(heap.objects(), 0U);
}
