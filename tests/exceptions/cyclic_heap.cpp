// A shared heap of collected objects where memory runs out: what can't be made leaves nothing behind, and what can't be
// queued or examined is found later.

#include <gtest/gtest.h>
#include <freehold/cyclic/concurrent_cyclic_weak_ptr.hpp>
#include <freehold/cyclic/cyclic_heap.hpp>
#include <freehold/memory/page_cache.hpp>

#include <cstddef>
#include <thread>
#include <vector>

#include "support/allocation_failure.hpp"
#include "support/session_thread.hpp"
#include "support/tracked.hpp"

using freehold::concurrent_cyclic_ptr;
using freehold::concurrent_cyclic_weak_ptr;
using freehold::cyclic_heap;
using support::limited_new;

namespace {

struct node {
    concurrent_cyclic_ptr<node> next;
    support::tracked part;
};

// Of a type that no other test makes.
struct fresh {
    concurrent_cyclic_ptr<fresh> next;
    support::tracked part;
};

class cyclic_heap_failure : public support::tracked_test {
protected:
    void SetUp() override {
        support::tracked_test::SetUp();
        heap.set_automatic(false);
    }

    // Effects: makes `count` objects, each of which owns itself.
    std::vector<concurrent_cyclic_ptr<node>> make_circles(std::size_t count) {
        std::vector<concurrent_cyclic_ptr<node>> made;
        for (std::size_t i = 0; i < count; ++i) {
            made.push_back(heap.make<node>());
            made.back()->next = made.back();
        }
        return made;
    }

    // Effects: collects with room for more and more allocations, until that finds what there is.
    // Returns: how often it did not.
    int collect_with_little_memory(std::size_t expected) {
        for (int allowed = 0;; ++allowed) {
            std::size_t collected = 0;
            {
                const limited_new limit(allowed);
                collected = heap.collect();
            }
            if (collected == expected) return allowed;
            EXPECT_EQ(collected, 0U);
            if (allowed == 100) return allowed;
        }
    }

    cyclic_heap heap;
    cyclic_heap::session session{heap};
};

}  // namespace

TEST_F(cyclic_heap_failure, an_object_is_made_or_nothing) {
    const int failures = support::fail_each_allocation(
        [this](int allowed) {
            freehold::page_cache::shared().trim();
            const limited_new limit(allowed);
            static_cast<void>(heap.make<fresh>());
        },
        [this] {
            EXPECT_EQ(heap.objects(), 0U);
            EXPECT_EQ(support::tracked::alive(), 0);
        });
    EXPECT_GT(failures, 0);
}

TEST_F(cyclic_heap_failure, an_object_that_can_not_be_queued_is_destroyed_by_its_session) {
    support::session_thread other(heap);
    concurrent_cyclic_ptr<node> p;
    other.run(session, [&] { p = heap.make<node>(); });
    {
        const limited_new none(0);
        p.reset();
    }
    EXPECT_EQ(support::tracked::alive(), 1);
    other.run(session, [] {});
    EXPECT_EQ(support::tracked::alive(), 0);
}

namespace {

// Its destructor releases an object in another session, which has no memory to queue it.
template <class T>
struct releases_at_end {
    ~releases_at_end() {
        std::thread([this] {
            const cyclic_heap::session third(*heap);
            const limited_new none(0);
            released->reset();
        }).join();
    }

    cyclic_heap* heap;
    concurrent_cyclic_ptr<T>* released;
};

}  // namespace

// The session destroys the first object when it goes on, the second one when it ends, and then the third.
TEST_F(cyclic_heap_failure, an_object_that_can_not_be_queued_while_its_session_ends_is_destroyed_by_that) {
    concurrent_cyclic_ptr<node> third;
    concurrent_cyclic_ptr<releases_at_end<node>> second;
    concurrent_cyclic_ptr<releases_at_end<releases_at_end<node>>> first;
    {
        support::session_thread other(heap);
        other.run(session, [&] {
            third = heap.make<node>();
            second = heap.make<releases_at_end<node>>(&heap, &third);
            first = heap.make<releases_at_end<releases_at_end<node>>>(&heap, &second);
        });
        const limited_new none(0);  // else the queue has room from now on
        first.reset();
    }
    EXPECT_EQ(support::tracked::alive(), 0);
}

TEST_F(cyclic_heap_failure, an_object_that_can_not_be_queued_and_is_owned_may_be_destroyed_in_a_collection) {
    support::session_thread other(heap);
    concurrent_cyclic_ptr<node> p;
    other.run(session, [&] {
        p = heap.make<node>();
        p->next = p;
    });
    {
        const limited_new none(0);
        p.reset();
    }
    EXPECT_EQ(heap.collect(), 1U);
    other.run(session, [] {});
    EXPECT_EQ(support::tracked::alive(), 0);
}

TEST_F(cyclic_heap_failure, a_candidate_without_room_in_the_list_is_found_later) {
    auto p = heap.make<node>();
    p->next = p;
    {
        const limited_new none(0);
        p.reset();
        EXPECT_EQ(heap.collect(), 0U);
    }
    EXPECT_EQ(heap.collect(), 1U);
}

TEST_F(cyclic_heap_failure, a_collection_without_memory_changes_nothing) {
    constexpr std::size_t count = 1000;
    auto owned = make_circles(count);
    make_circles(count);
    EXPECT_GT(collect_with_little_memory(count), 1);
    EXPECT_EQ(support::tracked::alive(), int{count});
    for (const auto& each : owned) EXPECT_EQ(each.use_count(), 2);
    owned.clear();
    EXPECT_EQ(heap.collect(), count);
}

TEST_F(cyclic_heap_failure, abandoned_blocks_are_adopted_when_there_is_memory) {
    support::session_thread(heap).run(session, [this] { make_circles(10); });
    EXPECT_GT(collect_with_little_memory(10), 1);
    EXPECT_EQ(support::tracked::alive(), 0);
}

TEST_F(cyclic_heap_failure, an_object_has_a_weak_pointer_or_not) {
    auto p = heap.make<node>();
    const int failures = support::fail_each_allocation(
        [&](int allowed) {
            const support::drained_pool drained;
            const limited_new limit(allowed);
            const concurrent_cyclic_weak_ptr<node> weak = p;
            EXPECT_EQ(weak.use_count(), 1);
        },
        [&] { EXPECT_EQ(p.use_count(), 1); });
    EXPECT_GT(failures, 0);
    const concurrent_cyclic_weak_ptr<node> weak = p;
    p.reset();
    EXPECT_TRUE(weak.expired());
}
