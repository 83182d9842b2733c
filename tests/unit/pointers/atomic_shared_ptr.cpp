// What all atomic pointers do is tested in contracts/atomic_pointer; here, what only a pair of pointer and owner has.

#include <gtest/gtest.h>
#include <freehold/pointers/atomic_shared_ptr.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>

#include <freehold/pointers/immortal.hpp>
#include <freehold/pointers/make_shared.hpp>

#include "support/tracked.hpp"

using freehold::atomic_shared_ptr;
using freehold::atomic_weak_ptr;
using freehold::make_shared;
using freehold::shared_ptr;
using freehold::weak_ptr;

namespace {

struct object : support::tracked {
    explicit object(int initial = 0) : value(initial) {}

    int value;
};

class atomic_shared_ptr_test : public support::tracked_test {
protected:
    static int destroyed() { return support::tracked::destroyed(); }
};

constinit freehold::immortal<int> forty_two(42);

// Made before any code runs.
constinit atomic_shared_ptr<int> constant_initialized_with_null(nullptr);

}  // namespace

TEST_F(atomic_shared_ptr_test, one_that_is_constant_initialized_with_null_holds_nothing) {
    EXPECT_EQ(constant_initialized_with_null.load(), nullptr);
}

TEST_F(atomic_shared_ptr_test, a_load_is_one_owner_more) {
    const auto p = make_shared<object>(7);
    const atomic_shared_ptr<object> atomic(p);
    EXPECT_EQ(p.use_count(), 2);
    const shared_ptr<object> loaded = atomic.load();
    EXPECT_EQ(loaded, p);
    EXPECT_EQ(p.use_count(), 3);
    const shared_ptr<object> converted = atomic;
    EXPECT_EQ(converted, p);
}

TEST_F(atomic_shared_ptr_test, a_store_owns_the_new_value_and_releases_the_old_one) {
    atomic_shared_ptr<object> atomic(make_shared<object>(1));
    const auto second = make_shared<object>(2);
    atomic.store(second);
    EXPECT_EQ(destroyed(), 1);
    EXPECT_EQ(second.use_count(), 2);
    atomic.store(nullptr);
    EXPECT_EQ(atomic.load(), nullptr);
    atomic = second;
    EXPECT_EQ(atomic.load(), second);
    static_cast<void>(freehold::flush_deferred_releases());  // where it is not known that there is one thread
}

TEST_F(atomic_shared_ptr_test, an_exchange_gives_the_old_value_back_without_an_owner_more) {
    atomic_shared_ptr<object> atomic(make_shared<object>(1));
    auto p = make_shared<object>(2);
    const auto old = atomic.exchange(std::move(p));
    EXPECT_EQ(old->value, 1);
    EXPECT_EQ(old.use_count(), 1);
    EXPECT_EQ(atomic.load()->value, 2);
}

TEST_F(atomic_shared_ptr_test, compare_exchange_compares_the_pointer_with_the_owner_alike) {
    const auto owner = make_shared<object>(1);
    int elsewhere = 0;
    atomic_shared_ptr<int> atomic(shared_ptr<int>(owner, &owner->value));
    shared_ptr<int> expected(owner, &elsewhere);
    EXPECT_FALSE(atomic.compare_exchange_strong(expected, nullptr));
    EXPECT_EQ(expected.get(), &owner->value);
}

TEST_F(atomic_shared_ptr_test, compare_exchange_compares_the_owner_with_the_pointer_alike) {
    int value = 0;
    const auto first = make_shared<object>();
    const auto second = make_shared<object>();
    atomic_shared_ptr<int> atomic(shared_ptr<int>(first, &value));
    shared_ptr<int> expected(second, &value);
    EXPECT_FALSE(atomic.compare_exchange_strong(expected, nullptr));
    EXPECT_TRUE(expected.owner_equal(first));
    EXPECT_EQ(second.use_count(), 1);
}

TEST_F(atomic_shared_ptr_test, compare_exchange_compares_where_weak_pointers_of_one_owner_point) {
    const auto owner = make_shared<object>(1);
    int elsewhere = 0;
    const weak_ptr<int> inside = shared_ptr<int>(owner, &owner->value);
    const weak_ptr<int> outside = shared_ptr<int>(owner, &elsewhere);
    atomic_weak_ptr<int> atomic(inside);
    weak_ptr<int> expected = outside;
    EXPECT_FALSE(atomic.compare_exchange_strong(expected, {}));
    EXPECT_EQ(expected.lock().get(), &owner->value);
}

// [LWG 3195]
TEST_F(atomic_shared_ptr_test, weak_pointers_of_no_object_are_equivalent_wherever_their_owners_pointed) {
    int value = 0;
    const shared_ptr<int> pointing(shared_ptr<int>(), &value);
    atomic_weak_ptr<int> atomic(weak_ptr<int>{pointing});
    weak_ptr<int> expected;
    EXPECT_TRUE(atomic.compare_exchange_strong(expected, expected));
}

