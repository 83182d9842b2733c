#pragma once
// Part of call_stack.hpp, which has the contracts.

#include <cstdio>
#include <cstdlib>
#include <cstring>

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#define FREEHOLD_BACKTRACE 1
#endif

namespace freehold::inline v0_2::detail {

inline void print_calls_from([[maybe_unused]] const void* place) noexcept {
#ifdef FREEHOLD_BACKTRACE
    constexpr int max_calls = 32;
    void* calls[max_calls];
    const int count = ::backtrace(calls, max_calls);
    if (count == 0) return;
    int first = 0;
    while (first < count && calls[first] != place) ++first;
    if (first == count) first = 0;
    char** const described = ::backtrace_symbols(calls, count);
    if (described == nullptr) return;
    std::fprintf(stderr, "    called from:\n");
    for (int i = first; i < count; ++i) std::fprintf(stderr, "        %s\n", described[i]);
    // "PROGRAM(+0x1234) [0x555555555234]", or "PROGRAM() [0x401234]" where it is not relocated
    const int length = static_cast<int>(std::strcspn(described[first], "("));
    std::fprintf(stderr, "    for their lines: addr2line -Cfipe %.*s", length, described[first]);
    for (int i = first; i < count; ++i) {
        const char* const text = described[i];
        if (std::strncmp(text, described[first], static_cast<std::size_t>(length) + 1) != 0) continue;
        unsigned long address = 0;
        // Minus 1: the call is before its return address.
        if (std::sscanf(text + length, "(+%lx", &address) == 1 || std::sscanf(text + length, "() [%lx", &address) == 1)
            std::fprintf(stderr, " 0x%lx", address - 1);
    }
    std::fprintf(stderr, "\n");
    std::free(described);
#endif
}

[[nodiscard]] inline int note_calls([[maybe_unused]] void** calls, [[maybe_unused]] int most) noexcept {
#ifdef FREEHOLD_BACKTRACE
    return ::backtrace(calls, most);
#else
    return 0;
#endif
}

inline void write_calls([[maybe_unused]] void* const* calls, [[maybe_unused]] int count) noexcept {
#ifdef FREEHOLD_BACKTRACE
    constexpr int standard_error = 2;
    ::backtrace_symbols_fd(calls, count, standard_error);
#endif
}

}  // namespace freehold::detail
