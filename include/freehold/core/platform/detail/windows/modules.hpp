#pragma once
// Part of modules.hpp, which has the contracts.

#include "../../../config.hpp"

#if defined(FREEHOLD_WINDOWS)

#include "../../modules.hpp"
#include "declarations.hpp"
#include "pages.hpp"

namespace freehold::inline v0_2::detail {

[[nodiscard]] inline bool is_in_module(const void* address) noexcept {
    const windows_region region = region_of(address);
    return region.state == windows_mem_commit && region.kind == windows_mem_image &&
           (region.protection & (windows_page_noaccess | windows_page_guard)) == 0;
}

}  // namespace freehold::detail

#endif
