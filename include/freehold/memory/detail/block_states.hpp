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
    // What the slab has before its blocks.
    static constexpr std::size_t bytes = slab_bytes / granularity;

    // Returns: the block's state, if it was in use, and is not any more; else 0.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static std::uint8_t take_back(void* block) noexcept {
        const std::uint8_t state = state_in_use(block);
        if (state != 0) of(block).store(freed, std::memory_order_relaxed);
        return state;
    }

    // Returns: the block's state, or 0 if it is not in use.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static std::uint8_t state_in_use(const void* block) noexcept {
        if (reinterpret_cast<std::uintptr_t>(block) % granularity != 0) return 0;
        // relaxed, all: a thread learns of the block through what was synchronized when it was handed over
        const std::uint8_t state = of(block).load(std::memory_order_relaxed);
        return (state & (in_use | inside)) == in_use ? state : 0;
    }

    // Effects: notes that the last `rest` bytes of the block, which is in use, were not asked for. Requires: rest > 0.
    FREEHOLD_ALWAYS_INLINE static void set_rest(void* block, std::size_t rest) noexcept {
        std::atomic<std::uint8_t>* const states = &of(block);
        const std::size_t low = (rest - 1) % most_in_state;
        const std::size_t more = (rest - 1) / most_in_state;
        if (more == 0) [[likely]]
            return states[0].store(static_cast<std::uint8_t>(in_use + low), std::memory_order_relaxed);
        // The next bytes belong to places inside the block.
        const bool is_longer = more >= inside;
        states[1].store(static_cast<std::uint8_t>(inside | more), std::memory_order_relaxed);
        if (is_longer) states[2].store(static_cast<std::uint8_t>(inside | more / inside), std::memory_order_relaxed);
        const std::size_t state = in_use | has_more | (is_longer ? has_most : 0) | low;
        states[0].store(static_cast<std::uint8_t>(state), std::memory_order_relaxed);
    }

    // Returns: what was set last. Requires: this is the state of the block. No branch that is hard to predict depends
    // on the state: often it is in no cache, and a mispredicted branch would wait for it.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static std::size_t rest_of(const void* block, std::uint8_t state) noexcept {
        const std::atomic<std::uint8_t>* const states = &of(block);
        std::size_t more = states[1].load(std::memory_order_relaxed) % inside & (0 - std::size_t{state} / has_more % 2);
        if ((state & has_most) != 0) [[unlikely]]  // more than 2 KiB, for an alignment
            more += std::size_t{states[2].load(std::memory_order_relaxed)} % inside * inside;
        return state % most_in_state + 1U + more * most_in_state;
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
    // The state of a place is 0 where no block begins. In use, it has the lowest four bits of the length of the rest,
    // less one. Of a longer rest, seven more bits are in the next byte, and seven more in the one after it.
    static constexpr std::size_t most_in_state = 16;
    static constexpr std::uint8_t has_most = 16;
    static constexpr std::uint8_t has_more = 32;
    static constexpr std::uint8_t in_use = 64;
    static constexpr std::uint8_t inside = 128;  // such a byte is no state

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
