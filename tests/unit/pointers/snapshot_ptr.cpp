#include <gtest/gtest.h>
#include <freehold/pointers/atomic_shared_ptr.hpp>
#include <freehold/pointers/snapshot_ptr.hpp>

#include <array>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include <freehold/pointers/immortal.hpp>
#include <freehold/pointers/make_shared.hpp>

#include "support/tracked.hpp"

using freehold::atomic_shared_ptr;
using freehold::make_shared;
using freehold::shared_ptr;
using freehold::snapshot_ptr;

namespace {

struct base : support::tracked {
    explicit base(int initial) : first(initial), second(-initial) {}

    int first;
    int second;
};

class snapshot_ptr_test : public support::tracked_test {
protected:
    void TearDown() override {
        freehold::flush_deferred_releases();
        support::tracked_test::TearDown();
    }

    static int destroyed() { return support::tracked::destroyed(); }
};

}  // namespace

static_assert(!std::is_copy_constructible_v<snapshot_ptr<int>>);
static_assert(std::is_nothrow_move_constructible_v<snapshot_ptr<int>>);
static_assert(std::is_same_v<decltype(atomic_shared_ptr<int>().snapshot()), snapshot_ptr<int>>);

TEST_F(snapshot_ptr_test, it_reads_without_counting) {
    const auto p = make_shared<base>(7);
    const atomic_shared_ptr<base> atomic(p);
    const auto read = atomic.snapshot();
    EXPECT_EQ(read.get(), p.get());
    EXPECT_EQ(read->first, 7);
    EXPECT_EQ((*read).second, -7);
    EXPECT_EQ(p.use_count(), 2) << "here and in the atomic";
}

TEST_F(snapshot_ptr_test, the_object_lives_as_long_as_the_snapshot) {
    atomic_shared_ptr<base> atomic(make_shared<base>(1));
    auto read = atomic.snapshot();
    atomic.store(make_shared<base>(2));
    freehold::flush_deferred_releases();
    EXPECT_EQ(read->first, 1);
    EXPECT_EQ(destroyed(), 0);
    read.reset();
    freehold::flush_deferred_releases();
    EXPECT_EQ(destroyed(), 1);
}

TEST_F(snapshot_ptr_test, it_may_outlive_the_atomic) {
    snapshot_ptr<base> read;
    {
        const atomic_shared_ptr<base> atomic(make_shared<base>(1));
        read = atomic.snapshot();
    }
    EXPECT_EQ(read->first, 1);
    EXPECT_EQ(destroyed(), 0);
}

TEST_F(snapshot_ptr_test, of_a_null_pointer_it_is_null) {
    const atomic_shared_ptr<base> atomic;
    const auto read = atomic.snapshot();
    EXPECT_EQ(read, nullptr);
    EXPECT_FALSE(read);
    EXPECT_EQ(read.share(), nullptr);
}

TEST_F(snapshot_ptr_test, it_gives_an_owner) {
    atomic_shared_ptr<base> atomic(make_shared<base>(1));
    auto read = atomic.snapshot();
    const shared_ptr<base> owner = read.share();
    read.reset();
    atomic.store(nullptr);
    freehold::flush_deferred_releases();
    EXPECT_EQ(owner.use_count(), 1);
}

// More than a thread has slots for.
TEST_F(snapshot_ptr_test, there_may_be_any_number_of_them) {
    atomic_shared_ptr<base> atomic(make_shared<base>(1));
    {
        std::array<snapshot_ptr<base>, 20> reads;
        for (auto& each : reads) each = atomic.snapshot();
        atomic.store(make_shared<base>(2));
        freehold::flush_deferred_releases();
        for (const auto& each : reads) EXPECT_EQ(each->first, 1);
        EXPECT_EQ(destroyed(), 0);
    }
    freehold::flush_deferred_releases();
    EXPECT_EQ(destroyed(), 1);
}

TEST_F(snapshot_ptr_test, a_null_one_takes_no_others_slot) {
    const atomic_shared_ptr<base> empty;
    atomic_shared_ptr<base> atomic(make_shared<base>(1));
    auto null = std::optional(empty.snapshot());
    const auto read = atomic.snapshot();
    null.reset();
    atomic.store(nullptr);
    freehold::flush_deferred_releases();
    EXPECT_EQ(read->first, 1);
    EXPECT_EQ(destroyed(), 0);
}

TEST_F(snapshot_ptr_test, it_ends_in_another_thread_than_it_began) {
    atomic_shared_ptr<base> atomic(make_shared<base>(1));
    auto read = atomic.snapshot();
    atomic.store(nullptr);
    std::thread([moved = std::move(read)] { EXPECT_EQ(moved->first, 1); }).join();
    freehold::flush_deferred_releases();
    EXPECT_EQ(destroyed(), 1);
}

TEST_F(snapshot_ptr_test, it_outlives_the_thread_that_took_it) {
    atomic_shared_ptr<base> atomic(make_shared<base>(1));
    snapshot_ptr<base> read;
    std::thread([&] { read = atomic.snapshot(); }).join();
    atomic.store(nullptr);
    freehold::flush_deferred_releases();
    EXPECT_EQ(read->first, 1);
    read.reset();
    freehold::flush_deferred_releases();
    EXPECT_EQ(destroyed(), 1);
}

TEST_F(snapshot_ptr_test, a_moved_one_is_empty) {
    const atomic_shared_ptr<base> atomic(make_shared<base>(1));
    auto read = atomic.snapshot();
    const auto moved = std::move(read);
    EXPECT_EQ(read, nullptr);
    EXPECT_EQ(moved->first, 1);
}

TEST_F(snapshot_ptr_test, it_points_where_the_value_points) {
    const auto owner = make_shared<base>(3);
    int elsewhere = 5;
    atomic_shared_ptr<int> atomic(shared_ptr<int>(owner, &owner->second));
    EXPECT_EQ(atomic.snapshot().get(), &owner->second);
    atomic.store(shared_ptr<int>(owner, &elsewhere));
    EXPECT_EQ(atomic.snapshot().get(), &elsewhere);
    atomic.store(shared_ptr<int>(owner, nullptr));
    EXPECT_EQ(atomic.snapshot().get(), nullptr);
    EXPECT_TRUE(atomic.snapshot().share().owner_equal(owner));
    atomic.store(shared_ptr<int>(new int(9)));
    EXPECT_EQ(*atomic.snapshot(), 9);
}

TEST_F(snapshot_ptr_test, it_reads_an_array) {
    const atomic_shared_ptr<int[]> atomic(make_shared<int[]>(3, 7));
    EXPECT_EQ(atomic.snapshot()[2], 7);
}

TEST_F(snapshot_ptr_test, it_reads_what_is_of_no_type) {
    const auto p = make_shared<base>(1);
    const atomic_shared_ptr<void> atomic(p);
    EXPECT_EQ(atomic.snapshot().get(), p.get());
}

// While the process has one thread, as well.
TEST_F(snapshot_ptr_test, what_waited_for_it_is_released_by_a_later_store) {
    atomic_shared_ptr<base> atomic(make_shared<base>(1));
    auto read = atomic.snapshot();
    atomic.store(make_shared<base>(2));
    read.reset();
    for (int i = 0; i < 100 && destroyed() < 50; ++i) atomic.store(make_shared<base>(3));
    freehold::flush_deferred_releases();
    EXPECT_EQ(support::tracked::alive(), 1);
}
