#pragma once
// Part of membarrier.hpp, which has the contracts. macOS has no such fence.

namespace freehold::inline v0_2::detail {

[[nodiscard]] inline bool prepare_fences() noexcept { return false; }
[[nodiscard]] inline bool fence_all_threads() noexcept { return false; }

}  // namespace freehold::detail
