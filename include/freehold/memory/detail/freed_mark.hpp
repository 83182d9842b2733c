#pragma once
// A mark in the second word of a freed block, in files without NDEBUG: a block with its mark may be freed for the
// second time. The lists of free blocks say whether it is, so that a mark that is left over does no harm: a file with
// NDEBUG does not remove it.
//
// A hardened program has block_states instead, AddressSanitizer and memcheck have their own.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../core/annotate.hpp"
#include "../../core/memcheck.hpp"

#if !defined(NDEBUG) && !defined(FREEHOLD_HARDENED) && !defined(FREEHOLD_ADDRESS_SANITIZER)
#define FREEHOLD_MARKS_FREED 1
#endif

namespace freehold::detail {

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
