// What all atomic pointers do is tested in contracts/atomic_pointer.

#include <gtest/gtest.h>
#include <freehold/pointers/atomic_intrusive_ptr.hpp>

#include <atomic>

#include "support/tracked.hpp"

namespace {

// Counts itself, and is found by argument-dependent lookup.
struct object : support::tracked {
    friend void intrusive_ptr_add_ref(const object* counted) noexcept { ++counted->owners; }
    friend void intrusive_ptr_release(const object* counted) noexcept {
        if (--counted->owners == 0) delete counted;
    }

    mutable std::atomic<int> owners = 0;
};

class atomic_intrusive_ptr : public support::tracked_test {};

}  // namespace

TEST_F(atomic_intrusive_ptr, the_object_may_count_in_its_own_way) {
    auto* const made = new object;
    freehold::atomic_intrusive_ptr<object> atomic{freehold::intrusive_ptr<object>(made)};
    EXPECT_EQ(made->owners, 1);
    const freehold::intrusive_ptr<object> owner = atomic.snapshot().share();
    EXPECT_EQ(made->owners, 2);
    atomic.store(nullptr);
    freehold::flush_deferred_releases();
    EXPECT_EQ(made->owners, 1);
}

// The object is the identity: there is no other owner to compare.
TEST_F(atomic_intrusive_ptr, handles_of_one_object_are_equivalent) {
    auto* const made = new object;
    const freehold::intrusive_ptr<object> owner(made);
    freehold::atomic_intrusive_ptr<object> atomic(owner);
    freehold::intrusive_ptr<object> expected(made);
    EXPECT_TRUE(atomic.compare_exchange_strong(expected, nullptr));
}