TEST_F(atomic_shared_ptr_test, an_alias_of_a_weak_pointer_of_no_object_is_equivalent_to_it) {
    int value = 0;
    const weak_ptr<int> weak;
    atomic_weak_ptr<int> atomic(weak_ptr<int>(weak, &value));
    weak_ptr<int> expected;
    EXPECT_TRUE(atomic.compare_exchange_strong(expected, weak));
    atomic = weak_ptr<int>(weak_ptr<int>(), &value);
    EXPECT_TRUE(atomic.compare_exchange_strong(expected, weak));
}

TEST_F(atomic_shared_ptr_test, two_atomics_may_be_stored_in_each_others_values) {
    struct node : support::tracked {
        atomic_shared_ptr<node> other;
    };
    const auto p = make_shared<node>();
    const auto q = make_shared<node>();
    p->other = q;
    q->other = p;
    EXPECT_EQ(p->other.load()->other.load(), p);
    p->other.store(nullptr);
}

TEST_F(atomic_shared_ptr_test, a_weak_pointer_is_loaded_stored_and_exchanged) {
    auto p = make_shared<object>(1);
    const auto q = make_shared<object>(2);
    atomic_weak_ptr<object> atomic{weak_ptr<object>(p)};
    EXPECT_EQ(atomic.load().lock(), p);
    atomic.store(q);
    EXPECT_EQ(atomic.load().lock(), q);
    EXPECT_EQ(atomic.exchange(p).lock(), q);
    p.reset();
    EXPECT_TRUE(atomic.load().expired());
    EXPECT_EQ(destroyed(), 1);
}

TEST_F(atomic_shared_ptr_test, an_expired_weak_pointer_is_compared_by_its_block) {
    auto p = make_shared<object>();
    const weak_ptr<object> weak = p;
    const weak_ptr<object> other = make_shared<object>();
    p.reset();
    atomic_weak_ptr<object> atomic(weak);
    weak_ptr<object> expected = other;
    EXPECT_FALSE(atomic.compare_exchange_strong(expected, {}));
    EXPECT_TRUE(expected.owner_equal(weak));
    EXPECT_TRUE(atomic.compare_exchange_strong(expected, {}));
    EXPECT_TRUE(atomic.load().owner_equal(weak_ptr<object>()));
}

TEST_F(atomic_shared_ptr_test, an_immortal_is_a_value_like_any_other) {
    atomic_shared_ptr<int> atomic(forty_two.share());
    auto expected = forty_two.share();
    EXPECT_EQ(*atomic.load(), 42);
    EXPECT_TRUE(atomic.compare_exchange_strong(expected, nullptr));
}

// A word has 16 bits for the distance.
TEST_F(atomic_shared_ptr_test, an_alias_points_as_far_into_its_object_as_it_was_made) {
    constexpr std::size_t most = 0xffff;
    const auto owner = make_shared<std::array<char, most + 3>>();
    for (const std::size_t place : {std::size_t{0}, std::size_t{1}, most - 1, most, most + 1, most + 2}) {
        char* const there = &(*owner)[place];
        const atomic_shared_ptr<char> atomic(shared_ptr<char>(owner, there));
        EXPECT_EQ(atomic.load().get(), there) << place;
        EXPECT_TRUE(atomic.load().owner_equal(owner)) << place;
    }
}

TEST_F(atomic_shared_ptr_test, the_record_of_an_alias_is_used_again) {
    auto& records = freehold::detail::atomic_pointers.aliases;
    freehold::detail::alias_record* const free = records.take();
    records.give_back(*free);
    int elsewhere = 0;
    atomic_shared_ptr<int> atomic(shared_ptr<int>(make_shared<object>(), &elsewhere));
    atomic.store(nullptr);
    freehold::flush_deferred_releases();
    EXPECT_EQ(records.take(), free);
    records.give_back(*free);
}

// A thread without slots of its own takes one of these. More threads than there are need not wait for each other.
TEST_F(atomic_shared_ptr_test, slots_that_all_threads_share_do_not_run_out) {
    auto& readers = freehold::detail::atomic_pointers;
    std::set<void*> claimed;
    for (int i = 0; i < 50; ++i) claimed.insert(&readers.claim_shared());
    EXPECT_EQ(claimed.size(), 50u);
    for (void* const slot : claimed) readers.unprotect(*static_cast<std::atomic<std::uintptr_t>*>(slot));
}

// Processors with five levels of page tables give a process addresses below 2^56, if it asks for them. A process of 32
// bits may have memory up to its last pages.
TEST_F(atomic_shared_ptr_test, the_highest_addresses_are_kept_whole) {
    using word_of = freehold::detail::shared_word<freehold::atomic_counting>;
    auto& aliases = freehold::detail::atomic_pointers.aliases;
    constexpr int highest = std::numeric_limits<std::uintptr_t>::digits == 64 ? 55 : 31;
    const std::uintptr_t block = 2 * (std::uintptr_t{1} << highest) - 4096;
    for (const std::uintptr_t object : {block + 16, block + 1024, block - 1024}) {
        const auto owner = word_of::handle::at(reinterpret_cast<void*>(block));
        const std::uintptr_t word = word_of::of(reinterpret_cast<void*>(object), owner, aliases);
        EXPECT_EQ(word_of::object(word), object);
        EXPECT_EQ(word_of::owner(word), owner);
        word_of::forget(word);
    }
}
