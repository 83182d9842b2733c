// What all atomic pointers do is tested in contracts/atomic_pointer.

#include <gtest/gtest.h>
#include <freehold/pointers/atomic_thin_ptr.hpp>

#include "support/tracked.hpp"

namespace {

struct object : support::tracked {
    int value = 7;
};

class atomic_thin_ptr : public support::tracked_test {};

}  // namespace

TEST_F(atomic_thin_ptr, it_may_hold_what_cannot_be_changed) {
    freehold::atomic_thin_ptr<const object> atomic(freehold::make_thin<object>());
    EXPECT_EQ(atomic.snapshot()->value, 7);
    atomic.store(freehold::make_thin<const object>());
    EXPECT_EQ(atomic.load()->value, 7);
}

TEST_F(atomic_thin_ptr, it_counts_where_thin_pointers_count) {
    const auto owner = freehold::make_thin<object>();
    const freehold::atomic_thin_ptr<object> atomic(owner);
    EXPECT_EQ(owner.use_count(), 2);
    EXPECT_EQ(atomic.load().use_count(), 3);
}
