#pragma once
// The atomic pointers, and the fixtures of the suites that they pass: one for all, one for those that own.

#include <gtest/gtest.h>
#include <freehold/pointers/atomic_intrusive_ptr.hpp>
#include <freehold/pointers/atomic_shared_ptr.hpp>
#include <freehold/pointers/atomic_thin_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/ref_counted.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/contract.hpp"
#include "support/tracked.hpp"

namespace contracts {

// Its two halves are equal: who is given one must see it whole.
template <class Base>
struct pair_of_numbers : Base, support::tracked {
    explicit pair_of_numbers(int initial) : value(initial), again(initial) {}
    pair_of_numbers(const pair_of_numbers&) = delete;
    pair_of_numbers& operator=(const pair_of_numbers&) = delete;
    ~pair_of_numbers() {
        if (at_end) at_end();
        value = -1;
    }

    int value;
    int again;
    std::function<void()> at_end;
};

struct no_base {};

using object = pair_of_numbers<no_base>;

struct intrusive_object : pair_of_numbers<freehold::ref_counted<intrusive_object>> {
    using pair_of_numbers::pair_of_numbers;
};

// Of a pointer that owns.
struct owning {
    static auto owner(const auto& pointer) { return pointer; }
    static bool same(const auto& a, const auto& b) { return a == b; }
    static void forget() {}
};

struct shared : owning {
    static constexpr const char* name = "atomic_shared_ptr";

    using pointer = freehold::shared_ptr<object>;
    using atomic = freehold::atomic_shared_ptr<object>;

    static pointer make(int value) { return freehold::make_shared<object>(value); }
};

// Where the object is not behind its count: the atomic pointer keeps both in a record.
struct shared_elsewhere : shared {
    static constexpr const char* name = "atomic_shared_ptr_of_a_record";

    static pointer make(int value) { return pointer(new object(value)); }
};

struct intrusive : owning {
    static constexpr const char* name = "atomic_intrusive_ptr";

    using pointer = freehold::intrusive_ptr<intrusive_object>;
    using atomic = freehold::atomic_intrusive_ptr<intrusive_object>;

    static pointer make(int value) { return freehold::make_intrusive<intrusive_object>(value); }
};

struct thin : owning {
    static constexpr const char* name = "atomic_thin_ptr";

    using pointer = freehold::thin_ptr<object>;
    using atomic = freehold::atomic_thin_ptr<object>;

    static pointer make(int value) { return freehold::make_thin<object>(value); }
};

struct weak {
    static constexpr const char* name = "atomic_weak_ptr";

    using pointer = freehold::weak_ptr<object>;
    using atomic = freehold::atomic_weak_ptr<object>;

    // The test owns what it makes.
    static pointer make(int value) {
        const std::lock_guard lock(mutex);
        return owners.emplace_back(freehold::make_shared<object>(value));
    }

    static freehold::shared_ptr<object> owner(const pointer& watched) { return watched.lock(); }
    static bool same(const pointer& a, const pointer& b) { return a.owner_equal(b); }
    static void forget() { owners.clear(); }

    static inline std::mutex mutex;
    static inline std::vector<freehold::shared_ptr<object>> owners;
};

template <class Family>
class atomic_pointer : public support::tracked_test {
protected:
    using pointer = typename Family::pointer;
    using atomic = typename Family::atomic;

    static_assert(std::is_same_v<atomic, std::atomic<pointer>>);
    static_assert(std::is_same_v<typename atomic::value_type, pointer>);
    static_assert(atomic::is_always_lock_free && sizeof(atomic) == 3 * sizeof(void*));
    static_assert(!std::is_copy_constructible_v<atomic> && !std::is_copy_assignable_v<atomic>);
    static_assert(std::is_nothrow_default_constructible_v<atomic> && std::is_nothrow_constructible_v<atomic, pointer>);

    void TearDown() override {
        freehold::flush_deferred_releases();
        Family::forget();
        support::tracked_test::TearDown();
    }

    static int value(const pointer& p) { return Family::owner(p)->value; }
    static bool is_null(const pointer& p) { return Family::same(p, pointer()); }

    // Made before any code runs.
    static inline constinit atomic constant_initialized;
};

template <class Family>
class owning_atomic_pointer : public atomic_pointer<Family> {
protected:
    static int destroyed() {
        freehold::flush_deferred_releases();
        return support::tracked::destroyed();
    }
};

}  // namespace contracts

template <>
struct support::implementations<contracts::atomic_pointer> {
    using types = testing::Types<contracts::shared, contracts::shared_elsewhere, contracts::weak, contracts::intrusive,
                                 contracts::thin>;
};

template <>
struct support::implementations<contracts::owning_atomic_pointer> {
    using types = testing::Types<contracts::shared, contracts::shared_elsewhere, contracts::intrusive, contracts::thin>;
};
