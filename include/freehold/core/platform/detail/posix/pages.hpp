#pragma once
// Part of pages.hpp, which has the contracts: what all systems with mmap do alike.

#include "../../../config.hpp"

#if !defined(FREEHOLD_WINDOWS)

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <sys/mman.h>

#include "../../pages.hpp"

namespace freehold::inline v0_2::detail {

inline void give_back_pages(void* begin, std::size_t bytes) noexcept {
    // A process that has all the mappings that it may have cannot divide one: its addresses stay, without memory.
    if (::munmap(begin, bytes) != 0) discard_pages(begin, bytes);
}

[[nodiscard]] inline void* map_anywhere(std::size_t bytes) noexcept {
    void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mapped != MAP_FAILED ? mapped : nullptr;
}

[[nodiscard]] inline void* map_aligned(std::size_t bytes, std::size_t alignment) noexcept {
    void* const mapped = map_anywhere(bytes + alignment);
    if (mapped == nullptr) return nullptr;
    // The pages before and after the aligned part go back at once.
    auto* const begin = static_cast<std::byte*>(mapped);
    const std::size_t before = (0 - reinterpret_cast<std::uintptr_t>(mapped)) & (alignment - 1);
    if (before != 0) give_back_pages(begin, before);
    give_back_pages(begin + before + bytes, alignment - before);
    return begin + before;
}

inline void unmap_whole(void* pages, std::size_t bytes) noexcept { ::munmap(pages, bytes); }

[[nodiscard]] inline void* take_address() noexcept {
    void* const page = ::mmap(nullptr, smallest_page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return page != MAP_FAILED ? page : nullptr;
}

inline void free_address(void* page) noexcept { ::munmap(page, smallest_page); }

[[nodiscard]] FREEHOLD_ALWAYS_INLINE inline void* take_tracked(std::size_t bytes, std::size_t alignment) noexcept {
    void* memory = nullptr;
    return ::posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}

}  // namespace freehold::detail

#endif
