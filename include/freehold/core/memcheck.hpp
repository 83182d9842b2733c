#pragma once
// Talks to Valgrind's memcheck, in every program: Valgrind's headers and a special build are not needed.
//
// Valgrind runs a program's instructions itself. A sequence that does nothing on a processor is a request to it. The
// sequences and the numbers of the requests are the published interface of Valgrind ("The Client Request mechanism"),
// which never changes. Elsewhere a request costs about twenty instructions, so these functions are for slow paths. A
// pool asks is_memcheck() there, and keeps from its fast path what memcheck is to see.
//
// Only memcheck answers to is_memcheck(): callgrind, massif and the other tools see the pools as they are.
//
// Thread safety: any thread may call any function.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "annotate.hpp"

// Frees that take no slow path are told to memcheck where checks are on, or the program wants it.
#if !defined(NDEBUG) || defined(FREEHOLD_VALGRIND)
#define FREEHOLD_TELLS_FAST_FREES 1
#endif

namespace freehold::detail {

// Returns: the tool's answer, or 0 where there is none.
[[gnu::always_inline]] inline std::uintptr_t ask_valgrind(std::uintptr_t request, std::uintptr_t first = 0,
                                                          std::uintptr_t second = 0,
                                                          std::uintptr_t third = 0) noexcept {
    const volatile std::uintptr_t words[6] = {request, first, second, third};
    std::uintptr_t answer = 0;
#if defined(__x86_64__) && defined(__LP64__)
    asm volatile(
        "rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
        "xchgq %%rbx, %%rbx"
        : "+d"(answer)
        : "a"(words)
        : "cc", "memory");
#elif defined(__aarch64__) && defined(__LP64__)
    asm volatile(
        "mov x3, %0\n\tmov x4, %1\n\t"
        "ror x12, x12, #3\n\tror x12, x12, #13\n\tror x12, x12, #51\n\tror x12, x12, #61\n\t"
        "orr x10, x10, x10\n\t"
        "mov %0, x3"
        : "+r"(answer)
        : "r"(words)
        : "cc", "memory", "x3", "x4");
#else
    static_cast<void>(words);  // memcheck is never noticed
#endif
    return answer;
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

// What is known: -1 that this is not memcheck, 1 that it is.
inline constinit std::atomic<signed char> known_memcheck = 0;

[[gnu::cold, gnu::noinline]] inline bool find_memcheck() noexcept {
    // It answers this request, which changes nothing here, with another number than 0.
    const bool found = ask_valgrind(valgrind_request::defined) != 0;
    known_memcheck.store(found ? 1 : -1, std::memory_order_relaxed);  // relaxed: all find the same
    return found;
}

// Returns: whether the program runs under memcheck. Complexity: constant, one load but for the first time.
[[nodiscard]] inline bool is_memcheck() noexcept {
    const signed char known = known_memcheck.load(std::memory_order_relaxed);  // relaxed: it orders nothing
    if (known == 0) [[unlikely]]
        return find_memcheck();
    return known > 0;
}

[[gnu::cold, gnu::noinline]] inline void tell_memcheck(std::uintptr_t request, const void* begin,
                                                       std::size_t bytes) noexcept {
    ask_valgrind(request, address_of(begin), bytes);
}

// Effects: as annotate_allocated and annotate_free; memcheck is told as well. For slow paths.

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

// Effects: memcheck takes the bytes, which were written before, for defined again.
inline void tell_readable(const void* begin, std::size_t bytes) noexcept {
    if (is_memcheck()) [[unlikely]]
        tell_memcheck(valgrind_request::defined, begin, bytes);
}

// Effects: memcheck reports a use of the bytes, which a fast path has freed. Only where fast frees are told. What is
// told here must not be handed out again by a fast path, whose code may be that of a file with NDEBUG.
inline void tell_fast_free([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef FREEHOLD_TELLS_FAST_FREES
    if (is_memcheck()) [[unlikely]]
        tell_memcheck(valgrind_request::no_access, begin, bytes);
#endif
}

// Returns: whether memcheck lets the program use the byte. Requires: is_memcheck().
[[nodiscard]] inline bool may_be_used(const void* byte) noexcept {
    unsigned char validity = 0;
    return ask_valgrind(valgrind_request::get_validity, address_of(byte), address_of(&validity), 1) == 1;
}

// Returns: whether the block may be used. Where it may not, memcheck has reported that it is freed once more.
// Requires: is_memcheck().
[[nodiscard]] inline bool is_allocated(void* block) noexcept {
    if (may_be_used(block)) return true;
    ask_valgrind(valgrind_request::free_like, address_of(block));
    return false;
}

}  // namespace freehold::detail
