#pragma once
// program: what the programs of this folder are written in. They run under GenMC, where UNDER_GENMC is defined, and
// under the checker otherwise.
//
// A program is a class with `threads`, run(thread) and, after the threads, finish(). It leaves what it has read in
// `seen`. Its memory orders may be parameters, orders[0] and so on, and all of one kind can be weakened.

#include <atomic>
#include <cstddef>
#include <cstdint>

#ifndef UNDER_GENMC
#include <memory>
#include <source_location>

#include "support/checked_atomic.hpp"
#endif

inline constexpr auto relaxed = std::memory_order_relaxed;
inline constexpr auto acquire = std::memory_order_acquire;
inline constexpr auto release = std::memory_order_release;
inline constexpr auto acq_rel = std::memory_order_acq_rel;
inline constexpr auto seq_cst = std::memory_order_seq_cst;

// What is weakened in the whole program: acquire or release to relaxed, or fences of the order S to acq_rel.
enum class weakening { none, acquires, releases, fences };

inline std::memory_order orders[4] = {relaxed, relaxed, relaxed, relaxed};
inline weakening weakened = weakening::none;

// The order that is left of each order, as std::memory_order numbers them. Tables, as GenMC stumbles over what its
// compiler makes of branches.
using orders_left = std::memory_order[4][6];
inline constexpr orders_left left_of_load = {
    {relaxed, acquire, acquire, relaxed, acquire, seq_cst},
    {relaxed, relaxed, relaxed, relaxed, relaxed, relaxed},
    {relaxed, acquire, acquire, relaxed, acquire, seq_cst},
    {relaxed, acquire, acquire, relaxed, acquire, seq_cst},
};
inline constexpr orders_left left_of_store = {
    {relaxed, relaxed, relaxed, release, release, seq_cst},
    {relaxed, relaxed, relaxed, release, release, seq_cst},
    {relaxed, relaxed, relaxed, relaxed, relaxed, relaxed},
    {relaxed, relaxed, relaxed, release, release, seq_cst},
};
inline constexpr orders_left left_of_update = {
    {relaxed, acquire, acquire, release, acq_rel, seq_cst},
    {relaxed, relaxed, relaxed, release, release, release},
    {relaxed, acquire, acquire, relaxed, acquire, acquire},
    {relaxed, acquire, acquire, release, acq_rel, seq_cst},
};
inline constexpr orders_left left_of_fence = {
    {relaxed, acquire, acquire, release, acq_rel, seq_cst},
    {relaxed, acquire, acquire, release, acq_rel, seq_cst},
    {relaxed, acquire, acquire, release, acq_rel, seq_cst},
    {relaxed, acquire, acquire, release, acq_rel, acq_rel},
};

[[nodiscard]] inline std::memory_order left_of(const orders_left& left, std::memory_order order) {
    return left[static_cast<int>(weakened)][static_cast<int>(order)];
}
[[nodiscard]] inline std::memory_order weakened_load(std::memory_order order) { return left_of(left_of_load, order); }
[[nodiscard]] inline std::memory_order weakened_store(std::memory_order order) { return left_of(left_of_store, order); }
[[nodiscard]] inline std::memory_order weakened_update(std::memory_order order) {
    return left_of(left_of_update, order);
}
[[nodiscard]] inline std::memory_order weakened_fence(std::memory_order order) { return left_of(left_of_fence, order); }

// For the compiler's __atomic operations.
[[nodiscard]] inline int weakened_load(int order) {
    return static_cast<int>(weakened_load(static_cast<std::memory_order>(order)));
}
[[nodiscard]] inline int weakened_store(int order) {
    return static_cast<int>(weakened_store(static_cast<std::memory_order>(order)));
}
[[nodiscard]] inline int weakened_update(int order) {
    return static_cast<int>(weakened_update(static_cast<std::memory_order>(order)));
}

inline thread_local int number_of_thread = 0;

#ifdef UNDER_GENMC

template <class T>
using tool_atomic = std::atomic<T>;

inline void fence(std::memory_order order) { std::atomic_thread_fence(weakened_fence(order)); }

extern "C" void __VERIFIER_assert_fail(const char* what, const char* file, int line) noexcept;

inline void expect(bool holds) {
    if (!holds) __VERIFIER_assert_fail("not as expected", __FILE__, __LINE__);
}

