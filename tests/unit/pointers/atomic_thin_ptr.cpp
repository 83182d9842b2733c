#include <gtest/gtest.h>
#include <freehold/pointers/atomic_thin_ptr.hpp>

#include <atomic>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "support/tracked.hpp"

using freehold::atomic_thin_ptr;
using freehold::make_thin;
using freehold::thin_ptr;

namespace {

struct object : support::tracked {
    explicit object(int initial) : value(initial) {}

    int value;
};

class atomic_thin_ptr_test : public support::tracked_test {
protected:
    void TearDown() override {
        freehold::flush_deferred_releases();
        support::tracked_test::TearDown();
    }
};

constinit atomic_thin_ptr<object> constant_initialized;

}  // namespace

static_assert(std::is_same_v<atomic_thin_ptr<object>, std::atomic<thin_ptr<object>>>);
static_assert(atomic_thin_ptr<object>::is_always_lock_free);

TEST_F(atomic_thin_ptr_test, one_that_is_constant_initialized_holds_nothing) {
    EXPECT_EQ(constant_initialized.load(), nullptr);
    EXPECT_EQ(constant_initialized.snapshot(), nullptr);
}

TEST_F(atomic_thin_ptr_test, it_is_loaded_stored_and_exchanged) {
    const auto p = make_thin<object>(1);
    const auto q = make_thin<object>(2);
    atomic_thin_ptr<object> atomic(p);
    EXPECT_EQ(atomic.load(), p);
    atomic.store(q);
    EXPECT_EQ(atomic.snapshot().get(), q.get());
    EXPECT_EQ(atomic.exchange(p), q);
    EXPECT_EQ(atomic.load()->value, 1);
    atomic = nullptr;
    EXPECT_EQ(atomic.load(), nullptr);
}

TEST_F(atomic_thin_ptr_test, compare_exchange_replaces_what_is_as_expected_or_tells_what_is_there) {
    const auto p = make_thin<object>(1);
    const auto q = make_thin<object>(2);
    atomic_thin_ptr<object> atomic(p);
    auto expected = q;
    EXPECT_FALSE(atomic.compare_exchange_strong(expected, nullptr));
    EXPECT_EQ(expected, p);
    EXPECT_TRUE(atomic.compare_exchange_strong(expected, q));
    EXPECT_EQ(atomic.load(), q);
}

TEST_F(atomic_thin_ptr_test, a_snapshot_keeps_the_object_alive) {
    atomic_thin_ptr<object> atomic(make_thin<object>(1));
    auto read = atomic.snapshot();
    atomic.store(nullptr);
    freehold::flush_deferred_releases();
    EXPECT_EQ(read->value, 1);
    EXPECT_EQ(support::tracked::destroyed(), 0);
    const thin_ptr<object> owner = read.share();
    read.reset();
    freehold::flush_deferred_releases();
    EXPECT_EQ(support::tracked::destroyed(), 0);
}

TEST_F(atomic_thin_ptr_test, its_destructor_releases_the_value) {
    {
        const atomic_thin_ptr<object> atomic(make_thin<object>(1));
    }
    freehold::flush_deferred_releases();
    EXPECT_EQ(support::tracked::destroyed(), 1);
}
