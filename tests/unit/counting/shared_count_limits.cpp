// shared_count when a count is full: the object must never expire, and an expired one must never live again.
//
// As 2^35 copies take long, one call stands for many of them: see support/repeated_counting.hpp.

#include <gtest/gtest.h>
#include <freehold/counting/atomic_counting.hpp>
#include <freehold/counting/plain_counting.hpp>
#include <freehold/counting/shared_count.hpp>
#include <freehold/interop/detail/process_shared_counting.hpp>

#include <limits>
#include <string>

#include "support/repeated_counting.hpp"
#include "support/thread_state.hpp"

using freehold::count_word;
using freehold::release_outcome;

namespace {

// What the header says: 36 bits for owners - 1, with a sign; 28 bits for weak pointers, half of which may be used.
constexpr count_word most_owners = count_word{1} << 35;
constexpr count_word many_weak = count_word{1} << 27;
constexpr long for_ever = std::numeric_limits<long>::max();

struct plain : support::repeated_counting<freehold::plain_counting> {
    static constexpr const char* name = "plain_counting";
    static void begin() {}
};

struct atomic : support::repeated_counting<freehold::atomic_counting> {
    static constexpr const char* name = "atomic_counting";
    static void begin() {}
};

struct atomic_with_threads : support::repeated_counting<freehold::atomic_counting> {
    static constexpr const char* name = "atomic_counting_with_threads";
    static void begin() { support::start_first_thread(); }
};

struct process_shared : support::repeated_counting<freehold::detail::process_shared_counting> {
    static constexpr const char* name = "process_shared_counting";
    static void begin() {}
};

template <class Counting>
class shared_count_limits : public testing::Test {
protected:
    void SetUp() override {
        if (sizeof(long) == 4) GTEST_SKIP() << "the number of owners is a long, which is full earlier";
        Counting::begin();
    }

    void acquire(count_word times = 1) {
        const support::repeat repeated(times);
        count.acquire();
    }

    release_outcome release(count_word times = 1) {
        const support::repeat repeated(times);
        auto outcome = release_outcome::owned;
        count.release([&]() noexcept { outcome = count.resolve_release(); });
        return outcome;
    }

    void acquire_weak(count_word times) {
        const support::repeat repeated(times);
        count.acquire_weak();
    }

    bool release_weak(count_word times = 1) {
        const support::repeat repeated(times);
        return count.release_weak();
    }

    // Effects: expects that the object does not expire, however many owners are released, and can be locked meanwhile.
    void expect_immortal() {
        for (int i = 0; i < 100; ++i) {
            EXPECT_EQ(release(most_owners / 4), release_outcome::owned);
            EXPECT_EQ(release(), release_outcome::owned);
            EXPECT_TRUE(count.try_acquire());
            EXPECT_EQ(count.owners(), for_ever);
            EXPECT_FALSE(count.is_sole());
            EXPECT_FALSE(release_weak());
        }
    }

    freehold::shared_count<Counting> count;
};

struct policy_name {
    template <class Policy>
    static std::string GetName(int) {
        return Policy::name;
    }
};

using policies = testing::Types<plain, atomic, atomic_with_threads, process_shared>;
TYPED_TEST_SUITE(shared_count_limits, policies, policy_name);

}  // namespace

TYPED_TEST(shared_count_limits, as_many_owners_as_there_is_room_for_are_counted) {
    this->acquire(most_owners - 1);
    EXPECT_EQ(this->count.owners(), static_cast<long>(most_owners));
    EXPECT_EQ(this->release(most_owners - 1), release_outcome::owned);
    EXPECT_EQ(this->count.owners(), 1);
    EXPECT_EQ(this->release(), release_outcome::expired_without_weak);
}

TYPED_TEST(shared_count_limits, the_owners_do_not_spill_into_the_weak_pointers) {
    this->acquire(most_owners - 1);
    this->count.acquire_weak();
    EXPECT_EQ(this->release(most_owners - 1), release_outcome::owned);
    EXPECT_EQ(this->release(), release_outcome::expired_with_weak);
    EXPECT_FALSE(this->release_weak());
    EXPECT_TRUE(this->release_weak());
}

// An owner more than there is room for. The plain policy finds out when one of the owners beyond the limit leaves.
TYPED_TEST(shared_count_limits, too_many_owners_make_the_object_immortal) {
    this->acquire(most_owners - 1);
    this->acquire();
    this->acquire();
    EXPECT_EQ(this->release(), release_outcome::owned);
    this->expect_immortal();
}

