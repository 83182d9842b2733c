#pragma once
// Part of memory_probes.hpp, which has the contracts.
//
// A probe is an instruction that does nothing, and a note in the file of the program that says where it is and where
// its arguments are, as sys/sdt.h of SystemTap writes it. That header may not be installed, and its name is not ours.
// https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation

#include "../../../config.hpp"

#if defined(FREEHOLD_LINUX)

#include <cstddef>
#include <cstdint>

#include "../../memory_probes.hpp"

// The section of the note belongs to the group of its function (`?`), so that a linker drops both together. The byte in
// .stapsdt.base, of which a file has one, tells readers by how much the file was moved since it was linked.
// clang-format off
#define FREEHOLD_PROBE(name_and_arguments)                                  \
    "990: nop\n"                                                            \
    ".pushsection .note.stapsdt,\"?\",\"note\"\n"                           \
    ".balign 4\n"                                                           \
    ".4byte 992f-991f, 994f-993f, 3\n"                                      \
    "991: .asciz \"stapsdt\"\n"                                             \
    "992: .balign 4\n"                                                      \
    "993: .8byte 990b, _.stapsdt.base, 0\n"                                 \
    ".asciz \"otel_memory\", " name_and_arguments "\n"                      \
    "994: .balign 4\n"                                                      \
    ".popsection\n"                                                         \
    ".ifndef _.stapsdt.base\n"                                              \
    ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
    ".weak _.stapsdt.base\n"                                                \
    ".hidden _.stapsdt.base\n"                                              \
    "_.stapsdt.base: .space 1\n"                                            \
    ".size _.stapsdt.base, 1\n"                                             \
    ".popsection\n"                                                         \
    ".endif\n"
// clang-format on

namespace freehold::inline v0_2::detail {

// The arguments are where a function has its own: the profiler of OpenTelemetry reads these registers, not the note.

#if defined(__x86_64__)

inline void probe_allocation(const void* block, std::size_t bytes, std::uint64_t stands_for) noexcept {
    asm volatile(FREEHOLD_PROBE("\"alloc\", \"8@%%rdi 8@%%rsi 8@%%rdx\"") : : "D"(block), "S"(bytes), "d"(stands_for));
}

inline void probe_free(const void* block) noexcept {
    asm volatile(FREEHOLD_PROBE("\"free\", \"8@%%rdi\"") : : "D"(block));
}

#else

inline void probe_allocation(const void* block, std::size_t bytes, std::uint64_t stands_for) noexcept {
    register const void* first asm("x0") = block;
    register std::size_t second asm("x1") = bytes;
    register std::uint64_t third asm("x2") = stands_for;
    asm volatile(FREEHOLD_PROBE("\"alloc\", \"8@x0 8@x1 8@x2\"") : : "r"(first), "r"(second), "r"(third));
}

inline void probe_free(const void* block) noexcept {
    register const void* first asm("x0") = block;
    asm volatile(FREEHOLD_PROBE("\"free\", \"8@x0\"") : : "r"(first));
}

#endif

}  // namespace freehold::detail

#undef FREEHOLD_PROBE

#endif
