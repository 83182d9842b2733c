#pragma once
// Part of code_modules.hpp, which has the contracts.

#include "../../config.hpp"

#if !defined(FREEHOLD_LINUX)

#include "../code_modules.hpp"

namespace freehold::inline v0_2::detail {

inline void visit_code(void (* /*visit*/)(void* context, const code_range& range), void* /*context*/) noexcept {}

[[nodiscard]] inline code_place place_of_code(const void* /*address*/) noexcept { return {}; }

}  // namespace freehold::detail

#endif
