// shared_count with sharded_counting: what is counted where. Orders of steps are tested in
// memory_model/sharded_counts.cpp.

#include <gtest/gtest.h>
#include <freehold/counting/biased_counting.hpp>
#include <freehold/counting/sharded_counting.hpp>

#include <cstddef>
#include <thread>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "support/thread_state.hpp"

using freehold::release_outcome;

namespace {

class sharded_count : public testing::Test {
protected:
    void SetUp() override { support::start_first_thread(); }

    template <class Work>
    static void in_another_thread(Work work) {
        std::thread(work).join();
    }

    freehold::shared_count<freehold::sharded_counting> count;
};

struct of_a_module : freehold::sharded_counting {
    static std::size_t shards() noexcept { return number; }

    static inline std::size_t number = 1;
};

}  // namespace

static_assert(freehold::counting_policy<freehold::sharded_counting>);
static_assert(freehold::sharded_policy<freehold::sharded_counting>);
static_assert(!freehold::sharded_policy<freehold::biased_counting>);
static_assert(!freehold::biased_policy<freehold::sharded_counting>);
static_assert(sizeof(freehold::shared_count<freehold::sharded_counting>) == 2 * sizeof(freehold::count_word));
static_assert(sizeof(freehold::detail::count_shards<freehold::sharded_counting>) == 64);

// First, as the others start threads.
TEST(sharded_count_alone, a_process_with_one_thread_opens_no_shards) {
    if (!freehold::detail::is_single_threaded()) GTEST_SKIP() << "the C library does not say so";
    freehold::shared_count<freehold::sharded_counting> count;
    EXPECT_FALSE(count.open());
    EXPECT_FALSE(count.acquire_copy());
    EXPECT_EQ(count.release_anchor(), release_outcome::owned);
}

TEST_F(sharded_count, a_copy_is_an_anchor_before_there_are_shards) {
    EXPECT_FALSE(count.acquire_copy());
    EXPECT_EQ(count.owners(), 2);
    EXPECT_EQ(count.release_anchor(), release_outcome::owned);
    EXPECT_EQ(count.release_anchor(), release_outcome::expired_without_weak);
}

TEST_F(sharded_count, weak_pointers_are_counted_beside_open_shards) {
    ASSERT_TRUE(count.open());
    count.acquire_weak();
    EXPECT_EQ(count.weak_pointers(), 1);
    EXPECT_FALSE(count.release_weak());
    EXPECT_EQ(count.weak_pointers(), 0);
}

TEST_F(sharded_count, a_copy_is_counted_in_a_shard) {
    ASSERT_TRUE(count.open());
    EXPECT_TRUE(count.acquire_copy());
    EXPECT_EQ(count.owners(), 2);
    EXPECT_EQ(count.release_copy(), release_outcome::owned);
    EXPECT_EQ(count.owners(), 1);
    EXPECT_EQ(count.release_anchor(), release_outcome::expired_without_weak);
}

TEST_F(sharded_count, one_of_several_anchors_is_released_by_an_exchange_alone) {
    count.acquire();
    EXPECT_TRUE(count.try_release_anchor());
    EXPECT_EQ(count.owners(), 1);
}

TEST_F(sharded_count, the_last_anchor_is_not_released_by_an_exchange_alone) {
    count.acquire_weak();
    EXPECT_FALSE(count.try_release_anchor()) << "it is the only owner";
    ASSERT_TRUE(count.open());
    EXPECT_TRUE(count.acquire_copy());
    EXPECT_FALSE(count.try_release_anchor()) << "it must close the shards";
    EXPECT_EQ(count.owners(), 2);
}

TEST_F(sharded_count, what_one_thread_counted_another_may_release) {
    ASSERT_TRUE(count.open());
    in_another_thread([this] { EXPECT_TRUE(count.acquire_copy()); });
    EXPECT_EQ(count.release_copy(), release_outcome::owned);
    EXPECT_EQ(count.owners(), 1);
    EXPECT_EQ(count.release_anchor(), release_outcome::expired_without_weak);
}

TEST_F(sharded_count, the_last_copy_destroys_the_object_when_the_anchors_have_gone) {
    ASSERT_TRUE(count.open());
    EXPECT_TRUE(count.acquire_copy());
    in_another_thread([this] { EXPECT_TRUE(count.acquire_copy()); });
    EXPECT_EQ(count.release_anchor(), release_outcome::owned);
    EXPECT_EQ(count.owners(), 2);
    EXPECT_EQ(count.release_copy(), release_outcome::owned);
    EXPECT_EQ(count.release_copy(), release_outcome::expired_without_weak);
}

TEST_F(sharded_count, shards_stay_open_while_there_is_another_anchor) {
    ASSERT_TRUE(count.open());
    count.acquire();
    EXPECT_EQ(count.release_anchor(), release_outcome::owned);
    EXPECT_TRUE(count.acquire_copy());
    EXPECT_EQ(count.release_copy(), release_outcome::owned);
    EXPECT_EQ(count.release_anchor(), release_outcome::expired_without_weak);
}

