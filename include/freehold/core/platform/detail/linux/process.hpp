#pragma once
// Part of process.hpp, which has the contracts.

#include "../../../config.hpp"

#if defined(FREEHOLD_LINUX)

#include <cstdint>
#include <cstring>

#include <unistd.h>

#ifdef FREEHOLD_HARDENED  // others need no such header
#include <sys/auxv.h>
#endif

#include "../posix/process.hpp"

namespace freehold::inline v0_2::detail {

#ifdef FREEHOLD_HARDENED

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
