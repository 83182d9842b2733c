#pragma once
// Memory from the system, and not from malloc: neither function takes a lock that another thread may hold.

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

#include <cstddef>

#include "annotate.hpp"

#ifdef FREEHOLD_ADDRESS_SANITIZER
#include <sanitizer/lsan_interface.h>
#endif

namespace freehold::detail {

// Returns: zeroed memory, or null. LeakSanitizer looks for pointers in it.
[[nodiscard]] inline void* allocate_pages(std::size_t bytes) noexcept {
    void* const pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return nullptr;
#ifdef FREEHOLD_ADDRESS_SANITIZER
    __lsan_register_root_region(pages, bytes);
#endif
    return pages;
}

// Effects: gives back what allocate_pages(bytes) returned.
inline void free_pages(void* pages, std::size_t bytes) noexcept {
#ifdef FREEHOLD_ADDRESS_SANITIZER
    __lsan_unregister_root_region(pages, bytes);
#endif
    ::munmap(pages, bytes);
}

}  // namespace freehold::detail
