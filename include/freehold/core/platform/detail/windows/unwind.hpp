#pragma once
// Part of unwind.hpp, which has the contracts.

#include "../../../config.hpp"

#if defined(FREEHOLD_WINDOWS)

#include "../../unwind.hpp"

namespace freehold::inline v0_2::detail {

inline constexpr bool finds_calls = false;

[[nodiscard]] inline int unwind_calls(void** /*calls*/, int /*most*/) noexcept { return 0; }

}  // namespace freehold::detail

#endif
