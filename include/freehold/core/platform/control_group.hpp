#pragma once
// How much memory the system lets a group of processes have, such as those of a container.
//
// Thread safety: any thread may call any function. Exceptions: std::bad_alloc.

#include <cstddef>
#include <limits>
#include <string_view>

#include "../config.hpp"

namespace freehold::inline v0_2::detail {

inline constexpr std::size_t no_limit = (std::numeric_limits<std::size_t>::max)();

// Returns: the bytes that the group of the calling process may have, with all groups above it; or no_limit. What cannot
// be read sets no limit. The system's files are looked for in the folder `root`, which is "/" except in tests.
// Cost: reads a few small files.
[[nodiscard]] inline std::size_t limit_of_control_group(std::string_view root);

#if !defined(FREEHOLD_LINUX)
[[nodiscard]] inline std::size_t limit_of_control_group(std::string_view /*root*/) { return no_limit; }
#endif

}  // namespace freehold::detail

#if defined(FREEHOLD_LINUX)
#include "detail/linux/control_group.hpp"
#endif
