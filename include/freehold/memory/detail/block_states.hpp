#pragma once
// block_states: whether a block of a slab is in use, and how many of its bytes were not asked for, in a hardened
// program.
//
// The first bytes of a slab have one for each place where a block may begin; the header of the slab lies where those of
// its own bytes would be. So a block's byte is found without the header, and an address inside a block is not in use.
//
// Thread safety: any thread may call the functions for its own blocks. If two free a block at the same time, that may
// be missed. Cost: a sixteenth of a slab, or an eighth where sizes are 8 bytes apart.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../core/block_arithmetic.hpp"
#include "../../core/config.hpp"
#include "../../core/memcheck.hpp"
#include "hardening.hpp"

namespace freehold::inline v0_2::detail {

// Places are `granularity` bytes apart.
template <std::size_t granularity>
struct block_states {
    static constexpr std::size_t bytes = slab_bytes / granularity;

    // Returns: what a slab has before blocks of this size. The last state is no block's, but the byte before the first
    // one (byte_before.hpp): the smallest, which alone begin in the last place of a slab, begin a place later.
    [[nodiscard]] static constexpr std::size_t bytes_before(std::size_t block_bytes) noexcept {
        return bytes + (block_bytes == granularity ? granularity : 0);
    }

    // Returns: the block's state, if it was in use, and is not any more; else 0.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static std::uint8_t take_back(void* block) noexcept {
        const std::uint8_t state = state_in_use(block);
        if (state == 0) [[unlikely]]
            return 0;
        of(block).store(freed, std::memory_order_relaxed);
        return state;
    }

    // Returns: the block's state, or 0 if it is not in use.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static std::uint8_t state_in_use(const void* block) noexcept {
        if (reinterpret_cast<std::uintptr_t>(block) % granularity != 0) return 0;
        // relaxed, all: a thread learns of the block through what was synchronized when it was handed over
        const std::uint8_t state = of(block).load(std::memory_order_relaxed);
        if (static_cast<std::int8_t>(state) < in_use) [[unlikely]]
            return 0;
        return state;
    }

    // Effects: notes that the last `rest` bytes of the block, which is in use, were not asked for. Requires: 0 < rest,
    // and rest <= most_in_state or the block has 128 bytes or more.
    FREEHOLD_ALWAYS_INLINE static void set_rest(void* block, std::size_t rest) noexcept {
        std::atomic<std::uint8_t>* const states = &of(block);
        if (rest > most_in_state) [[unlikely]] {
            for (std::size_t i = 1; i != 1 + places_of_long; ++i, rest /= inside) {
                states[i].store(static_cast<std::uint8_t>(inside | rest % inside), std::memory_order_relaxed);
            }
        }
        states[0].store(static_cast<std::uint8_t>(in_use + rest), std::memory_order_relaxed);
    }

    // Returns: what was set last. Requires: this is the state of the block. Its branch is predicted: the state is often
    // in no cache, and a mispredicted branch would wait for it.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static std::size_t rest_of(const void* block, std::uint8_t state) noexcept {
        std::size_t rest = state - std::size_t{in_use};
        if (rest == 0) [[unlikely]] {
            const std::atomic<std::uint8_t>* const states = &of(block);
            for (std::size_t i = places_of_long; i != 0; --i) {
                rest = rest * inside + states[i].load(std::memory_order_relaxed) % inside;
            }
        }
        return rest;
    }

    // Effects: a block begins here, and is free.
    static void begin(void* block) noexcept { of(block).store(freed, std::memory_order_relaxed); }

    // Effects: notes that the block, which was in a list, is in use. Aborts if it is not a free block. Returns: the
    // state that it had.
    FREEHOLD_ALWAYS_INLINE static std::uint8_t hand_out(void* block) noexcept {
        const std::uint8_t before = state(block);
        if (!is_free(before)) [[unlikely]]
            abort_with("a list of free blocks leads to what is no free block");
        of(block).store(in_use, std::memory_order_relaxed);
        return before;
    }

    // The states of a free block: its ends are filled (block_canary.hpp), also its middle, or nothing is known of it.
    static constexpr std::uint8_t freed = 1;
    static constexpr std::uint8_t freed_filled = 2;
    static constexpr std::uint8_t freed_unknown = 3;

    // Effects: changes the state of a free block to another one of these.
    static void set_freed(void* block, std::uint8_t state) noexcept {
        of(block).store(state, std::memory_order_relaxed);
    }

    [[nodiscard]] static std::uint8_t state(const void* block) noexcept {
        return of(block).load(std::memory_order_relaxed);
    }

    // Returns: whether a block begins here that is free.
    [[nodiscard]] static bool is_freed(void* block) noexcept { return is_free(state(block)); }

    // Effects: no block begins anywhere in the slab.
    static void clear(void* slab, std::size_t header_bytes) noexcept {
        std::byte* const begin = static_cast<std::byte*>(slab) + header_bytes;
        tell_allocated(begin, bytes - header_bytes);
        std::memset(begin, 0, bytes - header_bytes);
    }

private:
    // The state of a place is 0 where no block begins. In use, it is in_use and the length of the rest: blocks of up to
    // 1 KiB have no longer one, unless they were resized or aligned. A longer rest is in the next bytes, which belong
    // to places inside the block, seven bits in each.
    static constexpr std::uint8_t in_use = 4;
    static constexpr std::size_t most_in_state = 123;
    static constexpr std::uint8_t inside = 128;  // from here on, a byte is no state
    static constexpr std::size_t places_of_long = 2;
    static_assert(std::size_t{inside} * inside > 8192);

    [[nodiscard]] static bool is_free(std::uint8_t state) noexcept {
        return static_cast<std::uint8_t>(state - freed) <= freed_unknown - freed;
    }

    [[nodiscard]] static std::atomic<std::uint8_t>& of(const void* block) noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(block);
        const std::uintptr_t slab = address & ~std::uintptr_t{slab_bytes - 1};
        return *reinterpret_cast<std::atomic<std::uint8_t>*>(slab + (address - slab) / granularity);
    }
};

}  // namespace freehold::detail
