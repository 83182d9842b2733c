#pragma once
// Part of errors.hpp, which has the contracts. By the C library's file 2, which a program may have redirected.

#include <cstring>

#include "../../../config.hpp"

#if defined(FREEHOLD_WINDOWS)

#include <io.h>

namespace freehold::inline v0_2::detail {

inline void write_error(const char* text) noexcept {
    constexpr int standard_error = 2;
    static_cast<void>(::_write(standard_error, text, static_cast<unsigned>(std::strlen(text))));
}

}  // namespace freehold::detail

#endif
