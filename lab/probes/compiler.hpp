#pragma once
// Which compiler a probe was compiled with.

#include "text.hpp"

namespace lab {

#if defined(__clang__)
inline constexpr auto compiler = "clang++-" LAB_TEXT(__clang_major__);
#else
inline constexpr auto compiler = "g++-" LAB_TEXT(__GNUC__);
#endif

}  // namespace lab
