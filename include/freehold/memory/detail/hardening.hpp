#pragma once
// What the pools do more if FREEHOLD_HARDENED is defined, in all files of a program or in none: the secret that hides
// their links, random numbers, and the end of a program whose heap is corrupt.
//
// The secret is the same in all modules of a process, since they use each other's pools. It is derived from what the
// system passes to each process, which needs no call of the system and no constructor.

#include <cstddef>
#include <cstdint>

#include "../../core/annotate.hpp"
#include "../../core/assert.hpp"

// Where abort_with() is called.
#if defined(FREEHOLD_HARDENED) || defined(FREEHOLD_ADDRESS_SANITIZER)
#define FREEHOLD_CHECKS_HEAP 1
#endif

// Of a function on the fast paths that does more in a hardened program, where a compiler would call it.
#ifdef FREEHOLD_HARDENED
#define FREEHOLD_INLINE_IF_HARDENED FREEHOLD_ALWAYS_INLINE
#else
#define FREEHOLD_INLINE_IF_HARDENED
#endif

#ifdef FREEHOLD_CHECKS_HEAP

#include <atomic>
#include <cstdio>
#include <utility>

#include "../../core/config.hpp"
#include "../../core/platform/errors.hpp"
#include "../../core/platform/process.hpp"

#endif

namespace freehold::inline v0_2::detail {

#ifndef FREEHOLD_CHECKS_HEAP
// Not called, but named. NOLINTNEXTLINE(readability-redundant-declaration): errors.hpp may be included or not
[[noreturn]] void abort_with(const char* line) noexcept;
#endif

#ifdef FREEHOLD_HARDENED  // elsewhere these classes are empty, and secret_of_process() does not exist

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
    FREEHOLD_COLD FREEHOLD_NOINLINE void find() noexcept {
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

// Effects: reports that the first bytes of a free block, where its link is, were written to, and aborts.
[[noreturn]] FREEHOLD_COLD FREEHOLD_NOINLINE inline void abort_at_link(const void* block) noexcept {
    char line[80];
    std::snprintf(line, sizeof(line), "a free block was written to: its first bytes at %p", block);
    abort_with(line);
}

// What makes the header of a slab genuine: no other memory, whose contents a program's input may be, has this.
class heap_seal {
public:
    void set() noexcept { word_ = genuine(); }

    [[nodiscard]] bool is_set() const noexcept { return word_ == genuine(); }

private:
    [[nodiscard]] std::uint64_t genuine() const noexcept {
        return (reinterpret_cast<std::uintptr_t>(this) | 1) * secret_of_heap.number();
    }

    std::uint64_t word_;
};

// Counts the blocks up to the next one that is due for a page of its own. The first is due, so that start() is called.
class guard_countdown {
public:
    // Returns: whether this block is due.
    [[nodiscard]] bool count() noexcept { return --left_ == 0; }

    [[nodiscard]] bool is_running() const noexcept { return is_started_ && left_ != 0; }

    // Effects: the next one is due after `distance` blocks. Returns: whether it had been started before.
    bool start(std::uint32_t distance) noexcept {
        left_ = distance;
        return std::exchange(is_started_, true);
    }

private:
    std::uint32_t left_ = 1;
    bool is_started_ = false;
};

#else

// In other programs these are empty and do nothing.

inline void learn_heap_secret() noexcept {}

[[noreturn]] void abort_at_link(const void* block) noexcept;  // not called, but named

struct heap_secret {
    [[nodiscard]] constexpr std::uint64_t number() const noexcept { return 1; }
    [[nodiscard]] constexpr std::uint64_t inverse() const noexcept { return 1; }
};

inline constexpr heap_secret secret_of_heap;

struct heap_random {
    template <class Thing>
    void shuffle(Thing*, std::size_t) noexcept {}
};

struct heap_seal {
    void set() noexcept {}
    [[nodiscard]] constexpr bool is_set() const noexcept { return true; }
};

struct guard_countdown {
    [[nodiscard]] constexpr bool count() noexcept { return false; }
};

#endif

// The address of the next free block, as it is stored in a free block.
//
// In a hardened program it is stored as a product of the secret. So a program that overwrites a free block, on purpose
// or not, leaves an address that is none, except in one of 2^19 cases: the next use of the block finds that.
template <class Block>
class free_link {
public:
    free_link() = default;

    // Requires: the link will be stored at `slot`.
    free_link(Block* next, const void* slot) noexcept : stored_(encoded(bits_of(next), slot)) {}

    // Returns: the next block. Requires: the link was stored at `slot`.
    FREEHOLD_INLINE_IF_HARDENED [[nodiscard]] Block* from(const void* slot) const noexcept {
        std::uintptr_t next = stored_;
        if constexpr (is_hardened) {
            next = ~(next * static_cast<std::uintptr_t>(secret_of_heap.inverse())) ^ bits_of(slot);
            if ((next & never_set) != 0) [[unlikely]]
                abort_at_link(slot);
        }
        return reinterpret_cast<Block*>(next);
    }

private:
    static constexpr std::uint64_t never_set = 0xFFFF'0000'0000'0007U;

    // The complement: a 0 in the block is no address. Not stored before it is encoded, which would be a store more.
    [[nodiscard]] static std::uintptr_t encoded(std::uintptr_t next, [[maybe_unused]] const void* slot) noexcept {
        if constexpr (is_hardened)
            return ~(next ^ bits_of(slot)) * static_cast<std::uintptr_t>(secret_of_heap.number());
        return next;
    }

    [[nodiscard]] static std::uintptr_t bits_of(const void* address) noexcept {
        return reinterpret_cast<std::uintptr_t>(address);
    }

    std::uintptr_t stored_;
};

// What a resource says of a block that is not one of its blocks of that size.
inline constexpr const char* freed_otherwise =
    "a block is freed with another size or alignment than it was allocated with, or comes from another resource";

}  // namespace freehold::detail

// FREEHOLD_HEAP_EXPECTS: FREEHOLD_EXPECTS, also with NDEBUG in a hardened program and under AddressSanitizer.
#if defined(NDEBUG) && defined(FREEHOLD_CHECKS_HEAP)
#define FREEHOLD_HEAP_EXPECTS(condition, meaning, ...) \
    ((condition) ? static_cast<void>(0) : ::freehold::detail::abort_with(meaning))
#else
#define FREEHOLD_HEAP_EXPECTS FREEHOLD_EXPECTS
#endif
