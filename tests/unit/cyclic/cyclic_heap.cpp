// What a heap has in common with the collector of one thread is tested in contracts/cyclic_collection/.

#include <gtest/gtest.h>
#include <freehold/cyclic/cyclic_heap.hpp>

#include <algorithm>
#include <cstddef>
#include <latch>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <freehold/cyclic/concurrent_cyclic_weak_ptr.hpp>

#include "support/session_thread.hpp"
#include "support/tracked.hpp"

using freehold::concurrent_cyclic_ptr;
using freehold::concurrent_cyclic_weak_ptr;
using freehold::cyclic_heap;
using support::session_thread;

namespace {

struct node {
    node() = default;
    node(const node&) = delete;
    node& operator=(const node&) = delete;
    ~node() { destroyed_in = std::this_thread::get_id(); }

    void trace(auto& visit) const { visit(next); }

    concurrent_cyclic_ptr<node> next;
    support::tracked part;

    static inline std::thread::id destroyed_in;  // of the last one that was destroyed
};

struct finalized {
    void trace(auto& visit) const { visit(next); }
    void finalize() { ++times; }

    concurrent_cyclic_ptr<finalized> next;
    support::tracked part;
    static inline int times = 0;
};

// Gives itself another owner when it is finalized.
struct rescuing {
    void trace(auto& visit) const { visit(next); }
    void finalize() { *rescued = next; }

    concurrent_cyclic_ptr<rescuing> next;
    concurrent_cyclic_ptr<rescuing>* rescued = nullptr;
    support::tracked part;
};

struct huge {
    concurrent_cyclic_ptr<huge> next;
    support::tracked part;
    std::byte bytes[100'000] = {};

    void trace(auto& visit) const { visit(next); }
};

// Uses the heap at its end.
struct actor {
    ~actor() {
        *left = heap->make<node>();
        heap->make<node>()->next = *left;
        *collected = heap->collect();
    }

    void trace(auto& visit) const { visit(next); }

    cyclic_heap* heap;
    concurrent_cyclic_ptr<node>* left;
    std::size_t* collected;
    concurrent_cyclic_ptr<actor> next = nullptr;
};

class cyclic_heap_test : public support::tracked_test {
protected:
    void SetUp() override {
        support::tracked_test::SetUp();
        heap.set_automatic(false);
        session.emplace(heap);
        finalized::times = 0;
    }

    void TearDown() override {
        if (session) {
            heap.collect();
            EXPECT_EQ(heap.objects(), 0U);
            session.reset();
        }
        support::tracked_test::TearDown();
    }

    // Effects: calls work() in a session of another thread, which ends.
    template <class Work>
    void in_another_session(Work work) {
        session_thread(heap).run(*session, work);
    }

