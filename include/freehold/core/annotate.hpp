#pragma once
// Tells AddressSanitizer, or Valgrind, which bytes of a pool are allocated, so that a use after free inside one is
// reported.
//
// AddressSanitizer is told where the program is compiled with it. Valgrind is told where FREEHOLD_VALGRIND is defined
// in the whole program and its header is found; the few instructions that this takes do nothing outside of it.
// Otherwise every function here is empty.

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

#if defined(FREEHOLD_VALGRIND) && __has_include(<valgrind/memcheck.h>)
#define FREEHOLD_MEMCHECK 1
#include <valgrind/memcheck.h>
#endif

namespace freehold {

// Effects: marks the `bytes` bytes at `begin` as allocated: they may be read and written.
inline void annotate_allocated([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef FREEHOLD_ADDRESS_SANITIZER
    __asan_unpoison_memory_region(begin, bytes);
#endif
#ifdef FREEHOLD_MEMCHECK
    VALGRIND_MAKE_MEM_UNDEFINED(begin, bytes);
#endif
}

// Effects: marks the `bytes` bytes at `begin` as free: reading or writing them is reported.
inline void annotate_free([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef FREEHOLD_ADDRESS_SANITIZER
    __asan_poison_memory_region(begin, bytes);
#endif
#ifdef FREEHOLD_MEMCHECK
    VALGRIND_MAKE_MEM_NOACCESS(begin, bytes);
#endif
}

// Effects: lets Valgrind read what a pool has written into `bytes` free bytes at `begin`, from now on. To
// AddressSanitizer they stay free: it is the function that reads them which it must not check.
inline void annotate_readable([[maybe_unused]] const void* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef FREEHOLD_MEMCHECK
    VALGRIND_MAKE_MEM_DEFINED(begin, bytes);
#endif
}

// Returns: what a pool has written at the beginning of a block that is marked as free.
template <class T>
#if defined(FREEHOLD_ADDRESS_SANITIZER) && defined(__clang__)
[[gnu::no_sanitize_address, gnu::noinline]]
#elif defined(FREEHOLD_ADDRESS_SANITIZER)
[[gnu::no_sanitize_address, gnu::noipa]]  // g++ would move the load into the caller, which is checked
#endif
T read_free(const T* block) noexcept {
    freehold::annotate_readable(block, sizeof(T));
    return *block;
}

}  // namespace freehold
