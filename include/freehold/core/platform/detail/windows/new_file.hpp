#pragma once
// Part of new_file.hpp, which has the contracts. There are no heap profiles on Windows, and no other such files.

#include "../../../config.hpp"

#if defined(FREEHOLD_WINDOWS)

#include <cstddef>

#include "../../new_file.hpp"

namespace freehold::inline v0_2::detail {

[[nodiscard]] inline bool has_more_rights() noexcept { return false; }

inline new_file::new_file(const char* /*path*/) noexcept {}
inline new_file::~new_file() = default;

[[nodiscard]] inline bool new_file::write(const void* /*from*/, std::size_t /*bytes*/) const noexcept { return false; }

}  // namespace freehold::detail

#endif
