#pragma once
// Mutexes that static objects may use in constructors and destructors, and that survive a fork.
//
// A child that is forked while another thread holds a mutex would deadlock. So a fork locks every mutex of the table
// first. The forking thread holds them until its parent and child handlers have run. Other handlers may allocate in
// between, so for that thread locking has no effect meanwhile.
//
// Invariant: no thread locks one of them while it holds another, except for a fork.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../../core/config.hpp"
#include "../../core/platform/at_fork.hpp"
#include "../../core/platform/threads.hpp"

namespace freehold::inline v0_2::detail {

class static_mutex {
public:
    void lock() noexcept {
        if (!is_held_for_fork()) native_.lock();
    }

    void unlock() noexcept {
        if (!is_held_for_fork()) native_.unlock();
    }

    // A handler of a fork may fork in turn, and each module calls it, so this nests.
    void lock_for_fork() noexcept {
        if (is_held_for_fork()) {
            ++forks_within_;
            return;
        }
        native_.lock();
        forking_.store(this_thread(), std::memory_order_relaxed);  // as below
    }

    // Effects: undoes lock_for_fork(), if the calling thread called that.
    void unlock_after_fork() noexcept {
        if (!is_held_for_fork()) return;
        if (forks_within_ > 0) {
            --forks_within_;
            return;
        }
        forking_.store(no_thread, std::memory_order_relaxed);  // as below
        native_.unlock();
    }

private:
    // relaxed: a thread finds its own id here only if it has stored it
    [[nodiscard]] bool is_held_for_fork() const noexcept {
        return forking_.load(std::memory_order_relaxed) == this_thread();
    }

    native_mutex native_;
    std::atomic<thread_id> forking_ = no_thread;
    unsigned forks_within_ = 0;  // for the thread that forks
};

static_assert(std::is_trivially_destructible_v<static_mutex>);

class [[nodiscard]] static_lock {
public:
    explicit static_lock(static_mutex& mutex) noexcept : mutex_(mutex) { mutex_.lock(); }
    static_lock(const static_lock&) = delete;
    static_lock& operator=(const static_lock&) = delete;
    ~static_lock() { mutex_.unlock(); }

private:
    static_mutex& mutex_;
};

// Returns: what use() does, which is called while the mutex is locked.
template <class Use>
FREEHOLD_ALWAYS_INLINE inline auto locked(static_mutex& mutex, Use use) noexcept {
    const static_lock held(mutex);
    return use();
}

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
