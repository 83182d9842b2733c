#include <gtest/gtest.h>
#include <freehold/pointers/atomic_shared_ptr.hpp>
#include <freehold/pointers/cached_snapshot.hpp>
#include <freehold/pointers/make_shared.hpp>

#include "support/tracked.hpp"

using freehold::atomic_shared_ptr;
using freehold::cached_snapshot;
using freehold::make_shared;

namespace {

struct object : support::tracked {
    explicit object(int initial) : value(initial) {}

    int value;
};

class cached_snapshot_test : public support::tracked_test {
protected:
    void TearDown() override {
        freehold::flush_deferred_releases();
        support::tracked_test::TearDown();
    }
};

}  // namespace

TEST_F(cached_snapshot_test, it_sees_each_value_that_is_stored) {
    atomic_shared_ptr<object> atomic;
    cached_snapshot cache(atomic);
    EXPECT_EQ(cache.get(), nullptr);
    for (int i = 0; i < 3; ++i) {
        atomic.store(make_shared<object>(i));
        EXPECT_EQ(cache->value, i);
        EXPECT_EQ((*cache).value, i);
    }
}

TEST_F(cached_snapshot_test, it_does_not_count) {
    const auto p = make_shared<object>(1);
    const atomic_shared_ptr<object> atomic(p);
    cached_snapshot cache(atomic);
    EXPECT_EQ(cache.get(), p.get());
    EXPECT_EQ(p.use_count(), 2);
    EXPECT_EQ(cache.share(), p);
}

TEST_F(cached_snapshot_test, it_keeps_the_last_value_until_it_is_reset) {
    atomic_shared_ptr<object> atomic(make_shared<object>(1));
    cached_snapshot cache(atomic);
    EXPECT_EQ(cache->value, 1);
    atomic.store(nullptr);
    freehold::flush_deferred_releases();
    EXPECT_EQ(support::tracked::destroyed(), 0);
    cache.reset();
    freehold::flush_deferred_releases();
    EXPECT_EQ(support::tracked::destroyed(), 1);
    EXPECT_EQ(cache.get(), nullptr);
}

// The new value may lie where the old one lay.
TEST_F(cached_snapshot_test, an_alias_is_read_where_it_points) {
    const auto owner = make_shared<object>(1);
    int values[2] = {7, 8};
    atomic_shared_ptr<int> atomic(freehold::shared_ptr<int>(owner, &values[0]));
    cached_snapshot cache(atomic);
    for (int i = 0; i < 100; ++i) {
        atomic.store(freehold::shared_ptr<int>(owner, &values[i % 2]));
        EXPECT_EQ(*cache, values[i % 2]);
        freehold::flush_deferred_releases();
    }
}