    cyclic_heap heap;
    std::optional<cyclic_heap::session> session;
    const std::thread::id here = std::this_thread::get_id();
};

}  // namespace

static_assert(!std::is_copy_constructible_v<cyclic_heap> && !std::is_copy_constructible_v<cyclic_heap::session>);

// Prompt ends.

TEST_F(cyclic_heap_test, the_last_release_by_its_session_destroys_at_once) {
    auto p = heap.make<node>();
    auto q = p;
    p.reset();
    EXPECT_EQ(support::tracked::alive(), 1);
    q.reset();
    EXPECT_EQ(support::tracked::alive(), 0);
}

TEST_F(cyclic_heap_test, after_the_last_release_by_another_session_its_own_destroys_at_the_next_safepoint) {
    session_thread other(heap);
    auto p = heap.make<node>();
    int alive_then = 0;
    other.run(*session, [&] {
        p.reset();
        alive_then = support::tracked::alive();
    });
    EXPECT_EQ(alive_then, 1);
    EXPECT_EQ(support::tracked::alive(), 0) << "the end of the pause was a safepoint";
    EXPECT_EQ(node::destroyed_in, here);
}

TEST_F(cyclic_heap_test, owners_counted_by_others_keep_an_object_that_its_session_releases) {
    session_thread other(heap);
    auto p = heap.make<node>();
    concurrent_cyclic_ptr<node> kept;
    other.run(*session, [&] { kept = p; });
    EXPECT_EQ(p.use_count(), 2);
    p.reset();
    EXPECT_EQ(support::tracked::alive(), 1);
    EXPECT_EQ(kept.use_count(), 1);
    other.run(*session, [&] { kept.reset(); });
    session->safepoint();
    EXPECT_EQ(support::tracked::alive(), 0);
    EXPECT_EQ(node::destroyed_in, here);
}

TEST_F(cyclic_heap_test, a_queued_object_that_is_released_again_is_destroyed_once) {
    auto p = heap.make<node>();
    auto handed_over = p;
    concurrent_cyclic_ptr<node> back;
    std::latch dropped(1);
    std::thread other([&] {
        const cyclic_heap::session of_its_own(heap);
        handed_over.reset();
        back = p;
        dropped.count_down();
    });
    dropped.wait();
    p.reset();
    back.reset();
    session->safepoint();
    EXPECT_EQ(support::tracked::destroyed(), 1);
    other.join();
}

TEST_F(cyclic_heap_test, owners_that_move_between_sessions_are_counted_once) {
    session_thread other(heap);
    std::vector<concurrent_cyclic_ptr<node>> owners{heap.make<node>()};
    for (int i = 0; i < 10; ++i) {
        other.run(*session, [&] { owners.push_back(owners.front()); });
        owners.push_back(owners.front());
    }
    EXPECT_EQ(owners.front().use_count(), 21);
    owners.resize(11);  // half of them are those that the other one has counted
    EXPECT_EQ(owners.front().use_count(), 11);
    other.run(*session, [&] { owners.resize(1); });
    EXPECT_EQ(owners.front().use_count(), 1);
    EXPECT_EQ(support::tracked::alive(), 1);
    owners.clear();
    EXPECT_EQ(support::tracked::alive(), 0);
}

TEST_F(cyclic_heap_test, an_abandoned_object_is_destroyed_where_its_last_owner_is_released) {
    concurrent_cyclic_ptr<node> p;
    in_another_session([&] {
        p = heap.make<node>();
        p->next = heap.make<node>();
    });
    auto q = p;
    p.reset();
    EXPECT_EQ(q.use_count(), 1);
    EXPECT_EQ(support::tracked::alive(), 2);
    q.reset();
    EXPECT_EQ(support::tracked::alive(), 0);
    EXPECT_EQ(node::destroyed_in, here);
}

TEST_F(cyclic_heap_test, a_session_that_ends_destroys_what_others_have_released) {
    std::thread::id there;
    {
        session_thread other(heap);
        there = other.id();
        concurrent_cyclic_ptr<node> p;
        other.run(*session, [&] { p = heap.make<node>(); });
        p.reset();
        EXPECT_EQ(support::tracked::alive(), 1);
    }
    EXPECT_EQ(support::tracked::alive(), 0);
    EXPECT_EQ(node::destroyed_in, there);
}

TEST_F(cyclic_heap_test, objects_of_any_size_are_destroyed_by_any_session) {
    concurrent_cyclic_ptr<huge> p;
    concurrent_cyclic_ptr<huge> q;
    in_another_session([&] {
        p = heap.make<huge>();
        q = heap.make<huge>();
        q->next = q;
    });
    p.reset();
    EXPECT_EQ(support::tracked::alive(), 1);
    q.reset();
    EXPECT_EQ(heap.collect(), 1U);
    EXPECT_EQ(support::tracked::alive(), 0);
}

// Collections.

TEST_F(cyclic_heap_test, a_cycle_of_objects_of_two_sessions_is_destroyed_each_in_its_own) {
    session_thread other(heap);
    auto mine = heap.make<node>();
    other.run(*session, [&] {
        mine->next = heap.make<node>();
        mine->next->next = mine;
    });
    mine.reset();
    EXPECT_EQ(heap.collect(), 2U);
    EXPECT_EQ(support::tracked::alive(), 1) << "the other session pauses";
    EXPECT_EQ(node::destroyed_in, here);
    other.run(*session, [] {});
    EXPECT_EQ(support::tracked::alive(), 0);
    EXPECT_EQ(node::destroyed_in, other.id());
}

TEST_F(cyclic_heap_test, a_cycle_whose_last_owner_another_session_releases_is_found) {
    session_thread other(heap);
    auto p = heap.make<node>();
    p->next = p;
    other.run(*session, [&] { p.reset(); });
    EXPECT_EQ(heap.collect(), 1U);
    EXPECT_EQ(support::tracked::alive(), 0);
}

TEST_F(cyclic_heap_test, a_cycle_that_another_session_owns_is_left_alone) {
    session_thread other(heap);
    auto p = heap.make<node>();
    p->next = p;
    concurrent_cyclic_ptr<node> kept;
    other.run(*session, [&] { kept = p; });
    p.reset();
    EXPECT_EQ(heap.collect(), 0U);
    EXPECT_EQ(kept.use_count(), 2);
    kept.reset();
    EXPECT_EQ(heap.collect(), 1U);
}

TEST_F(cyclic_heap_test, an_abandoned_cycle_is_destroyed_where_it_is_found) {
    concurrent_cyclic_weak_ptr<node> weak;
    in_another_session([&] {
        auto p = heap.make<node>();
        p->next = heap.make<node>();
        p->next->next = p;
        weak = p;
    });
    EXPECT_EQ(support::tracked::alive(), 2);
    EXPECT_FALSE(weak.expired());
    EXPECT_EQ(heap.collect(), 2U);
    EXPECT_TRUE(weak.expired());
    EXPECT_EQ(support::tracked::alive(), 0);
    EXPECT_EQ(node::destroyed_in, here);
}

TEST_F(cyclic_heap_test, abandoned_objects_belong_to_the_session_that_collects) {
    concurrent_cyclic_ptr<node> p;
    in_another_session([&] { p = heap.make<node>(); });
    EXPECT_EQ(heap.collect(), 0U);
    auto q = p;
    EXPECT_EQ(q.use_count(), 2);
    in_another_session([&] { p.reset(); });
    EXPECT_EQ(support::tracked::alive(), 1);
    q.reset();
    EXPECT_EQ(support::tracked::alive(), 0);
    EXPECT_EQ(node::destroyed_in, here);
}

TEST_F(cyclic_heap_test, an_object_that_waits_for_its_session_keeps_what_it_owns_in_a_collection) {
    session_thread other(heap);
    concurrent_cyclic_ptr<node> p;
    auto kept = heap.make<node>();
    kept->next = kept;
    const concurrent_cyclic_weak_ptr<node> weak = kept;
    other.run(*session, [&] {
        p = heap.make<node>();
        p->next = kept;
    });
    p.reset();     // what it pointed to waits for the other session
    kept.reset();  // owned by that, and by itself
    EXPECT_EQ(heap.collect(), 0U);
    EXPECT_FALSE(weak.expired());
    other.run(*session, [] {});
    EXPECT_EQ(heap.collect(), 1U);
}

TEST_F(cyclic_heap_test, every_object_is_finalized_once_although_sessions_destroy_it_later) {
    session_thread other(heap);
    auto p = heap.make<finalized>();
    other.run(*session, [&] {
        p->next = heap.make<finalized>();
        p->next->next = p;
    });
    p.reset();
    EXPECT_EQ(heap.collect(), 2U);
    other.run(*session, [] {});
    EXPECT_EQ(support::tracked::alive(), 0);
    EXPECT_EQ(finalized::times, 2);
}

TEST_F(cyclic_heap_test, what_finalization_in_another_session_gives_an_owner_lives_on) {
    session_thread other(heap);
    concurrent_cyclic_ptr<rescuing> rescued;
    other.run(*session, [&] {
        auto p = heap.make<rescuing>();
        p->rescued = &rescued;
        p->next = p;
    });
    other.run(*session, [] {});
    EXPECT_EQ(heap.collect(), 0U) << "this session finalizes, and counts elsewhere";
    ASSERT_TRUE(rescued);
    EXPECT_EQ(rescued.use_count(), 2);
    EXPECT_EQ(rescued->next, rescued);
    rescued.reset();
    EXPECT_EQ(heap.collect(), 1U);
}

TEST_F(cyclic_heap_test, sessions_that_make_cycles_collect_by_themselves) {
    heap.set_automatic(true);
    const std::size_t before = heap.runs();
    int most = 0;
    for (int i = 0; i < 20'000; ++i) {
        auto p = heap.make<node>();
        p->next = heap.make<node>();
        p->next->next = p;
        most = std::max(most, support::tracked::alive());
    }
    EXPECT_LT(most, 20'000);
    EXPECT_GT(heap.runs(), before);
}

TEST_F(cyclic_heap_test, cycles_that_another_session_releases_are_collected) {
    heap.set_automatic(true);
    session_thread other(heap);
    const std::size_t before = heap.runs();
    for (int batch = 0; batch < 10; ++batch) {
        std::vector<concurrent_cyclic_ptr<node>> made;
        for (int i = 0; i < 1000; ++i) {
            made.push_back(heap.make<node>());
            made.back()->next = made.back();
        }
        other.run(*session, [&] {
            made.clear();
            for (int i = 0; i < 1100; ++i) static_cast<void>(heap.make<node>());
        });
    }
    EXPECT_GT(heap.runs(), before);
    EXPECT_LT(support::tracked::alive(), 10'000);
}

// Standing still.

TEST_F(cyclic_heap_test, a_session_that_pauses_blocks_no_collection) {
    std::latch begun(1);
    std::latch collected(1);
    std::thread other([&] {
        cyclic_heap::session of_its_own(heap);
        const cyclic_heap::pause waiting(of_its_own);
        begun.count_down();
        collected.wait();
    });
    begun.wait();
    EXPECT_EQ(heap.collect(), 0U);
    collected.count_down();
    other.join();
}

TEST_F(cyclic_heap_test, a_heap_is_stopped_without_the_sessions_of_another) {
    cyclic_heap unconcerned;
    std::latch begun(1);
    std::latch collected(1);
    std::thread other([&] {
        cyclic_heap::session of_its_own(unconcerned);
        const auto p = unconcerned.make<node>();
        begun.count_down();
        collected.wait();  // not in a pause, so that a collection of its heap could not end before
    });
    begun.wait();
    EXPECT_EQ(heap.collect(), 0U);
    EXPECT_EQ(heap.objects(), 0U);
    collected.count_down();
    other.join();
}

TEST_F(cyclic_heap_test, a_session_waits_for_a_mutex_in_a_pause) {
    std::mutex mutex;
    std::latch begun(1);
    std::unique_lock held(mutex);
    std::thread other([&] {
        cyclic_heap::session of_its_own(heap);
        begun.count_down();
        const auto held_there = of_its_own.lock(mutex);
        EXPECT_TRUE(held_there.owns_lock());
    });
    begun.wait();
    EXPECT_EQ(heap.collect(), 0U) << "while the other one waits";
    held.unlock();
    other.join();
    EXPECT_TRUE(session->lock(mutex).owns_lock());
}

TEST_F(cyclic_heap_test, a_thread_has_one_session_after_the_other) {
    cyclic_heap second;
    session.reset();
    {
        const cyclic_heap::session in_second(second);
        static_cast<void>(second.make<node>());
    }
    session.emplace(heap);
    static_cast<void>(heap.make<node>());
    EXPECT_EQ(support::tracked::destroyed(), 2);
}

// The heap.

TEST_F(cyclic_heap_test, objects_are_those_of_all_sessions_and_of_none) {
    session_thread other(heap);
    std::vector<concurrent_cyclic_ptr<node>> owners{heap.make<node>()};
    other.run(*session, [&] { owners.push_back(heap.make<node>()); });
    in_another_session([&] { owners.push_back(heap.make<node>()); });
    EXPECT_EQ(heap.objects(), 3U);
    owners.clear();
    other.run(*session, [] {});
    EXPECT_EQ(heap.objects(), 0U);
}

TEST_F(cyclic_heap_test, trim_gives_back_what_holds_no_object) {
    std::vector<concurrent_cyclic_ptr<node>> owners;
    for (int i = 0; i < 10'000; ++i) owners.push_back(heap.make<node>());
    owners.resize(5'000);
    heap.trim();
    for (int i = 0; i < 5'000; ++i) owners.push_back(heap.make<node>());
    EXPECT_EQ(heap.objects(), 10'000U);
    owners.clear();
    heap.trim();
    EXPECT_EQ(heap.objects(), 0U);
    const auto p = heap.make<node>();
    EXPECT_EQ(heap.objects(), 1U);
}

TEST_F(cyclic_heap_test, abandoned_cells_are_used_again) {
    std::vector<concurrent_cyclic_ptr<node>> owners;
    in_another_session([&] {
        for (int i = 0; i < 1000; ++i) owners.push_back(heap.make<node>());
    });
    for (std::size_t i = 0; i < 500; ++i) owners[2 * i].reset();
    heap.collect();
    for (std::size_t i = 0; i < 500; ++i) owners[2 * i] = heap.make<node>();
    EXPECT_EQ(heap.objects(), 1000U);
    owners.clear();
    EXPECT_EQ(support::tracked::alive(), 0);
}

// Its second count says that no session has it; another one has the cell next.
TEST_F(cyclic_heap_test, an_object_in_the_cell_of_an_abandoned_one_is_owned_by_its_session) {
    std::vector<concurrent_cyclic_ptr<node>> abandoned(4);
    {
        session_thread other(heap);
        other.run(*session, [&] {
            for (auto& each : abandoned) each = heap.make<node>();
        });
    }
    for (std::size_t i = 1; i < abandoned.size(); ++i) abandoned[i].reset();
    heap.collect();                                       // this session has the block
    std::vector<concurrent_cyclic_ptr<node>> made(4000);  // more than the block has cells
    for (auto& each : made) each = heap.make<node>();
    session_thread other(heap);
    other.run(*session, [&made] {
        for (const auto& each : made) static_cast<void>(concurrent_cyclic_ptr<node>(each));
    });
    EXPECT_EQ(support::tracked::destroyed(), 3);
}

// The session remembers which blocks are its own.
TEST_F(cyclic_heap_test, a_block_that_another_session_takes_over_is_no_longer_ones_own) {
    std::vector<concurrent_cyclic_ptr<node>> owners(100);
    std::set<const void*> places;
    for (auto& each : owners) each = heap.make<node>();
    for (auto& each : owners) places.insert(concurrent_cyclic_ptr<node>(each).get());
    owners.assign(100, nullptr);
    heap.trim();
    session_thread other(heap);
    other.run(*session, [&] {
        for (auto& each : owners) each = heap.make<node>();
    });
    // Under AddressSanitizer freed memory is not used again.
    if (!places.contains(owners.front().get())) GTEST_SKIP() << "the block has not come back";
    const int before = support::tracked::destroyed();
    owners.clear();
    EXPECT_EQ(support::tracked::destroyed(), before) << "its own session destroys an object";
}

TEST_F(cyclic_heap_test, a_full_heap_collects_before_it_throws) {
    heap.set_automatic(false);
    heap.set_limit(4 * 64 * 1024);
    for (int i = 0; i < 100'000; ++i) {
        auto made = heap.make<node>();
        made->next = made;
    }
    EXPECT_GT(heap.runs(), 1U);
    std::vector<concurrent_cyclic_ptr<node>> owners;
    EXPECT_THROW(while (true) owners.push_back(heap.make<node>()), std::bad_alloc);
    EXPECT_LE(heap.statistics().mapped, 4U * 64 * 1024);
    owners.clear();
    EXPECT_NO_THROW(static_cast<void>(heap.make<node>())) << "the objects that are gone make room";
}

TEST_F(cyclic_heap_test, a_full_heap_takes_the_memory_that_another_session_has_no_use_for) {
    heap.set_automatic(false);
    heap.set_limit(8 * 64 * 1024);
    constexpr std::size_t counts = 16;  // bytes of an object beside itself
    session_thread other(heap);
    other.run(*session, [&] {
        std::vector<concurrent_cyclic_ptr<node>> owners;
        for (std::size_t i = 0; i < 7 * std::size_t{64} * 1024 / (counts + sizeof(node)); ++i)
            owners.push_back(heap.make<node>());
    });
    std::vector<concurrent_cyclic_ptr<finalized>> owners;
    for (std::size_t i = 0; i < 6 * std::size_t{64} * 1024 / (counts + sizeof(finalized)); ++i)
        ASSERT_NO_THROW(owners.push_back(heap.make<finalized>()));
}

TEST_F(cyclic_heap_test, bytes_that_types_do_not_show_hasten_collections) {
    heap.set_automatic(true);
    int most = 0;
    for (int i = 0; i < 3'000; ++i) {
        const auto made = heap.make<node>();
        made->next = made;
        heap.external_bytes(made, 100'000);
        most = std::max(most, support::tracked::alive());
    }
    EXPECT_LT(most, 200);
}

TEST_F(cyclic_heap_test, a_budget_bounds_what_a_step_visits) {
    auto first = heap.make<node>();
    auto last = first;
    for (int i = 1; i < 100; ++i) {
        last->next = heap.make<node>();
        last = last->next;
    }
    last->next = first;
    first.reset();
    last.reset();
    EXPECT_EQ(heap.collect(9), 0U);
    std::size_t destroyed = 0;
    for (int i = 0; i < 500; ++i) destroyed += heap.collect(3);
    EXPECT_EQ(destroyed, 100U);
}

TEST_F(cyclic_heap_test, a_collection_tells_its_pause_and_what_it_found) {
    static std::size_t found;
    auto made = heap.make<node>();
    made->next = made;
    made.reset();
    heap.on_collection([](const freehold::cyclic_collection& done) {
        if (done.stopping <= done.pause) found += done.destroyed_objects;
    });
    heap.collect();
    heap.on_collection(nullptr);
    heap.collect();
    EXPECT_EQ(found, 1U);
}

TEST_F(cyclic_heap_test, the_destructor_of_a_heap_collects_abandoned_objects) {
    {
        cyclic_heap ending;
        session.reset();
        std::thread([&ending] {
            const cyclic_heap::session of_its_own(ending);
            auto p = ending.make<node>();
            p->next = p;
        }).join();
        EXPECT_EQ(support::tracked::alive(), 1);
    }
    EXPECT_EQ(support::tracked::alive(), 0);
}

TEST_F(cyclic_heap_test, destructors_may_use_the_heap) {
    concurrent_cyclic_ptr<node> left;
    std::size_t collected = 99;
    auto p = heap.make<actor>(&heap, &left, &collected);
    p->next = p;
    p.reset();
    EXPECT_EQ(heap.collect(), 1U);
    EXPECT_EQ(collected, 0U) << "not now";
    EXPECT_EQ(left.use_count(), 1);
}

namespace {

// Effects: makes a pair that nobody owns.
template <class Object>
void drop_a_ring(cyclic_heap& heap) {
    const auto one = heap.make<Object>();
    one->next = heap.make<Object>();
    one->next->next = one;
}

}  // namespace

TEST_F(cyclic_heap_test, garbage_of_sessions_that_are_short_does_not_grow) {
    session.reset();
    heap.set_automatic(true);
    int most = 0;
    for (int i = 0; i < 1000; ++i) {
        session.emplace(heap);
        for (int rings = 0; rings < 20; ++rings) drop_a_ring<node>(heap);
        most = std::max(most, support::tracked::alive());
        session.reset();
    }
    session.emplace(heap);
    EXPECT_LT(static_cast<std::size_t>(most) * sizeof(node), std::size_t{128'000}) << "of 40,000 objects";
}
