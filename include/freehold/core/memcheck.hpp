#pragma once
// Client requests to Valgrind's memcheck, in every program: without Valgrind's headers and without a special build.
//
// Valgrind interprets a program's instructions. A sequence that does nothing on a processor is a request to Valgrind.
// The sequences and the numbers of the requests are its stable interface ("The Client Request mechanism"). Outside of
// Valgrind a request costs about twenty instructions, so these functions are for slow paths. A pool calls is_memcheck()
// there, and under memcheck takes the slow path for every block.
//
// is_memcheck() is true under memcheck only: callgrind, massif and the other tools see the pools as they are.
//
// Thread safety: any thread may call any function.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "annotate.hpp"
#include "config.hpp"
#include "platform/processor.hpp"

// Frees on a fast path are reported to memcheck only in builds with checks, or if the program asks for it.
#if !defined(NDEBUG) || defined(FREEHOLD_VALGRIND)
#define FREEHOLD_TELLS_FAST_FREES 1
#endif

namespace freehold::inline v0_2::detail {

// Returns: the tool's answer, or 0 without a tool: memcheck is never noticed then.
FREEHOLD_ALWAYS_INLINE inline std::uintptr_t ask_valgrind(std::uintptr_t request, std::uintptr_t first = 0,
                                                          std::uintptr_t second = 0,
                                                          std::uintptr_t third = 0) noexcept {
    const volatile std::uintptr_t words[6] = {request, first, second, third};
    return detail::ask_valgrind(words);
}

[[nodiscard]] inline std::uintptr_t address_of(const volatile void* object) noexcept {
    return reinterpret_cast<std::uintptr_t>(object);
}

// The requests, as valgrind.h and memcheck.h number them.
struct valgrind_request {
    static constexpr std::uintptr_t free_like = 0x1302;
    static constexpr std::uintptr_t resize = 0x130b;
    static constexpr std::uintptr_t create_pool = 0x1303;
    static constexpr std::uintptr_t destroy_pool = 0x1304;
    static constexpr std::uintptr_t allocate_in_pool = 0x1305;
    static constexpr std::uintptr_t free_in_pool = 0x1306;

    static constexpr std::uintptr_t of_memcheck = std::uintptr_t{'M'} << 24 | std::uintptr_t{'C'} << 16;
    static constexpr std::uintptr_t no_access = of_memcheck;
    static constexpr std::uintptr_t undefined = of_memcheck + 1;
    static constexpr std::uintptr_t defined = of_memcheck + 2;
    static constexpr std::uintptr_t get_validity = of_memcheck + 8;
};

// 1 under memcheck, -1 elsewhere, 0 until it is known.
inline constinit std::atomic<signed char> known_memcheck = 0;

FREEHOLD_COLD FREEHOLD_NOINLINE inline bool find_memcheck() noexcept {
    // memcheck answers this request, which changes nothing here, with a number other than 0.
    const bool found = ask_valgrind(valgrind_request::defined) != 0;
    known_memcheck.store(found ? 1 : -1, std::memory_order_relaxed);  // relaxed: all find the same
    return found;
}

// Returns: whether the program runs under memcheck. Complexity: constant; one load after the first call.
[[nodiscard]] inline bool is_memcheck() noexcept {
    const signed char known = known_memcheck.load(std::memory_order_relaxed);  // relaxed: it orders nothing
    if (known == 0) [[unlikely]]
        return find_memcheck();
    return known > 0;
}

// Returns: whether a checker, memcheck or AddressSanitizer, is told which bytes are free.
[[nodiscard]] inline bool is_memory_checked() noexcept {
#ifdef FREEHOLD_ADDRESS_SANITIZER
    return true;
#else
    return is_memcheck();
#endif
}

FREEHOLD_COLD FREEHOLD_NOINLINE inline void tell_memcheck(std::uintptr_t request, const void* begin,
                                                          std::size_t bytes) noexcept {
    ask_valgrind(request, address_of(begin), bytes);
}

// Effects: as annotate_allocated and annotate_free, for memcheck as well. For slow paths.

inline void tell_allocated(void* begin, std::size_t bytes) noexcept {
    annotate_allocated(begin, bytes);
    if (is_memcheck()) [[unlikely]]
        tell_memcheck(valgrind_request::undefined, begin, bytes);
}

inline void tell_free(void* begin, std::size_t bytes) noexcept {
    annotate_free(begin, bytes);
    if (is_memcheck()) [[unlikely]]
        tell_memcheck(valgrind_request::no_access, begin, bytes);
}

// Effects: marks the bytes, which were written before, as defined for memcheck again.
inline void tell_readable(const void* begin, std::size_t bytes) noexcept {
    if (is_memcheck()) [[unlikely]]
        tell_memcheck(valgrind_request::defined, begin, bytes);
}

// Effects: marks the bytes, which a fast path has freed, as free for memcheck, where FREEHOLD_TELLS_FAST_FREES is
// defined. A fast path must not hand them out again: its code may come from a file with NDEBUG.
inline void tell_fast_free([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef FREEHOLD_TELLS_FAST_FREES
    if (is_memcheck()) [[unlikely]]
        tell_memcheck(valgrind_request::no_access, begin, bytes);
#endif
}

// Returns: whether memcheck allows access to the byte. Requires: is_memcheck().
[[nodiscard]] inline bool may_be_used(const void* byte) noexcept {
    unsigned char validity = 0;
    return ask_valgrind(valgrind_request::get_validity, address_of(byte), address_of(&validity), 1) == 1;
}

// Returns: whether the block is allocated. If not, memcheck has reported a double free.
// Requires: is_memcheck().
[[nodiscard]] inline bool is_allocated(void* block) noexcept {
    if (may_be_used(block)) return true;
    ask_valgrind(valgrind_request::free_like, address_of(block));
    return false;
}

}  // namespace freehold::detail