TYPED_TEST(shared_count_limits, releases_one_by_one_do_not_destroy_an_immortal_object) {
    this->acquire(most_owners - 1);
    for (int i = 0; i < 1000; ++i) this->acquire();
    for (int i = 0; i < 2000; ++i) ASSERT_EQ(this->release(), release_outcome::owned);
    EXPECT_EQ(this->count.owners(), for_ever);
}

TYPED_TEST(shared_count_limits, an_owner_too_many_by_try_acquire_never_destroys_the_object) {
    this->acquire(most_owners - 1);
    this->count.acquire_weak();
    // Three weak pointers are locked and the owners released: the earlier owners are all counted.
    ASSERT_TRUE(this->count.try_acquire());
    ASSERT_TRUE(this->count.try_acquire());
    ASSERT_TRUE(this->count.try_acquire());
    for (int i = 0; i < 3; ++i) ASSERT_EQ(this->release(), release_outcome::owned);
    ASSERT_EQ(this->release(most_owners - 2), release_outcome::owned);
    EXPECT_EQ(this->release(), release_outcome::owned) << "the object expires while it has an owner";
}

TYPED_TEST(shared_count_limits, a_lock_between_owners_beyond_the_limit_is_not_taken_from_them) {
    this->acquire(most_owners - 1);
    this->acquire();
    this->count.acquire_weak();
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(this->count.try_acquire());
        ASSERT_EQ(this->release(), release_outcome::owned);
    }
    ASSERT_EQ(this->release(most_owners - 1), release_outcome::owned);
    ASSERT_EQ(this->release(), release_outcome::owned) << "the object expires while it has an owner";
}

TYPED_TEST(shared_count_limits, a_count_of_owners_that_is_not_quite_full_recovers) {
    this->acquire(most_owners - 1);
    for (int i = 0; i < 10; ++i) {
        ASSERT_EQ(this->release(), release_outcome::owned);
        ASSERT_TRUE(this->count.try_acquire());
    }
    EXPECT_EQ(this->count.owners(), static_cast<long>(most_owners));
}

TYPED_TEST(shared_count_limits, many_weak_pointers_are_counted) {
    this->acquire_weak(many_weak - 2);
    EXPECT_EQ(this->count.owners(), 1);
    EXPECT_EQ(this->release(), release_outcome::expired_with_weak);
    EXPECT_FALSE(this->release_weak(many_weak - 2));
    EXPECT_TRUE(this->release_weak());
}

TYPED_TEST(shared_count_limits, too_many_weak_pointers_make_the_object_immortal) {
    this->acquire_weak(many_weak);
    EXPECT_EQ(this->count.owners(), for_ever);
    this->expect_immortal();
}

TYPED_TEST(shared_count_limits, weak_pointers_made_and_released_do_not_destroy_an_immortal_object) {
    this->acquire_weak(many_weak);
    for (int i = 0; i < 50; ++i) {
        ASSERT_FALSE(this->release_weak(many_weak / 2));
        this->acquire_weak(many_weak / 2);
    }
    this->expect_immortal();
}

TYPED_TEST(shared_count_limits, an_expired_object_with_too_many_weak_pointers_never_lives_again) {
    this->count.acquire_weak();
    ASSERT_EQ(this->release(), release_outcome::expired_with_weak);
    for (int i = 0; i < 50; ++i) {
        this->acquire_weak(many_weak - 1);
        EXPECT_EQ(this->count.owners(), 0);
        EXPECT_FALSE(this->count.try_acquire());
    }
}

TYPED_TEST(shared_count_limits, the_memory_of_an_expired_object_with_too_many_weak_pointers_is_never_freed) {
    this->count.acquire_weak();
    ASSERT_EQ(this->release(), release_outcome::expired_with_weak);
    this->acquire_weak(many_weak);
    for (int i = 0; i < 50; ++i) {
        EXPECT_FALSE(this->release_weak(many_weak / 2));
        EXPECT_FALSE(this->release_weak());
    }
    EXPECT_FALSE(this->count.try_acquire());
}

TYPED_TEST(shared_count_limits, an_immortal_object_can_not_expire_by_other_means) {
    this->acquire_weak(many_weak);
    EXPECT_FALSE(this->count.try_expire());
    EXPECT_FALSE(this->count.is_sole());
    this->expect_immortal();
}
