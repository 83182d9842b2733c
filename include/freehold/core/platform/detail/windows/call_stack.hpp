#pragma once
// Part of call_stack.hpp, which has the contracts. A call is printed as its module and its distance from the module's
// begin; to find its source lines, addr2line wants the module's preferred base added to that.

#include "../../../config.hpp"

#if defined(FREEHOLD_WINDOWS)

#include <cstdint>
#include <cstdio>

#include "../../errors.hpp"
#include "declarations.hpp"

#define FREEHOLD_BACKTRACE 1

namespace freehold::inline v0_2::detail {

[[nodiscard]] inline int note_calls(void** calls, int most) noexcept {
    return RtlCaptureStackBackTrace(0, static_cast<windows_flags>(most), calls, nullptr);
}

inline void write_calls(void* const* calls, int count) noexcept {
    for (int i = 0; i < count; ++i) {
        ::HINSTANCE__* module = nullptr;
        GetModuleHandleExA(windows_module_of_address, static_cast<const char*>(calls[i]), &module);
        char name[260] = "?";
        GetModuleFileNameA(module, name, sizeof(name));
        const auto distance = reinterpret_cast<std::uintptr_t>(calls[i]) - reinterpret_cast<std::uintptr_t>(module);
        char line[300];
        std::snprintf(line, sizeof(line), "        %s+0x%llx\n", name, static_cast<unsigned long long>(distance));
        write_error(line);
    }
}

inline void print_calls_from(const void* place) noexcept {
    constexpr int max_calls = 32;
    void* calls[max_calls];
    const int count = note_calls(calls, max_calls);
    if (count == 0) return;
    int first = 0;
    while (first < count && calls[first] != place) ++first;
    if (first == count) first = 0;
    write_error("    called from:\n");
    write_calls(calls + first, count - first);
}

}  // namespace freehold::detail

#endif
