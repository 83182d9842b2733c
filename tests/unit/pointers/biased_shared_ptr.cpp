// What biased_shared_ptr does as a shared_ptr is tested in contracts/; this file tests the differences. Several threads
// are tested in concurrency/biased_shared_ptr.cpp.

#include <gtest/gtest.h>
#include <freehold/pointers/biased_shared_ptr.hpp>

#include <memory>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <freehold/counting/biased_counting.hpp>
#include <freehold/pointers/enable_shared_from_this.hpp>
#include <freehold/pointers/immortal.hpp>
#include <freehold/pointers/shared_ptr.hpp>
#include <freehold/pointers/thin_ptr.hpp>

#include "support/thread_locals.hpp"
#include "support/tracked.hpp"

using freehold::biased_shared_ptr;
using freehold::biased_weak_ptr;

namespace {

struct object : support::tracked {
    ~object() {
        if (ended_in != nullptr) *ended_in = std::this_thread::get_id();
    }

    std::thread::id* ended_in = nullptr;
};

struct holder : support::tracked {
    biased_shared_ptr<object> held = freehold::make_biased_shared<object>();
};

struct self_aware : freehold::enable_biased_shared_from_this<self_aware> {};

class biased_pointer : public support::tracked_test {
protected:
    static void release_in_another_thread(biased_shared_ptr<object>&& owner) {
        std::thread([last = std::move(owner)]() mutable { last.reset(); }).join();
    }
};

constinit freehold::immortal<int> seven(7);

// Constructed before its thread makes anything, so destroyed after the thread has left its objects.
thread_local biased_shared_ptr<object> of_the_thread;

}  // namespace

static_assert(std::is_same_v<biased_shared_ptr<int>, freehold::shared_ptr<int, freehold::biased_counting>>);
static_assert(std::is_same_v<biased_shared_ptr<int>::weak_type, biased_weak_ptr<int>>);
static_assert(std::is_same_v<decltype(freehold::make_biased_shared<int>(7)), biased_shared_ptr<int>>);
static_assert(sizeof(biased_shared_ptr<int>) == 2 * sizeof(void*));
static_assert(sizeof(freehold::detail::control_block<freehold::biased_counting>) == 32);
static_assert(!std::is_constructible_v<freehold::shared_ptr<int>, biased_shared_ptr<int>>);

