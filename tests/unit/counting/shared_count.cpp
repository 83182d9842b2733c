// What happens when a count is full is tested in shared_count_limits.cpp.

#include <gtest/gtest.h>
#include <freehold/counting/atomic_counting.hpp>
#include <freehold/counting/biased_counting.hpp>
#include <freehold/counting/plain_counting.hpp>
#include <freehold/counting/shared_count.hpp>
#include <freehold/interop/detail/process_shared_counting.hpp>

#include <string>
#include <type_traits>

#include "support/thread_state.hpp"

using freehold::release_outcome;

namespace {

struct plain : freehold::plain_counting {
    static constexpr const char* name = "plain_counting";
    static void begin() {}
};

struct atomic : freehold::atomic_counting {
    static constexpr const char* name = "atomic_counting";
    static void begin() {}
};

struct atomic_with_threads : freehold::atomic_counting {
    static constexpr const char* name = "atomic_counting_with_threads";
    static void begin() { support::start_first_thread(); }
};

struct biased : freehold::biased_counting {
    static constexpr const char* name = "biased_counting";
    static void begin() { support::start_first_thread(); }
};

struct process_shared : freehold::detail::process_shared_counting {
    static constexpr const char* name = "process_shared_counting";
    static void begin() {}
};

template <class Counting>
class shared_count : public testing::Test {
protected:
    void SetUp() override { Counting::begin(); }

    // Returns: what the release of one owner leaves.
    release_outcome release() {
        auto outcome = release_outcome::owned;
        count.release([&]() noexcept { outcome = count.resolve_release(); });
        return outcome;
    }

    freehold::shared_count<Counting> count;
};

struct policy_name {
    template <class Policy>
    static std::string GetName(int) {
        return Policy::name;
    }
};

using policies = testing::Types<plain, atomic, atomic_with_threads, process_shared, biased>;
TYPED_TEST_SUITE(shared_count, policies, policy_name);

}  // namespace

// Nothing is queued in these tests.
template <>
struct freehold::destruction_of_merged<biased> {
    static void run(shared_count<biased>&) { ADD_FAILURE(); }
};

static_assert(sizeof(freehold::shared_count<freehold::atomic_counting>) == 8);
static_assert(!std::is_copy_constructible_v<freehold::shared_count<freehold::atomic_counting>>);

TYPED_TEST(shared_count, it_is_one_word_that_no_cache_line_splits_or_two_and_an_address) {
    const bool is_biased = freehold::biased_policy<TypeParam>;
    EXPECT_EQ(sizeof(this->count), (is_biased ? 3 : 1) * sizeof(freehold::count_word));
    EXPECT_EQ(alignof(freehold::shared_count<TypeParam>), sizeof(freehold::count_word));
}

TYPED_TEST(shared_count, it_begins_with_one_owner_and_no_weak_pointer) {
    EXPECT_EQ(this->count.owners(), 1);
    EXPECT_TRUE(this->count.is_sole());
}

TYPED_TEST(shared_count, owners_are_counted) {
    for (int i = 2; i <= 5; ++i) {
        this->count.acquire();
        EXPECT_EQ(this->count.owners(), i);
    }
    for (int i = 4; i >= 1; --i) {
        EXPECT_EQ(this->release(), release_outcome::owned);
        EXPECT_EQ(this->count.owners(), i);
    }
}

TYPED_TEST(shared_count, the_last_release_destroys_an_object_without_weak_pointers) {
    EXPECT_EQ(this->release(), release_outcome::expired_without_weak);
    EXPECT_EQ(this->count.owners(), 0);
}

TYPED_TEST(shared_count, the_last_release_leaves_weak_pointers_behind) {
    this->count.acquire_weak();
    EXPECT_EQ(this->release(), release_outcome::expired_with_weak);
    EXPECT_EQ(this->count.owners(), 0);
    EXPECT_FALSE(this->count.release_weak()) << "while there is another weak pointer";
    EXPECT_TRUE(this->count.release_weak());
}

TYPED_TEST(shared_count, only_the_last_weak_pointer_of_an_expired_object_says_so) {
    for (int i = 0; i < 3; ++i) this->count.acquire_weak();
    EXPECT_EQ(this->release(), release_outcome::expired_with_weak);
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(this->count.release_weak());
    EXPECT_TRUE(this->count.release_weak());
}

