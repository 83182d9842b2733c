// shared_count with biased_counting: what each thread does to the two counts. Orders of steps are tested in
// memory_model/biased_counts.cpp.

#include <gtest/gtest.h>
#include <freehold/counting/biased_counting.hpp>

#include <limits>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#include "support/repeated_counting.hpp"
#include "support/thread_state.hpp"

using freehold::count_word;
using freehold::release_outcome;

namespace {

// Counts that stand alone, with no block around them.
struct alone : freehold::biased_counting {
    using word_counting = support::repeated_counting<freehold::atomic_counting>;
};

using count = freehold::shared_count<alone>;

std::vector<const count*> destroyed;  // by a merge, in this order

}  // namespace

template <>
struct freehold::destruction_of_merged<alone> {
    static void run(count& merged) {
        EXPECT_EQ(merged.resolve_release(), freehold::release_outcome::expired_without_weak);
        destroyed.push_back(&merged);
    }
};

namespace {

class biased_count : public testing::Test {
protected:
    void SetUp() override {
        support::start_first_thread();
        destroyed.clear();
    }

    static release_outcome release(count& released) {
        auto outcome = release_outcome::owned;
        released.release([&]() noexcept { outcome = released.resolve_release(); });
        return outcome;
    }

    template <class Function>
    static void in_another_thread(Function function) {
        std::thread(function).join();
    }

    static release_outcome release_elsewhere(count& released) {
        auto outcome = release_outcome::owned;
        in_another_thread([&] { outcome = release(released); });
        return outcome;
    }
};

constexpr count_word most_elsewhere = count_word{1} << 32;

}  // namespace

static_assert(freehold::counting_policy<freehold::biased_counting>);
static_assert(freehold::biased_policy<freehold::biased_counting>);
static_assert(!freehold::biased_policy<freehold::atomic_counting>);
static_assert(sizeof(count) == 24);
static_assert(!std::is_copy_constructible_v<count>);

TEST_F(biased_count, the_last_release_of_the_maker_destroys_at_once) {
    count object;
    EXPECT_EQ(release(object), release_outcome::expired_without_weak);
    EXPECT_EQ(object.owners(), 0);
}

TEST_F(biased_count, the_owners_of_all_threads_are_counted_together) {
    count object;
    object.acquire();
    in_another_thread([&] {
        object.acquire();
        EXPECT_EQ(object.owners(), 3);
    });
    EXPECT_EQ(object.owners(), 3);
}

TEST_F(biased_count, what_another_thread_acquired_the_maker_may_release) {
    count object;
    in_another_thread([&] { object.acquire(); });
    EXPECT_EQ(release(object), release_outcome::owned);
    EXPECT_EQ(object.owners(), 1);
    EXPECT_EQ(release(object), release_outcome::expired_without_weak);
}

TEST_F(biased_count, the_last_release_destroys_in_its_own_thread_when_the_maker_has_no_owner) {
    count object;
    in_another_thread([&] { object.acquire(); });
    EXPECT_EQ(release(object), release_outcome::owned);
    EXPECT_EQ(release_elsewhere(object), release_outcome::expired_without_weak);
}

TEST_F(biased_count, what_others_release_waits_for_the_maker) {
    count object;
    EXPECT_EQ(release_elsewhere(object), release_outcome::owned);
    EXPECT_EQ(object.owners(), 1) << "the inbox";
    EXPECT_TRUE(destroyed.empty());
    count::merge_queued();
    EXPECT_EQ(destroyed, std::vector<const count*>{&object});
}

TEST_F(biased_count, the_next_object_that_is_made_merges_what_was_queued) {
    count object;
    release_elsewhere(object);
    const count next;
    EXPECT_EQ(destroyed, std::vector<const count*>{&object});
}

TEST_F(biased_count, the_last_release_of_the_maker_merges_what_was_queued) {
    count object;
    object.acquire();
    release_elsewhere(object);
    EXPECT_EQ(object.owners(), 1);
    release(object);
    EXPECT_TRUE(destroyed.empty()) << "it has come to the inbox, where the maker counts it as any other thread does";
    count::merge_queued();
    EXPECT_EQ(destroyed, std::vector<const count*>{&object});
}

TEST_F(biased_count, what_was_queued_is_counted_until_it_is_merged) {
    count object;
    object.acquire();
    object.acquire();
    release_elsewhere(object);
    release_elsewhere(object);
    EXPECT_EQ(object.owners(), 1);
    in_another_thread([&] { object.acquire(); });
    EXPECT_EQ(object.owners(), 2);
    count::merge_queued();
    EXPECT_EQ(object.owners(), 2);
    EXPECT_EQ(release(object), release_outcome::owned);
    EXPECT_EQ(release(object), release_outcome::expired_without_weak);
    EXPECT_TRUE(destroyed.empty());
}

TEST_F(biased_count, an_object_that_was_queued_can_be_acquired_until_it_is_merged) {
    count object;
    object.acquire_weak();
    release_elsewhere(object);
    EXPECT_TRUE(object.try_acquire());
    count::merge_queued();
    EXPECT_TRUE(destroyed.empty());
    EXPECT_FALSE(object.release_weak());
    EXPECT_EQ(release(object), release_outcome::expired_without_weak);
    EXPECT_FALSE(object.try_acquire());
}

TEST_F(biased_count, many_are_merged_at_once) {
    std::vector<std::unique_ptr<count>> objects;
    for (int i = 0; i < 100; ++i) objects.push_back(std::make_unique<count>());
    in_another_thread([&] {
        for (const auto& object : objects) release(*object);
    });
    count::merge_queued();
    EXPECT_EQ(destroyed.size(), 100U);
}