TEST_F(biased_pointer, the_last_release_in_the_maker_destroys_the_object_at_once) {
    auto p = freehold::make_biased_shared<object>();
    std::thread([mine = p] { const auto copy = mine; }).join();
    freehold::merge_biased_counts();
    p.reset();
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(biased_pointer, an_object_whose_last_owner_is_released_elsewhere_waits_for_its_maker) {
    std::thread::id ended_in;
    auto p = freehold::make_biased_shared<object>();
    p->ended_in = &ended_in;
    release_in_another_thread(std::move(p));
    EXPECT_EQ(support::tracked::destroyed(), 0);
    freehold::merge_biased_counts();
    EXPECT_EQ(support::tracked::destroyed(), 1);
    EXPECT_EQ(ended_in, std::this_thread::get_id());
}

TEST_F(biased_pointer, an_object_that_waits_can_be_locked) {
    auto p = freehold::make_biased_shared<object>();
    const biased_weak_ptr<object> weak = p;
    release_in_another_thread(std::move(p));
    EXPECT_EQ(weak.use_count(), 1);
    auto locked = weak.lock();
    EXPECT_TRUE(locked);
    freehold::merge_biased_counts();
    locked.reset();
    EXPECT_EQ(support::tracked::destroyed(), 1);
    EXPECT_TRUE(weak.expired());
}

TEST_F(biased_pointer, making_the_next_object_destroys_those_that_were_queued) {
    release_in_another_thread(freehold::make_biased_shared<object>());
    const auto next = freehold::make_biased_shared<int>(7);
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(biased_pointer, an_object_is_destroyed_in_any_thread_after_its_maker_has_exited) {
    biased_shared_ptr<object> p;
    std::thread([&] { p = freehold::make_biased_shared<object>(); }).join();
    p.reset();
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(biased_pointer, a_thread_that_exits_destroys_what_was_queued_to_it) {
    std::thread([&] {
        release_in_another_thread(freehold::make_biased_shared<object>());
        EXPECT_EQ(support::tracked::destroyed(), 0);
    }).join();
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(biased_pointer, others_destroy_at_once_what_a_thread_has_left) {
    auto p = freehold::make_biased_shared<object>();
    freehold::leave_biased_counts();
    release_in_another_thread(std::move(p));
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(biased_pointer, a_thread_that_left_its_objects_may_make_more) {
    freehold::leave_biased_counts();
    auto p = freehold::make_biased_shared<object>();
    release_in_another_thread(std::move(p));
    EXPECT_EQ(support::tracked::destroyed(), 0);
    freehold::merge_biased_counts();
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(biased_pointer, others_destroy_at_once_what_was_merged_before) {
    auto p = freehold::make_biased_shared<object>();
    freehold::merge_biased_count(p);
    release_in_another_thread(std::move(p));
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(biased_pointer, merging_the_count_of_no_object_does_nothing) {
    freehold::merge_biased_count(biased_shared_ptr<int>());
    freehold::merge_biased_count(seven.share_biased());
}

TEST_F(biased_pointer, an_object_destroyed_by_a_merge_may_make_and_release_others) {
    struct maker : support::tracked {
        ~maker() { const auto last = freehold::make_biased_shared<holder>(); }
    };
    auto p = freehold::make_biased_shared<maker>();
    std::thread([last = std::move(p)]() mutable { last.reset(); }).join();
    freehold::merge_biased_counts();
    EXPECT_EQ(support::tracked::destroyed(), 3);
}

TEST_F(biased_pointer, a_thread_local_owner_is_released_after_its_thread_has_left_its_objects) {
    if (support::thread_locals_are_freed_first) GTEST_SKIP() << "thread_local objects are freed first";
    std::thread([] {
        of_the_thread = nullptr;
        of_the_thread = freehold::make_biased_shared<object>();
    }).join();
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(biased_pointer, an_ending_thread_may_still_make_objects) {
    if (support::thread_locals_are_freed_first) GTEST_SKIP() << "thread_local objects are freed first";
    struct late_maker {
        ~late_maker() { freehold::make_biased_shared<object>().reset(); }
    };
    std::thread([] {
        static thread_local late_maker late;
        (void)&late;
        freehold::make_biased_shared<object>().reset();
    }).join();
    EXPECT_EQ(support::tracked::destroyed(), 2);
}

// Nobody would destroy an object that is queued to a thread which has ended.
TEST_F(biased_pointer, what_an_ending_thread_has_made_is_destroyed_by_its_last_owner_in_any_thread) {
    if (support::thread_locals_are_freed_first) GTEST_SKIP() << "thread_local objects are freed first";
    struct late_maker {
        ~late_maker() { *made = freehold::make_biased_shared<object>(); }
        biased_shared_ptr<object>* made = nullptr;
    };
    biased_shared_ptr<object> last;
    std::thread([&last] {
        static thread_local late_maker late;
        late.made = &last;
        freehold::make_biased_shared<object>().reset();
    }).join();
    last.reset();
    EXPECT_EQ(support::tracked::destroyed(), 2);
}

TEST_F(biased_pointer, a_weak_pointer_in_another_thread_finds_the_object_or_nothing) {
    auto p = freehold::make_biased_shared<object>();
    std::thread([weak = biased_weak_ptr<object>(p)] { EXPECT_TRUE(weak.lock()); }).join();
    freehold::merge_biased_counts();
    const biased_weak_ptr<object> weak = p;
    p.reset();
    std::thread([weak] { EXPECT_FALSE(weak.lock()); }).join();
}

TEST_F(biased_pointer, thin_pointers_and_objects_that_know_their_owners_count_in_the_same_way) {
    const auto thin = freehold::make_thin<object, freehold::biased_counting>();
    const biased_shared_ptr<object> shared = thin;
    EXPECT_EQ(shared.use_count(), 2);
    static_assert(std::is_same_v<const freehold::biased_thin_ptr<object>, decltype(thin)>);

    const auto self = freehold::make_biased_shared<self_aware>();
    EXPECT_EQ(self->shared_from_this().use_count(), 2);
}

TEST_F(biased_pointer, a_chain_that_others_release_is_destroyed_as_a_whole) {
    struct link : support::tracked {
        biased_shared_ptr<link> next;
    };
    biased_shared_ptr<link> first;
    for (int i = 0; i < 10000; ++i) {
        auto longer = freehold::make_biased_shared<link>();
        longer->next = std::move(first);
        first = std::move(longer);
    }
    std::thread([last = std::move(first)]() mutable { last.reset(); }).join();
    freehold::merge_biased_counts();
    EXPECT_EQ(support::tracked::destroyed(), 10000);
}
