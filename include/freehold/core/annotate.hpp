#pragma once
// Marks the bytes of a pool as allocated or free for AddressSanitizer, which then reports a use after free inside the
// pool. Without AddressSanitizer every function here is empty. memcheck.hpp does the same for Valgrind.

#include <cstddef>

#include "config.hpp"

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

namespace freehold::inline v0_2::detail {

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

// Effects: AddressSanitizer reports a use of freed memory if the block, of which `bytes` bytes are in use, is marked as
// free: it is freed twice. Always inline: the report shows the caller.
FREEHOLD_ALWAYS_INLINE inline void expect_allocated([[maybe_unused]] const void* block,
                                                    [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef FREEHOLD_ADDRESS_SANITIZER
    if (bytes != 0) static_cast<void>(*static_cast<const volatile char*>(block));
#endif
}

// Returns: the object that a pool has written at the beginning of a block that is marked as free.
template <class T>
#if defined(FREEHOLD_ADDRESS_SANITIZER) && defined(__clang__)
[[gnu::no_sanitize_address, gnu::noinline]]
#elif defined(FREEHOLD_ADDRESS_SANITIZER)
[[gnu::no_sanitize_address, gnu::noipa]]  // g++ would move the load into the caller, which is checked
#endif
T read_free(const T* block) noexcept {
    return *block;
}

}  // namespace freehold::detail