TEST_F(biased_count, the_last_release_after_the_maker_has_exited_destroys_the_object) {
    std::unique_ptr<count> object;
    in_another_thread([&] { object = std::make_unique<count>(); });
    EXPECT_EQ(release(*object), release_outcome::owned) << "it was merged and destroyed on the way";
    EXPECT_EQ(destroyed, std::vector<const count*>{object.get()});
}

TEST_F(biased_count, an_exiting_thread_merges_what_was_queued_to_it) {
    std::unique_ptr<count> object;
    in_another_thread([&] {
        object = std::make_unique<count>();
        release_elsewhere(*object);
        EXPECT_TRUE(destroyed.empty());
    });
    EXPECT_EQ(destroyed, std::vector<const count*>{object.get()});
}

TEST_F(biased_count, the_next_thread_takes_over_what_is_biased_toward_an_exited_one) {
    std::unique_ptr<count> object;
    in_another_thread([&] { object = std::make_unique<count>(); });
    in_another_thread([&] {
        count own;
        release(own);
        EXPECT_EQ(release(*object), release_outcome::expired_without_weak) << "as by the thread that made it";
    });
}

TEST_F(biased_count, what_was_left_is_merged_by_the_thread_that_releases_it) {
    count object;
    count::leave_thread();
    EXPECT_EQ(release_elsewhere(object), release_outcome::owned);
    EXPECT_EQ(destroyed, std::vector<const count*>{&object});
}

TEST_F(biased_count, a_merged_object_is_counted_by_all_threads_alike) {
    count object;
    object.acquire();
    object.merge();
    EXPECT_EQ(object.owners(), 2);
    EXPECT_EQ(release_elsewhere(object), release_outcome::owned);
    EXPECT_EQ(release_elsewhere(object), release_outcome::expired_without_weak);
}

TEST_F(biased_count, only_the_thread_that_made_an_object_merges_it) {
    count object;
    in_another_thread([&] { object.merge(); });
    EXPECT_EQ(release_elsewhere(object), release_outcome::owned);
    EXPECT_TRUE(destroyed.empty());
    count::merge_queued();
    EXPECT_EQ(destroyed.size(), 1U);
}

TEST_F(biased_count, the_maker_knows_that_it_is_alone) {
    count object;
    EXPECT_TRUE(object.is_sole());
    in_another_thread([&] { object.acquire(); });
    EXPECT_FALSE(object.is_sole());
    release_elsewhere(object);
    EXPECT_TRUE(object.is_sole());
}

TEST_F(biased_count, the_maker_is_not_alone_beside_a_weak_pointer) {
    count object;
    object.acquire_weak();
    EXPECT_FALSE(object.is_sole());
    EXPECT_FALSE(object.release_weak());
    EXPECT_TRUE(object.is_sole());
}

TEST_F(biased_count, another_thread_does_not_know_that_it_is_alone_before_the_merge) {
    count object;
    in_another_thread([&] {
        EXPECT_FALSE(object.is_sole());
        EXPECT_FALSE(object.try_expire());
    });
    object.merge();
    in_another_thread([&] {
        EXPECT_TRUE(object.is_sole());
        EXPECT_TRUE(object.try_expire());
    });
}

TEST_F(biased_count, too_many_owners_in_other_threads_make_the_object_immortal) {
    count object;
    in_another_thread([&] {
        const support::repeat repeated(most_elsewhere);
        object.acquire();
    });
    EXPECT_EQ(object.owners(), std::numeric_limits<long>::max());
    EXPECT_EQ(release(object), release_outcome::owned);
    EXPECT_EQ(release_elsewhere(object), release_outcome::owned);
    EXPECT_TRUE(object.try_acquire());
}

TEST_F(biased_count, too_many_owners_after_a_merge_make_the_object_immortal) {
    count object;
    object.merge();
    {
        const support::repeat repeated(most_elsewhere);
        object.acquire();
    }
    for (int i = 0; i < 10; ++i) EXPECT_EQ(release(object), release_outcome::owned);
    EXPECT_EQ(object.owners(), std::numeric_limits<long>::max());
}

TEST_F(biased_count, a_weak_pointer_that_locks_once_too_often_makes_the_object_immortal) {
    count object;
    in_another_thread([&] {
        {
            const support::repeat repeated(most_elsewhere - 1);
            object.acquire();
        }
        EXPECT_LT(object.owners(), std::numeric_limits<long>::max());
        EXPECT_TRUE(object.try_acquire());
        EXPECT_EQ(object.owners(), std::numeric_limits<long>::max());
        EXPECT_TRUE(object.try_acquire());
    });
}

TEST_F(biased_count, an_object_that_became_immortal_after_it_was_queued_stays_so) {
    count object;
    release_elsewhere(object);
    {
        const support::repeat repeated(most_elsewhere);
        object.acquire();
    }
    count::merge_queued();
    EXPECT_TRUE(destroyed.empty());
    EXPECT_EQ(object.owners(), std::numeric_limits<long>::max());
}

TEST_F(biased_count, too_many_weak_pointers_make_the_object_immortal) {
    count object;
    {
        const support::repeat repeated(count_word{1} << 27);
        object.acquire_weak();
    }
    EXPECT_EQ(object.owners(), std::numeric_limits<long>::max());
    EXPECT_EQ(release(object), release_outcome::owned);
    EXPECT_EQ(release_elsewhere(object), release_outcome::owned);
}
