// Collected objects where memory runs out: what can't be made leaves nothing behind, and what can't be visited or
// listed is found later.

#include <gtest/gtest.h>
#include <freehold/cyclic/cycle_collector.hpp>
#include <freehold/cyclic/cyclic_ptr.hpp>
#include <freehold/cyclic/cyclic_weak_ptr.hpp>
#include <freehold/interop/shared_root.hpp>
#include <freehold/memory/page_cache.hpp>

#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include "support/allocation_failure.hpp"
#include "support/cyclic_ring.hpp"
#include "support/tracked.hpp"

using freehold::cycle_collector;
using freehold::cyclic_ptr;
using freehold::cyclic_weak_ptr;
using freehold::make_cyclic;
using support::limited_new;
using support::make_ring;

namespace {

struct node {
    cyclic_ptr<node> next;
    support::tracked part;
};

// Of a type that no other test makes.
struct fresh {
    cyclic_ptr<fresh> next;
    support::tracked part;
    std::byte bytes[100'000] = {};
    void trace(auto& visit) const { visit(next); }
};

struct finalized {
    void trace(auto& visit) const { visit(next); }
    void finalize() { ++times; }

    cyclic_ptr<finalized> next;
    support::tracked part;
    int times = 0;
};

// Effects: does the work in a thread that knows nothing of cycles yet, which collects them only when asked.
template <class Work>
void in_new_thread(Work work) {
    std::thread([&work] {
        cycle_collector::set_automatic(false);
        work();
        EXPECT_EQ(support::tracked::alive(), 0);
    }).join();
}

class cyclic_failure : public support::tracked_test {};

}  // namespace

TEST_F(cyclic_failure, an_object_is_made_or_nothing) {
    in_new_thread([] {
        static_cast<void>(make_cyclic<node>());  // a thread's first object registers what is to be done at its end
        const int failures = support::fail_each_allocation(
            [](int allowed) {
                freehold::page_cache::shared().trim();
                const limited_new limit(allowed);
                static_cast<void>(make_cyclic<fresh>());
            },
            [] {
                EXPECT_EQ(cycle_collector::objects(), 0U);
                EXPECT_EQ(support::tracked::alive(), 0);
            });
        EXPECT_GT(failures, 0);
    });
}

TEST_F(cyclic_failure, a_candidate_without_room_in_the_list_is_found_later) {
    in_new_thread([] {
        auto ring = make_cyclic<node>();
        ring->next = ring;
        {
            const limited_new none(0);
            ring.reset();
            EXPECT_EQ(cycle_collector::collect(), 0U);
        }
        EXPECT_EQ(cycle_collector::candidates(), 0U);
        EXPECT_EQ(cycle_collector::collect(1), 0U);
        EXPECT_EQ(cycle_collector::collect(), 1U);
        EXPECT_EQ(cycle_collector::collect(), 0U);
    });
}

TEST_F(cyclic_failure, a_collection_without_memory_changes_nothing) {
    in_new_thread([] {
        constexpr int length = 10'000;
        auto owned = make_ring<node>(length);
        make_ring<node>(length).reset();
        std::size_t collected = 0;
        int failures = 0;
        for (; collected == 0; ++failures) {
            const limited_new limit(failures);
            collected = cycle_collector::collect();
            if (collected != 0) break;
            EXPECT_EQ(support::tracked::alive(), 2 * length);
            int others = 0;
            for (node* each = owned->next.get(); each != owned.get(); each = each->next.get(), ++others) {
                ASSERT_EQ(each->next.use_count(), each->next == owned ? 2 : 1);
            }
            EXPECT_EQ(others, length - 1);
        }
        EXPECT_GT(failures, 1);
        EXPECT_EQ(collected, std::size_t{length});
        owned.reset();
        EXPECT_EQ(cycle_collector::collect(), std::size_t{length});
    });
}

TEST_F(cyclic_failure, a_collection_that_has_finalized_and_runs_out_of_memory_is_finished_later) {
    in_new_thread([] {
        constexpr int length = 1000;
        for (int allowed = 0; allowed < 20; ++allowed) {
            make_ring<finalized>(length).reset();
            std::size_t collected = 0;
            {
                const limited_new limit(allowed);
                collected = cycle_collector::collect();
            }
            collected += cycle_collector::collect();
            EXPECT_EQ(collected, std::size_t{length});
            EXPECT_EQ(support::tracked::alive(), 0);
        }
    });
}

TEST_F(cyclic_failure, an_object_has_a_weak_pointer_or_not) {
    in_new_thread([] {
        auto p = make_cyclic<node>();
        const int failures = support::fail_each_allocation(
            [&](int allowed) {
                const support::drained_pool drained;
                const limited_new limit(allowed);
                const cyclic_weak_ptr<node> weak = p;
                EXPECT_EQ(weak.use_count(), 1);
            },
            [&] { EXPECT_EQ(p.use_count(), 1); });
        EXPECT_GT(failures, 0);
        const cyclic_weak_ptr<node> weak = p;
        p.reset();
        EXPECT_TRUE(weak.expired());
    });
}

TEST_F(cyclic_failure, a_root_is_shared_or_stays_as_it_was) {
    in_new_thread([] {
        const auto p = make_cyclic<node>();
        const int failures = support::fail_each_allocation(
            [&](int allowed) {
                const support::drained_pool drained;
                const limited_new limit(allowed);
                static_cast<void>(freehold::shared_root(p));
            },
            [&] { EXPECT_EQ(p.use_count(), 1); });
        EXPECT_EQ(failures, 1);
    });
}
