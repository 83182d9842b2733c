#pragma once
// Pages of memory from the operating system.

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

#include <atomic>
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
inline void discard_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MADV_DONTNEED
    if (!is_memcheck()) ::madvise(begin, bytes, MADV_DONTNEED);
#endif
}

// Effects: gives the pages back to the system; they may be a part of what it gave at once.
inline void give_back_pages(void* begin, std::size_t bytes) noexcept {
    // A process that has all the mappings that it may have cannot divide one: its addresses stay, without memory.
    if (::munmap(begin, bytes) != 0) discard_pages(begin, bytes);
}

[[nodiscard]] inline void* map_anywhere(std::size_t bytes) noexcept {
    void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mapped != MAP_FAILED ? mapped : nullptr;
}

// Returns: `bytes` bytes of fresh pages, aligned to `alignment`, or null if there are none. Not registered.
// Requires: both are multiples of page_granule, and their sum is representable.
[[nodiscard, gnu::cold, gnu::noinline]] inline void* take_aligned_pages(std::size_t bytes,
                                                                        std::size_t alignment) noexcept {
    void* const mapped = map_anywhere(bytes + alignment);
    if (mapped == nullptr) return nullptr;
    // The pages before and after the aligned part go back at once.
    auto* const begin = static_cast<std::byte*>(mapped);
    const auto address = reinterpret_cast<std::uintptr_t>(mapped);
    const std::size_t before = round_up(address, alignment) - address;
    if (before != 0) give_back_pages(begin, before);
    give_back_pages(begin + before + bytes, alignment - before);
    return begin + before;
}

// Returns: the same, mostly by one call of the system.
[[nodiscard, gnu::cold, gnu::noinline]] inline void* take_pages(std::size_t bytes, std::size_t alignment) noexcept {
    void* const mapped = map_anywhere(bytes);
    // The system maps below what it mapped before, so that this often is aligned already.
    if (mapped == nullptr || reinterpret_cast<std::uintptr_t>(mapped) % alignment == 0) return mapped;
    give_back_pages(mapped, bytes);
    return take_aligned_pages(bytes, alignment);
}

// Gives back what is idle in the page cache of the process, once there is one. Returns: whether there was any.
inline constinit std::atomic<bool (*)() noexcept> give_back_idle_pages = nullptr;

// Returns: as take_aligned_pages, but registered. Before the system has none, what is idle in the page cache of the
// process goes back. memcheck tracks what malloc returns, so it comes from there under memcheck.
[[nodiscard]] inline void* map_pages(std::size_t bytes, std::size_t alignment) noexcept {
    if (is_memcheck()) return std::aligned_alloc(alignment, bytes);
    void* mapped = take_aligned_pages(bytes, alignment);
    if (mapped == nullptr) [[unlikely]] {
        // relaxed: the function finds the cache through page_cache::shared(), which orders its initialization
        auto* const give_back = give_back_idle_pages.load(std::memory_order_relaxed);
        if (give_back != nullptr && give_back()) mapped = take_aligned_pages(bytes, alignment);
    }
    if (mapped != nullptr) register_pages(mapped, bytes);
    return mapped;
}

// Effects: gives the pages back to the system. Requires: they are the result of one call of map_pages.
inline void unmap_pages(void* begin, std::size_t bytes) noexcept {
    if (is_memcheck()) return std::free(begin);
    unregister_pages(begin, bytes);
    give_back_pages(begin, bytes);
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
