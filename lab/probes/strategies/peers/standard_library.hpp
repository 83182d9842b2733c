#pragma once
// Which standard library a probe was compiled against, with its version.

#include <version>

#include "../../text.hpp"

namespace lab {

#if defined(_LIBCPP_VERSION)
inline constexpr const char* standard_library = "libc++ " LAB_TEXT(_LIBCPP_VERSION);
#else
inline constexpr const char* standard_library = "libstdc++ " LAB_TEXT(__GLIBCXX__);
#endif

}  // namespace lab
