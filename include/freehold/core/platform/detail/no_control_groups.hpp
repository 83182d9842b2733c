#pragma once
// Part of control_group.hpp, which has the contract: for a system that has no such groups.

#include <cstddef>
#include <string_view>

#include "../control_group.hpp"

namespace freehold::inline v0_2::detail {

[[nodiscard]] inline std::size_t limit_of_control_group(std::string_view) { return no_limit; }

}  // namespace freehold::detail
