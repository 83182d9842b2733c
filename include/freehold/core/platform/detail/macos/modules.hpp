#pragma once
// Part of modules.hpp, which has the contracts.

#include "../../../config.hpp"

#if defined(FREEHOLD_MACOS)

#include <dlfcn.h>

#include "../../modules.hpp"

namespace freehold::inline v0_2::detail {

[[nodiscard]] inline bool is_in_module(const void* address) noexcept {
    ::Dl_info found = {};
    return ::dladdr(address, &found) != 0;
}

}  // namespace freehold::detail

#endif
