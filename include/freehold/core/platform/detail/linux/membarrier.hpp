#pragma once
// Part of membarrier.hpp, which has the contracts.

#include "../../../config.hpp"

#if defined(FREEHOLD_LINUX)

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace freehold::inline v0_2::detail {

[[nodiscard]] inline bool prepare_fences() noexcept {
    return ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

[[nodiscard]] inline bool fence_all_threads() noexcept {
    const auto interrupt = [] { return ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0; };
    // A child of fork may have to register anew.
    return interrupt() || (prepare_fences() && interrupt());
}

}  // namespace freehold::detail

#endif
