#pragma once
// What a pool checks and notes when a block is freed.
//
// end_use: in a program with FREEHOLD_HARDENED the states of a slab's blocks (block_states.hpp) say whether a block is
// in use. AddressSanitizer and memcheck have their own.
//
// Elsewhere, in files without NDEBUG, the second word of a freed block has a mark. If a block with its mark is freed,
// the lists of free blocks say whether it is free: a file with NDEBUG leaves marks behind.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../core/annotate.hpp"
#include "../../core/config.hpp"
#include "../../core/memcheck.hpp"
#include "block_canary.hpp"
#include "block_states.hpp"
#include "byte_before.hpp"
#include "guarded_blocks.hpp"
#include "hardening.hpp"
#include "slab.hpp"

// A macro, as NDEBUG is one.
#if !defined(NDEBUG) && !defined(FREEHOLD_HARDENED) && !defined(FREEHOLD_ADDRESS_SANITIZER)
#define FREEHOLD_MARKS_FREED 1
#endif

namespace freehold::inline v0_2::detail {

// Effects: frees a guarded block; else aborts, unless memcheck is there to report what is wrong with the block.
// Returns: whether the caller is to free the block.
[[nodiscard]] FREEHOLD_COLD FREEHOLD_NOINLINE inline bool end_other_use(void* block, bool is_freed) noexcept {
    if (is_memcheck()) return true;
    if (is_freed) abort_with("a block is freed twice");
    guarded_blocks::record* const guarded = guarded_blocks::find(block);
    if (guarded == nullptr) abort_with("what is freed is not the beginning of a block in use");
    guarded_blocks::deallocate(block, *guarded);
    return false;
}

// Effects: notes that the block is no longer in use. A hardened program aborts if that is wrong.
// Returns: whether the caller is to free the block.
template <class Sizes>
[[nodiscard]] FREEHOLD_ALWAYS_INLINE inline bool end_use(void* block) noexcept {
    using states = block_states<Sizes::granularity>;
    if constexpr (is_hardened) {
        const std::uint8_t state = states::take_back(block);
        if (state == 0) [[unlikely]]
            return detail::end_other_use(block, states::is_freed(block));
        if constexpr (has_canaries) {
            const std::size_t block_bytes = slab::of(block)->bytes_of_hardened;
            byte_before<Sizes>::look(block, state, block_bytes);
            if (!block_canary<Sizes>::end(block, state, block_bytes))
                block_canary<Sizes>::fill_used(block, block_bytes);
        }
    }
    return true;
}

// Always inline, all of these: a program may have files with and without NDEBUG.

// Returns: whether blocks of the size are marked.
[[nodiscard]] FREEHOLD_ALWAYS_INLINE inline bool has_freed_mark([[maybe_unused]] std::size_t block_bytes) noexcept {
#ifdef FREEHOLD_MARKS_FREED
    return block_bytes >= 2 * sizeof(std::uintptr_t) && !is_memcheck();
#else
    return false;
#endif
}

[[nodiscard]] FREEHOLD_ALWAYS_INLINE inline std::uintptr_t freed_mark_of(const void* block) noexcept {
    return static_cast<std::uintptr_t>(address_of(block) * 0x9E3779B97F4A7C15U);
}

FREEHOLD_ALWAYS_INLINE inline void set_mark(void* block, std::size_t block_bytes, std::uintptr_t mark) noexcept {
    if (has_freed_mark(block_bytes)) std::memcpy(static_cast<std::byte*>(block) + sizeof(mark), &mark, sizeof(mark));
}

// Effects: marks the block, which is free from now on and may be in no list yet.
FREEHOLD_ALWAYS_INLINE inline void mark_freed(void* block, std::size_t block_bytes) noexcept {
    detail::set_mark(block, block_bytes, detail::freed_mark_of(block));
    annotate_free(block, block_bytes);
}

// Effects: notes that the block is handed out, for `bytes` bytes.
template <class Sizes>
FREEHOLD_ALWAYS_INLINE inline void begin_use(void* block, std::size_t bytes) noexcept {
    annotate_allocated(block, bytes);
    detail::set_mark(block, bytes, 0);
    if constexpr (has_canaries) {
        if (!is_memcheck()) block_canary<Sizes>::begin(block, bytes, Sizes::bytes_of(slab::of(block)->block_class));
    }
}

// Effects: notes for what a block of the pool of the process is handed out that may lie on a page of its own.
// Returns: the block, which moves in that page, or null if it is null.
template <class Sizes>
[[nodiscard]] FREEHOLD_COLD FREEHOLD_NOINLINE inline void* begin_use_of_found(void* block, std::size_t bytes,
                                                                              std::size_t alignment) noexcept {
    if (block == nullptr || is_memcheck()) return block;
    if (block_states<Sizes::granularity>::state_in_use(block) == 0)
        return guarded_blocks::begin(block, bytes, alignment);
    block_canary<Sizes>::begin(block, bytes, Sizes::bytes_of(slab::of(block)->block_class));
    return block;
}

// Returns: whether the block has its mark.
[[nodiscard]] FREEHOLD_ALWAYS_INLINE inline bool is_marked_freed(const void* block, std::size_t block_bytes) noexcept {
    std::uintptr_t found = 0;
    if (!has_freed_mark(block_bytes)) return false;
    std::memcpy(&found, static_cast<const std::byte*>(block) + sizeof(found), sizeof(found));
    return found == freed_mark_of(block);
}

// Returns: whether the block of the process's pool is marked so, or was freed and then discarded with its page.
[[nodiscard]] inline bool may_be_freed(const void* block, slab* origin) noexcept {
    if (is_marked_freed(block, origin->block_bytes())) return true;
    return origin->home == this_heap_in_process_pool() && origin->is_uncut(block);
}

}  // namespace freehold::detail
