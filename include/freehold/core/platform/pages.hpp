#pragma once
// Pages of memory from the operating system, and not from malloc. No function takes a lock that another thread may
// hold for long.
//
// Thread safety: any thread may call any function. Exceptions: none. Cost: a system call each.

#include <cstddef>
#include <cstdint>

#include "../annotate.hpp"
#include "../config.hpp"

#ifdef FREEHOLD_ADDRESS_SANITIZER
#include <sanitizer/lsan_interface.h>
#endif

namespace freehold::inline v0_2::detail {

inline constexpr std::size_t smallest_page = 4096;

// A multiple of the size of a page.
#if defined(__x86_64__) || defined(__i386__)
inline constexpr std::size_t page_granule = 4096;
#else
inline constexpr std::size_t page_granule = std::size_t{64} * 1024;  // no system has larger ones, but for huge pages
#endif

inline constexpr std::size_t huge_page = std::size_t{2} * 1024 * 1024;  // as most processors have them

// Effects: LeakSanitizer does not report memory to which only these pages refer.
inline void register_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef FREEHOLD_ADDRESS_SANITIZER
    __lsan_register_root_region(begin, bytes);
#endif
}

// Requires: the same range was registered.
inline void unregister_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef FREEHOLD_ADDRESS_SANITIZER
    __lsan_unregister_root_region(begin, bytes);
#endif
}

// Effects: the contents of the pages are lost, and they take no memory until they are written to again.
inline void discard_pages(void* begin, std::size_t bytes) noexcept;

// Effects: gives back the memory of pages of which others nearby are used. The system does not fill them again to make
// a huge page of all, now or in the minutes that follow.
inline void discard_part(void* begin, std::size_t bytes) noexcept;

// Effects: gives the pages back to the system; they may be a part of what it gave at once.
inline void give_back_pages(void* begin, std::size_t bytes) noexcept;

// Returns: zeroed pages for `bytes` bytes, or null. Not registered.
[[nodiscard]] inline void* map_anywhere(std::size_t bytes) noexcept;

// Returns: zeroed pages for `bytes` bytes, aligned to `alignment`, or null. Not registered.
// Requires: both are multiples of page_granule, and their sum is representable.
[[nodiscard]] inline void* map_aligned(std::size_t bytes, std::size_t alignment) noexcept;

[[nodiscard]] FREEHOLD_COLD FREEHOLD_NOINLINE inline void* take_aligned_pages(std::size_t bytes,
                                                                              std::size_t alignment) noexcept {
    return map_aligned(bytes, alignment);
}

// Returns: the same, mostly by one call of the system.
[[nodiscard]] FREEHOLD_COLD FREEHOLD_NOINLINE inline void* take_pages(std::size_t bytes,
                                                                      std::size_t alignment) noexcept {
    void* const mapped = map_anywhere(bytes);
    // The system maps below what it mapped before, so that this often is aligned already.
    if (mapped == nullptr || reinterpret_cast<std::uintptr_t>(mapped) % alignment == 0) return mapped;
    give_back_pages(mapped, bytes);
    return take_aligned_pages(bytes, alignment);
}

// Returns: zeroed pages for `bytes` bytes, or null. Registered.
[[nodiscard]] inline void* allocate_pages(std::size_t bytes) noexcept {
    void* const pages = map_anywhere(bytes);
    if (pages != nullptr) register_pages(pages, bytes);
    return pages;
}

// Effects: gives back what map_anywhere(bytes) returned.
inline void unmap_whole(void* pages, std::size_t bytes) noexcept;

// Effects: gives back what allocate_pages(bytes) returned.
inline void free_pages(void* pages, std::size_t bytes) noexcept {
    unregister_pages(pages, bytes);
    unmap_whole(pages, bytes);
}

// Returns: a page's addresses, without memory, or null. Until free_address() nothing else has them.
[[nodiscard]] inline void* take_address() noexcept;
inline void free_address(void* page) noexcept;

// Returns: memory of the C library, to the last byte, which std::free() frees; null if there is none. For memcheck,
// which tracks it. It accepts no size for std::aligned_alloc() that is not a multiple of the alignment. Requires:
// `alignment` is a power of two, and at least that of a pointer.
// Always inline: memcheck shows twelve calls, and one of them should be the program's.
[[nodiscard]] FREEHOLD_ALWAYS_INLINE inline void* take_tracked(std::size_t bytes, std::size_t alignment) noexcept;

}  // namespace freehold::detail

#if defined(FREEHOLD_WINDOWS)
#include "detail/windows/pages.hpp"
#else
#include "detail/posix/pages.hpp"
#if defined(FREEHOLD_MACOS)
#include "detail/macos/pages.hpp"
#else
#include "detail/linux/pages.hpp"
#endif
#endif