TEST_F(sharded_count, copies_are_counted_in_the_root_when_the_shards_are_closed) {
    ASSERT_TRUE(count.open());
    EXPECT_TRUE(count.acquire_copy());
    EXPECT_EQ(count.release_anchor(), release_outcome::owned);
    EXPECT_FALSE(count.acquire_copy());
    EXPECT_FALSE(count.open()) << "they are opened once";
    EXPECT_EQ(count.owners(), 2);
    EXPECT_EQ(count.release_anchor(), release_outcome::owned);
    EXPECT_EQ(count.release_copy(), release_outcome::expired_without_weak);
}

TEST_F(sharded_count, a_weak_pointer_locks_an_anchor) {
    ASSERT_TRUE(count.open());
    count.acquire_weak();
    EXPECT_TRUE(count.try_acquire());
    EXPECT_TRUE(count.acquire_copy());
    EXPECT_EQ(count.owners(), 3);
    EXPECT_EQ(count.release_anchor(), release_outcome::owned);
    EXPECT_EQ(count.release_anchor(), release_outcome::owned);
    EXPECT_EQ(count.release_copy(), release_outcome::expired_with_weak);
    EXPECT_FALSE(count.try_acquire());
    EXPECT_FALSE(count.release_weak());
    EXPECT_TRUE(count.release_weak());
}

TEST_F(sharded_count, the_last_anchor_leaves_weak_pointers_behind) {
    count.acquire_weak();
    EXPECT_EQ(count.release_anchor(), release_outcome::expired_with_weak);
    EXPECT_FALSE(count.release_weak());
    EXPECT_TRUE(count.release_weak());
}

TEST_F(sharded_count, who_asks_whether_it_is_alone_is_told_and_closes_the_shards) {
    ASSERT_TRUE(count.open());
    EXPECT_TRUE(count.acquire_copy());
    EXPECT_FALSE(count.is_sole());
    EXPECT_EQ(count.release_copy(), release_outcome::owned);
    EXPECT_TRUE(count.is_sole());
}

TEST_F(sharded_count, an_only_owner_can_expire) {
    ASSERT_TRUE(count.open());
    EXPECT_TRUE(count.acquire_copy());
    EXPECT_FALSE(count.try_expire());
    EXPECT_EQ(count.release_anchor(), release_outcome::owned);
    EXPECT_TRUE(count.try_expire());
    EXPECT_EQ(count.owners(), 0);
    EXPECT_TRUE(count.release_weak());
}

TEST_F(sharded_count, threads_that_take_turns_in_copying_get_shards) {
    bool was_counted_apart = false;
    for (int i = 0; i < 20; ++i) {
        in_another_thread([&] {
            if (count.acquire_copy()) was_counted_apart = true;
        });
    }
    EXPECT_TRUE(was_counted_apart || freehold::sharded_counting::shards() == 1);
    EXPECT_EQ(count.owners(), 21);
}

TEST_F(sharded_count, the_ninth_turn_opens_them) {
    if (freehold::sharded_counting::shards() == 1) GTEST_SKIP() << "one processor: threads may have the same number";
    EXPECT_FALSE(count.acquire_copy()) << "the thread that made it takes no turn";
    for (int turn = 1; turn <= 8; ++turn) {
        in_another_thread([this] { EXPECT_FALSE(count.acquire_copy()); });
    }
    in_another_thread([this] { EXPECT_TRUE(count.acquire_copy()); });
}

TEST_F(sharded_count, who_copies_alone_after_others_opens_none) {
    for (int turn = 1; turn <= 4; ++turn) {
        in_another_thread([this] { EXPECT_FALSE(count.acquire_copy()); });
    }
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(count.acquire_copy());
}

// A module that hides its symbols asks for itself.
TEST_F(sharded_count, who_opens_shards_decides_how_many_there_are) {
    freehold::shared_count<of_a_module> shared;
    of_a_module::number = 8;
    ASSERT_TRUE(shared.open());
    of_a_module::number = 1;
    for (int i = 0; i < 8; ++i) {
        in_another_thread([&shared] { EXPECT_TRUE(shared.acquire_copy()); });
    }
    EXPECT_EQ(shared.owners(), 9);
    EXPECT_EQ(shared.release_anchor(), release_outcome::owned);
    EXPECT_EQ(shared.owners(), 8);
}

TEST_F(sharded_count, a_thread_that_copies_alone_gets_none) {
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(count.acquire_copy());
    EXPECT_EQ(count.owners(), 101);
}

#ifdef __GLIBC__

TEST_F(sharded_count, closed_shards_end_with_the_count) {
    constexpr int many = 1000;
    const std::size_t before = ::mallinfo2().uordblks;
    for (int i = 0; i < many; ++i) {
        freehold::shared_count<freehold::sharded_counting> closed;
        ASSERT_TRUE(closed.open());
        closed.close();
    }
    EXPECT_LT(::mallinfo2().uordblks,
              before + many * sizeof(freehold::detail::count_shards<freehold::sharded_counting>));
}

#endif
