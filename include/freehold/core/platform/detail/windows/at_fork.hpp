#pragma once
// Part of at_fork.hpp, which has the contracts. No process of Windows forks.

namespace freehold::inline v0_2::detail {

template <void (*Before)(), void (*InParent)(), void (*InChild)()>
void at_fork() noexcept {}

}  // namespace freehold::detail
