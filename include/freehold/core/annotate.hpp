#pragma once
// Tells AddressSanitizer which bytes of a pool are allocated, so that a use after free inside one is reported.
//
// Without the sanitizer every function here is empty.

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define FREEHOLD_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FREEHOLD_ADDRESS_SANITIZER 1
#endif
#endif

#ifdef FREEHOLD_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace freehold {

// Effects: marks the `bytes` bytes at `begin` as allocated: they may be read and written.
inline void annotate_allocated([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef FREEHOLD_ADDRESS_SANITIZER
    __asan_unpoison_memory_region(begin, bytes);
#endif
}

// Effects: marks the `bytes` bytes at `begin` as free: reading or writing them is reported.
inline void annotate_free([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef FREEHOLD_ADDRESS_SANITIZER
    __asan_poison_memory_region(begin, bytes);
#endif
}

}  // namespace freehold