// Data that no two threads may access at once, if one of them writes.
template <class T>
class plain {
public:
    plain(T value = T()) : value_(value) {}
    [[nodiscard]] T get() const { return value_; }
    void set(T value) { value_ = value; }

private:
    T value_;
};

// An object that a thread ends.
template <class T>
class allocated {
public:
    [[nodiscard]] T& operator*() const { return *made_; }
    void end() {
        delete made_;
        is_ended_.set(true);
    }
    [[nodiscard]] bool is_ended() const { return is_ended_.get(); }

private:
    T* const made_ = new T;
    plain<bool> is_ended_ = false;
};

#else

template <class T>
using tool_atomic = support::checked_atomic<T>;

inline void fence(std::memory_order order) { support::checked_fence(weakened_fence(order)); }

inline bool is_as_expected = true;  // after the threads

inline void expect(bool holds) {
    if (holds) return;
    if (auto* const run = support::execution::mine()) return run->fail("not as expected");
    is_as_expected = false;
}

using support::plain;

template <class T>
class allocated {
public:
    allocated() = default;
    allocated(const allocated&) = delete;
    allocated& operator=(const allocated&) = delete;
    ~allocated() { std::allocator<T>().deallocate(made_, 1); }

    [[nodiscard]] T& operator*() const { return *made_; }
    void end() {
        std::destroy_at(made_);
        if (auto* const run = support::execution::mine())
            run->end_lifetime(made_, sizeof(T), std::source_location::current());
        is_ended_.set(true);
    }
    [[nodiscard]] bool is_ended() const { return is_ended_.get(); }

private:
    T* const made_ = std::construct_at(std::allocator<T>().allocate(1));
    plain<bool> is_ended_ = false;
};

#endif

template <class T>
class atomic {
public:
    using value_type = T;

    constexpr atomic() : atomic(T()) {}
    constexpr atomic(T value) : kept_(value) {}

    [[nodiscard]] T load(std::memory_order order = seq_cst) const { return kept_.load(weakened_load(order)); }
    void store(T value, std::memory_order order = seq_cst) { kept_.store(value, weakened_store(order)); }
    T exchange(T value, std::memory_order order = seq_cst) { return kept_.exchange(value, weakened_update(order)); }
    T fetch_add(T n, std::memory_order order = seq_cst) { return kept_.fetch_add(n, weakened_update(order)); }
    T fetch_sub(T n, std::memory_order order = seq_cst) { return kept_.fetch_sub(n, weakened_update(order)); }
    T fetch_or(T n, std::memory_order order = seq_cst) { return kept_.fetch_or(n, weakened_update(order)); }
    T fetch_and(T n, std::memory_order order = seq_cst) { return kept_.fetch_and(n, weakened_update(order)); }

    // GenMC knows no spurious failure.
    bool compare_exchange_weak(T& expected, T desired, std::memory_order success, std::memory_order failure) {
        return compare_exchange_strong(expected, desired, success, failure);
    }
    bool compare_exchange_weak(T& expected, T desired, std::memory_order order = seq_cst) {
        return compare_exchange_strong(expected, desired, order);
    }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order success, std::memory_order failure) {
        return kept_.compare_exchange_strong(expected, desired, weakened_update(success), weakened_load(failure));
    }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order order = seq_cst) {
        const std::memory_order failure = order == acq_rel ? acquire : order == release ? relaxed : order;
        return compare_exchange_strong(expected, desired, order, failure);
    }

private:
    tool_atomic<T> kept_;
};

// The halves of an asymmetric fence: a membarrier is no more than a fence in every thread.
struct fence_halves {
    void light() const noexcept { fence(seq_cst); }
    void heavy() noexcept { fence(seq_cst); }
};

// The Threading of the programs, of which none waits.
struct threading {
    template <class T>
    using atomic = ::atomic<T>;
    using fence = fence_halves;

    static constexpr int spins = 0;

    static void relax() {}
    static void yield() {}
    static void rest() {}
    static void sleep_while(const atomic<std::uint32_t>&, std::uint32_t) {}
    static void wake_sleepers(const atomic<std::uint32_t>&, int = 0) {}
};

struct program {
    // How far the checker goes; GenMC goes all the way.
    static constexpr std::size_t interruptions = static_cast<std::size_t>(-1);
    static constexpr std::size_t surprises = static_cast<std::size_t>(-1);

    int seen[4] = {};
    void finish() {}
};
