#pragma once
// What the pools do more if FREEHOLD_HARDENED is defined, in all files of a program or in none: the secret that hides
// their links, random numbers, and the end of a program whose heap is corrupt.
//
// The secret is the same in all modules of a process, since they use each other's pools. It is derived from what the
// system passes to each process, which needs no call of the system and no constructor.

#include "../../core/annotate.hpp"
#include "../../core/assert.hpp"

// Where abort_with() is called.
#if defined(FREEHOLD_HARDENED) || defined(FREEHOLD_ADDRESS_SANITIZER)
#define FREEHOLD_CHECKS_HEAP 1
#endif

#ifdef FREEHOLD_CHECKS_HEAP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/platform/errors.hpp"
#include "../../core/platform/process.hpp"

#endif

namespace freehold::detail {

#ifdef FREEHOLD_HARDENED
inline constexpr bool is_hardened = true;
#else
inline constexpr bool is_hardened = false;
#endif

#ifndef FREEHOLD_CHECKS_HEAP
// Not called, but named. NOLINTNEXTLINE(readability-redundant-declaration): errors.hpp may be included or not
[[noreturn]] void abort_with(const char* line) noexcept;
#endif

#ifndef FREEHOLD_HARDENED

// Effects: learns the secret, if the program is hardened.
inline void learn_heap_secret() noexcept {}

#else

// An odd number that is not known outside of the process, and its inverse modulo 2^64; 0 until they are known.
class heap_secret {
public:
    // relaxed, all: each thread that finds the numbers finds the same
    [[nodiscard]] std::uint64_t number() const noexcept { return number_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t inverse() const noexcept { return inverse_.load(std::memory_order_relaxed); }

    // Effects: finds the numbers if they are not known.
    void learn() noexcept {
        if (number() == 0) [[unlikely]]
            find();
    }

private:
    [[gnu::cold, gnu::noinline]] void find() noexcept {
        const std::uint64_t found = secret_of_process() | 1;
        std::uint64_t inverse = found;  // of the last three bits; each round doubles the number of them
        for (int round = 0; round < 5; ++round) inverse *= 2 - found * inverse;
        inverse_.store(inverse, std::memory_order_relaxed);
        number_.store(found, std::memory_order_relaxed);
    }

    std::atomic<std::uint64_t> number_ = 0;
    std::atomic<std::uint64_t> inverse_ = 0;
};

inline constinit heap_secret secret_of_heap;

// Each module has its own copy. Where blocks are allocated before this, it is learned on the slow path.
[[gnu::constructor(101), gnu::used]] inline void learn_heap_secret() noexcept { secret_of_heap.learn(); }

// Random numbers that an attacker without the secret cannot predict easily: xorshift.
class heap_random {
public:
    // Effects: brings the things into a random order.
    template <class Thing>
    void shuffle(Thing* first, std::size_t count) noexcept {
        for (std::size_t left = count; left > 1; --left) {
            std::swap(first[left - 1], first[below(static_cast<std::uint32_t>(left))]);
        }
    }

    // Returns: a number below n. Requires: 0 < n < 2^32.
    [[nodiscard]] std::uint32_t below(std::uint32_t n) noexcept {
        if (state_ == 0) state_ = (secret_of_heap.number() ^ reinterpret_cast<std::uintptr_t>(this)) | 1;
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<std::uint32_t>((state_ >> 32) * n >> 32);
    }

private:
    std::uint64_t state_ = 0;
};

#endif

}  // namespace freehold::detail

// FREEHOLD_HEAP_EXPECTS(condition, meaning, type): FREEHOLD_EXPECTS, which is also checked with NDEBUG in a hardened
// program and under AddressSanitizer.
#if defined(NDEBUG) && defined(FREEHOLD_CHECKS_HEAP)
#define FREEHOLD_HEAP_EXPECTS(condition, meaning, ...) \
    ((condition) ? static_cast<void>(0) : ::freehold::detail::abort_with(meaning))
#else
#define FREEHOLD_HEAP_EXPECTS FREEHOLD_EXPECTS
#endif
