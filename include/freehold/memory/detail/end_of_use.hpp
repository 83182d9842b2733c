#pragma once
// What a pool checks and notes when a block is freed.
//
// end_use: in a program with FREEHOLD_HARDENED the states of a slab's blocks (block_states.hpp) say whether a block is
// in use. AddressSanitizer and memcheck have their own.
//
// Elsewhere, in files without NDEBUG, a mark in the second word of a freed block: a block with its mark may be freed
// for the second time. The lists of free blocks say whether it is, so that a mark that is left over does no harm: a
// file with NDEBUG does not remove it.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../core/annotate.hpp"
#include "../../core/memcheck.hpp"
#include "block_states.hpp"
#include "hardening.hpp"
#include "slab.hpp"

#ifdef FREEHOLD_HARDENED
#include "guarded_blocks.hpp"
#endif

#if !defined(NDEBUG) && !defined(FREEHOLD_HARDENED) && !defined(FREEHOLD_ADDRESS_SANITIZER)
#define FREEHOLD_MARKS_FREED 1
#endif

namespace freehold::detail {

#ifdef FREEHOLD_HARDENED

// Effects: frees a guarded block; else aborts, unless memcheck is there to report what is wrong with the block.
// Returns: whether the caller is to free the block.
[[nodiscard, gnu::cold, gnu::noinline]] inline bool end_other_use(void* block, bool is_freed) noexcept {
    if (is_memcheck()) return true;
    if (is_freed) abort_with("a block is freed twice");
    guarded_blocks::record* const guarded = guarded_blocks::find(block);
    if (guarded == nullptr) abort_with("what is freed is not the beginning of a block in use");
    guarded_blocks::deallocate(block, *guarded);
    return false;
}

#endif

// Effects: notes that the block is no longer in use. A hardened program aborts if that is wrong.
// Returns: whether the caller is to free the block.
template <class Sizes>
[[nodiscard, gnu::always_inline]] inline bool end_use([[maybe_unused]] void* block) noexcept {
#ifdef FREEHOLD_HARDENED
    using states = block_states<Sizes::granularity>;
    if (!states::take_back(block)) [[unlikely]]
        return end_other_use(block, states::is_freed(block));
#endif
    return true;
}

// Always inline: a program may have files with and without NDEBUG.

#ifdef FREEHOLD_MARKS_FREED

[[nodiscard, gnu::always_inline]] inline std::uintptr_t freed_mark_of(const void* block) noexcept {
    return address_of(block) * 0x9E3779B97F4A7C15U;
}

[[nodiscard, gnu::always_inline]] inline bool has_freed_mark(std::size_t block_bytes) noexcept {
    return block_bytes >= 2 * sizeof(std::uintptr_t) && !is_memcheck();
}

#endif

// Effects: marks the block, which is free from now on and may be in no list yet.
[[gnu::always_inline]] inline void mark_freed([[maybe_unused]] void* block,
                                              [[maybe_unused]] std::size_t block_bytes) noexcept {
#ifdef FREEHOLD_MARKS_FREED
    if (!has_freed_mark(block_bytes)) return;
    const std::uintptr_t mark = freed_mark_of(block);
    std::memcpy(static_cast<std::byte*>(block) + sizeof(mark), &mark, sizeof(mark));
#endif
}

// Effects: removes the mark of a block that is handed out.
[[gnu::always_inline]] inline void unmark_freed([[maybe_unused]] void* block,
                                                [[maybe_unused]] std::size_t block_bytes) noexcept {
#ifdef FREEHOLD_MARKS_FREED
    if (!has_freed_mark(block_bytes)) return;
    const std::uintptr_t none = 0;
    std::memcpy(static_cast<std::byte*>(block) + sizeof(none), &none, sizeof(none));
#endif
}

// Returns: whether the block has its mark.
[[nodiscard, gnu::always_inline]] inline bool is_marked_freed([[maybe_unused]] const void* block,
                                                              [[maybe_unused]] std::size_t block_bytes) noexcept {
#ifdef FREEHOLD_MARKS_FREED
    if (!has_freed_mark(block_bytes)) return false;
    std::uintptr_t found = 0;
    std::memcpy(&found, static_cast<const std::byte*>(block) + sizeof(found), sizeof(found));
    return found == freed_mark_of(block);
#else
    return false;
#endif
}

}  // namespace freehold::detail
