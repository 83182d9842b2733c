#pragma once
// What the system tells a process of itself and of the machine.
//
// Thread safety: any thread may call any function. Exceptions: none.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../config.hpp"

#ifdef FREEHOLD_LINUX

#include <unistd.h>

#ifdef FREEHOLD_HARDENED  // others need no such header
#include <sys/auxv.h>
#endif

namespace freehold::inline v0_2::detail {

// Returns: how many processors the machine has, or 0 if the system does not know it.
[[nodiscard]] inline std::size_t count_processors() noexcept {
    const long found = ::sysconf(_SC_NPROCESSORS_CONF);
    return found > 0 ? static_cast<std::size_t>(found) : 0;
}

// Returns: a number that no other process has as long as this one exists.
[[nodiscard]] inline std::uint64_t process_id() noexcept { return static_cast<std::uint64_t>(::getpid()); }

#ifdef FREEHOLD_HARDENED

// Returns: a number that other processes do not know, the same in all modules of this one and at all times.
[[nodiscard]] inline std::uint64_t secret_of_process() noexcept {
    std::uint64_t found = 0;
    if (const unsigned long random = ::getauxval(AT_RANDOM)) {
        // The second half: the C library has its own secrets in the first.
        std::memcpy(&found, reinterpret_cast<const char*>(random) + sizeof(found), sizeof(found));
    }
    // Elsewhere, where the system has put its library.
    return found != 0 ? found : reinterpret_cast<std::uintptr_t>(&::write) * 0x9E3779B97F4A7C15U;
}

#endif

}  // namespace freehold::detail

#endif
