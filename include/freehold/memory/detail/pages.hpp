#pragma once
// Pages of memory from the operating system.

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "../../core/alignment.hpp"
#include "../../core/annotate.hpp"
#include "../../core/memcheck.hpp"

#ifdef FREEHOLD_ADDRESS_SANITIZER
#include <sanitizer/lsan_interface.h>
#endif

namespace freehold::detail {

inline constexpr std::size_t huge_page = std::size_t{2} * 1024 * 1024;  // as most processors have them

// Returns: `bytes` bytes of fresh pages, aligned to `alignment`, or null if there are none.
// Requires: both are multiples of the size of a page, and their sum is representable.
[[nodiscard, gnu::cold, gnu::noinline]] inline void* map_pages(std::size_t bytes, std::size_t alignment) noexcept {
    if (is_memcheck()) return std::aligned_alloc(alignment, bytes);  // memcheck tracks what malloc returns
    void* const mapped = ::mmap(nullptr, bytes + alignment, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    // The pages before and after the aligned part go back at once.
    auto* const begin = static_cast<std::byte*>(mapped);
    const auto address = reinterpret_cast<std::uintptr_t>(mapped);
    const std::size_t before = round_up(address, alignment) - address;
    if (before != 0) ::munmap(begin, before);
    ::munmap(begin + before + bytes, alignment - before);
#ifdef FREEHOLD_ADDRESS_SANITIZER
    // So that memory that only these pages refer to is not reported as a leak.
    __lsan_register_root_region(begin + before, bytes);
#endif
    return begin + before;
}

// Effects: gives the pages back to the system. Requires: they are the result of one call of map_pages.
inline void unmap_pages(void* begin, std::size_t bytes) noexcept {
#ifdef FREEHOLD_ADDRESS_SANITIZER
    __lsan_unregister_root_region(begin, bytes);
#endif
    if (is_memcheck()) return std::free(begin);
    ::munmap(begin, bytes);
}

// Effects: asks the system to back the pages with huge ones. It may refuse.
inline void prefer_huge_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
    ::madvise(begin, bytes, MADV_HUGEPAGE);
#endif
}

// Effects: backs the pages with memory now, so that their first use does not fault.
inline void populate_pages(void* begin, std::size_t bytes) noexcept {
#ifdef MADV_POPULATE_WRITE
    if (::madvise(begin, bytes, MADV_POPULATE_WRITE) == 0) return;
#endif
    constexpr std::size_t smallest_page = 4096;
    for (std::size_t i = 0; i < bytes; i += smallest_page) static_cast<volatile std::byte*>(begin)[i] = std::byte{0};
}

}  // namespace freehold::detail
