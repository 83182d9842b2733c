#pragma once
// block_states: whether a block of a slab is in use, in a hardened program.
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
#include "../../core/memcheck.hpp"
#include "hardening.hpp"

namespace freehold::detail {

// Places are `granularity` bytes apart.
template <std::size_t granularity>
struct block_states {
    // What the slab has before its blocks.
    static constexpr std::size_t bytes = slab_bytes / granularity;

    // Returns: whether the block was in use, and is not any more.
    [[nodiscard]] static bool take_back(void* block) noexcept {
        if (reinterpret_cast<std::uintptr_t>(block) % granularity != 0) return false;
        std::atomic<std::uint8_t>& state = of(block);
        // relaxed, all: a thread learns of the block through what was synchronized when it was handed over
        if (state.load(std::memory_order_relaxed) != in_use) return false;
        state.store(freed, std::memory_order_relaxed);
        return true;
    }

    // Effects: a block begins here, and is free.
    static void begin(void* block) noexcept { of(block).store(freed, std::memory_order_relaxed); }

    // Effects: notes that the block, which was in a list, is in use. Aborts if it is not a free block.
    static void hand_out(void* block) noexcept {
        std::atomic<std::uint8_t>& state = of(block);
        if (state.load(std::memory_order_relaxed) != freed) [[unlikely]]
            abort_with("a list of free blocks leads to what is no free block");
        state.store(in_use, std::memory_order_relaxed);
    }

    [[nodiscard]] static bool is_in_use(void* block) noexcept {
        return reinterpret_cast<std::uintptr_t>(block) % granularity == 0 &&
               of(block).load(std::memory_order_relaxed) == in_use;
    }

    // Returns: whether a block begins here that is free.
    [[nodiscard]] static bool is_freed(void* block) noexcept {
        return of(block).load(std::memory_order_relaxed) == freed;
    }

    // Effects: no block begins anywhere in the slab.
    static void clear(void* slab, std::size_t header_bytes) noexcept {
        std::byte* const begin = static_cast<std::byte*>(slab) + header_bytes;
        tell_allocated(begin, bytes - header_bytes);
        std::memset(begin, 0, bytes - header_bytes);
    }

private:
    static constexpr std::uint8_t in_use = 1;
    static constexpr std::uint8_t freed = 2;

    [[nodiscard]] static std::atomic<std::uint8_t>& of(void* block) noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(block);
        const std::uintptr_t slab = address & ~std::uintptr_t{slab_bytes - 1};
        return *reinterpret_cast<std::atomic<std::uint8_t>*>(slab + (address - slab) / granularity);
    }
};

}  // namespace freehold::detail
