#pragma once
// The mutexes of pools, in a table, which a fork locks first.
//
// Invariant: no thread locks one of them while it holds another, except for a fork.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../../core/platform/at_fork.hpp"
#include "../../core/static_mutex.hpp"

namespace freehold::inline v0_2::detail {

inline constexpr std::size_t pool_mutex_count = 16;
inline constinit static_mutex pool_mutexes[pool_mutex_count];  // each guards some resources

// Returns: the mutex for the resource at this address. Resources may share one.
[[nodiscard]] inline static_mutex& mutex_for(const void* resource) noexcept {
    constexpr std::uintptr_t spacing = 256;  // resources are not much smaller
    return pool_mutexes[reinterpret_cast<std::uintptr_t>(resource) / spacing % pool_mutex_count];
}

// The thread_registry of the module, or null until a thread needs it.
inline constinit std::atomic<static_mutex*> registry_mutex = nullptr;

// Guards the making of the registry: a fork, which holds it, finds the registry or comes before it.
inline constinit static_mutex& registry_maker = pool_mutexes[0];

// relaxed, in both: the mutex under which the registry was published is locked, registry_maker

inline void lock_all_for_fork() noexcept {
    for (static_mutex& each : pool_mutexes) each.lock_for_fork();
    if (static_mutex* const registry = registry_mutex.load(std::memory_order_relaxed)) registry->lock_for_fork();
}

inline void unlock_all_after_fork() noexcept {
    if (static_mutex* const registry = registry_mutex.load(std::memory_order_relaxed)) registry->unlock_after_fork();
    for (static_mutex& each : pool_mutexes) each.unlock_after_fork();
}

// Effects: from now on, a forked child finds the mutexes unlocked.
inline void survive_fork() noexcept { at_fork<&lock_all_for_fork, &unlock_all_after_fork, &unlock_all_after_fork>(); }

}  // namespace freehold::detail
