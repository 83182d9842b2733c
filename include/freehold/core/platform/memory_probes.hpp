#pragma once
// Where a tracer outside of the process may stop or look: at sampled allocations and their frees. The probes are those
// that the eBPF profiler of OpenTelemetry asks for, and gdb, bpftrace and perf know such as well. Only on Linux for
// x86-64 and AArch64.
//
// Thread safety: any thread may call any function. Exceptions: none. Cost: an instruction that does nothing while
// nobody looks. Each place where a call is compiled is a place of the probe, so there should be few.

#include <cstddef>
#include <cstdint>

#include "../config.hpp"

namespace freehold::inline v0_2::detail {

// The probe otel_memory:alloc. `stands_for`: the bytes that the sample stands for.
inline void probe_allocation(const void* block, std::size_t bytes, std::uint64_t stands_for) noexcept;

// The probe otel_memory:free, for a block that the other one has told of.
inline void probe_free(const void* block) noexcept;

#if !defined(FREEHOLD_LINUX) || !defined(__LP64__) || !(defined(__x86_64__) || defined(__aarch64__))
inline void probe_allocation(const void* /*block*/, std::size_t /*bytes*/, std::uint64_t /*stands_for*/) noexcept {}

inline void probe_free(const void* /*block*/) noexcept {}
#define FREEHOLD_HAS_NO_PROBES 1
#endif

}  // namespace freehold::detail

#ifndef FREEHOLD_HAS_NO_PROBES
#include "detail/linux/memory_probes.hpp"
#endif
