#pragma once
// Part of process.hpp, which has the contracts: what Linux and macOS tell alike.

#include "../../../config.hpp"

#if !defined(FREEHOLD_WINDOWS)

#include <cstddef>
#include <cstdint>

#include <unistd.h>

namespace freehold::inline v0_2::detail {

[[nodiscard]] inline std::size_t count_processors() noexcept {
    const long found = ::sysconf(_SC_NPROCESSORS_CONF);
    return found > 0 ? static_cast<std::size_t>(found) : 0;
}

[[nodiscard]] inline std::uint64_t process_id() noexcept { return static_cast<std::uint64_t>(::getpid()); }

}  // namespace freehold::detail

#endif
