#pragma once
// Which Freehold a probe was compiled against.

#include <freehold/core/version.hpp>

namespace lab {

inline constexpr const char* freehold_library = "Freehold " FREEHOLD_VERSION;

}  // namespace lab
