#pragma once
// Part of modules.hpp, which has the contracts.

#include "../../../config.hpp"

#if defined(FREEHOLD_LINUX)

#include <cstddef>
#include <cstdint>

#include <link.h>

#include "../../modules.hpp"

namespace freehold::inline v0_2::detail {

[[nodiscard]] inline bool is_in_module(const void* address) noexcept {
    const auto holds = [](::dl_phdr_info* module, std::size_t, void* asked) {
        for (std::size_t i = 0; i < module->dlpi_phnum; ++i) {
            const auto& segment = module->dlpi_phdr[i];
            if (segment.p_type != PT_LOAD || (segment.p_flags & PF_R) == 0) continue;
            const std::uintptr_t begin = module->dlpi_addr + segment.p_vaddr;
            if (reinterpret_cast<std::uintptr_t>(asked) - begin < segment.p_memsz) return 1;
        }
        return 0;
    };
    return ::dl_iterate_phdr(holds, const_cast<void*>(address)) != 0;
}

}  // namespace freehold::detail

#endif
