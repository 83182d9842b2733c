#pragma once
// Part of errors.hpp, which has the contracts.

#include <cstring>

#include "../../../config.hpp"

#if !defined(FREEHOLD_WINDOWS)

#include <unistd.h>

namespace freehold::inline v0_2::detail {

inline void write_error(const char* text) noexcept {
    static_cast<void>(!::write(STDERR_FILENO, text, std::strlen(text)));
}

}  // namespace freehold::detail

#endif
