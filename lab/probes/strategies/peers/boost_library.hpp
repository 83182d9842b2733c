#pragma once
// Which Boost a probe was compiled against.

#include <algorithm>
#include <array>
#include <boost/version.hpp>

namespace lab {

// "Boost 1.74" where BOOST_LIB_VERSION is "1_74".
inline constexpr auto boost_library_text = [] {
    auto text = std::to_array("Boost " BOOST_LIB_VERSION);
    std::ranges::replace(text, '_', '.');
    return text;
}();

inline constexpr const char* boost_library = boost_library_text.data();

}  // namespace lab