TYPED_TEST(shared_count, weak_pointers_released_before_the_owners_leave_nothing_behind) {
    this->count.acquire_weak();
    this->count.acquire_weak();
    EXPECT_FALSE(this->count.release_weak());
    EXPECT_FALSE(this->count.release_weak());
    EXPECT_EQ(this->release(), release_outcome::expired_without_weak);
}

TYPED_TEST(shared_count, weak_pointers_are_no_owners) {
    this->count.acquire_weak();
    EXPECT_EQ(this->count.owners(), 1);
    EXPECT_FALSE(this->count.is_sole());
    EXPECT_FALSE(this->count.release_weak());
    EXPECT_TRUE(this->count.is_sole());
}

TYPED_TEST(shared_count, one_of_several_owners_is_not_sole) {
    this->count.acquire();
    EXPECT_FALSE(this->count.is_sole());
    EXPECT_EQ(this->release(), release_outcome::owned);
    EXPECT_TRUE(this->count.is_sole());
}

TYPED_TEST(shared_count, a_living_object_can_be_acquired_by_a_weak_pointer) {
    this->count.acquire_weak();
    EXPECT_TRUE(this->count.try_acquire());
    EXPECT_EQ(this->count.owners(), 2);
}

TYPED_TEST(shared_count, an_expired_object_can_not_be_acquired) {
    this->count.acquire_weak();
    EXPECT_EQ(this->release(), release_outcome::expired_with_weak);
    EXPECT_FALSE(this->count.try_acquire());
    EXPECT_FALSE(this->count.release_weak());
    EXPECT_FALSE(this->count.try_acquire()) << "the last weak pointer asks";
    EXPECT_EQ(this->count.owners(), 0);
}

TYPED_TEST(shared_count, an_expired_object_can_get_more_weak_pointers) {
    this->count.acquire_weak();
    EXPECT_EQ(this->release(), release_outcome::expired_with_weak);
    this->count.acquire_weak();
    EXPECT_FALSE(this->count.release_weak());
    EXPECT_FALSE(this->count.release_weak());
    EXPECT_TRUE(this->count.release_weak());
}

TYPED_TEST(shared_count, counts_weak_pointers_apart_from_owners) {
    EXPECT_EQ(this->count.weak_pointers(), 0);
    this->count.acquire_weak();
    this->count.acquire();
    EXPECT_EQ(this->count.weak_pointers(), 1);
}

TYPED_TEST(shared_count, counts_the_weak_pointers_of_an_expired_object) {
    this->count.acquire_weak();
    EXPECT_EQ(this->release(), release_outcome::expired_with_weak);
    EXPECT_FALSE(this->count.release_weak());
    EXPECT_EQ(this->count.weak_pointers(), 1);
}

TYPED_TEST(shared_count, an_only_owner_expires_without_a_release) {
    this->count.expire();
    EXPECT_EQ(this->count.owners(), 0);
    EXPECT_FALSE(this->count.try_acquire());
    this->count.acquire_weak();
    EXPECT_FALSE(this->count.release_weak());
    EXPECT_TRUE(this->count.release_weak());
}

TYPED_TEST(shared_count, an_only_owner_can_expire_with_and_without_weak_pointers) {
    this->count.acquire_weak();
    EXPECT_TRUE(this->count.try_expire());
    EXPECT_EQ(this->count.owners(), 0);
    EXPECT_FALSE(this->count.try_acquire());
    EXPECT_FALSE(this->count.release_weak()) << "while there is another weak pointer";
    EXPECT_TRUE(this->count.release_weak());
}

TYPED_TEST(shared_count, one_of_several_owners_can_not_expire) {
    this->count.acquire();
    EXPECT_FALSE(this->count.try_expire());
    EXPECT_EQ(this->count.owners(), 2);
    EXPECT_EQ(this->release(), release_outcome::owned);
    EXPECT_TRUE(this->count.try_expire());
    EXPECT_FALSE(this->count.try_expire()) << "an expired count does not expire again";
}

TYPED_TEST(shared_count, an_object_may_have_weak_pointers_before_its_first_owner) {
    this->count.expire();
    this->count.acquire_weak();
    EXPECT_FALSE(this->count.try_acquire());
    this->count.acquire_first();
    EXPECT_EQ(this->count.owners(), 1);
    EXPECT_TRUE(this->count.try_acquire());
    EXPECT_EQ(this->release(), release_outcome::owned);
    EXPECT_FALSE(this->count.release_weak());
    EXPECT_FALSE(this->count.release_weak());
    EXPECT_TRUE(this->count.is_sole());
    EXPECT_EQ(this->release(), release_outcome::expired_without_weak);
}
