#pragma once
// Instructions that no C++ stands for.
//
// Thread safety: any thread may call any function. Exceptions: none.

#include <cstdint>

#include "../config.hpp"

namespace freehold::inline v0_2::detail {

// Effects: lets the processor rest for a moment.
FREEHOLD_ALWAYS_INLINE inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

// Effects: asks Valgrind, under which a sequence of instructions that do nothing is a request: six words, of which the
// first says what is asked. Returns: the answer, or 0 without Valgrind, and on processors that it knows no sequence
// for.
FREEHOLD_ALWAYS_INLINE inline std::uintptr_t ask_valgrind(const volatile std::uintptr_t (&words)[6]) noexcept {
    std::uintptr_t answer = 0;
#if defined(__x86_64__) && defined(__LP64__)
    __asm__ volatile(
        "rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
        "xchgq %%rbx, %%rbx"
        : "+d"(answer)
        : "a"(words)
        : "cc", "memory");
#elif defined(__aarch64__) && defined(__LP64__)
    __asm__ volatile(
        "mov x3, %0\n\tmov x4, %1\n\t"
        "ror x12, x12, #3\n\tror x12, x12, #13\n\tror x12, x12, #51\n\tror x12, x12, #61\n\t"
        "orr x10, x10, x10\n\t"
        "mov %0, x3"
        : "+r"(answer)
        : "r"(words)
        : "cc", "memory", "x3", "x4");
#else
    static_cast<void>(words);
#endif
    return answer;
}

}  // namespace freehold::detail
