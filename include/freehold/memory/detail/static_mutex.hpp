#pragma once
// Mutexes that are there before the first constructor and after the last destructor, and survive a fork.
//
// A child that is forked while another thread holds a mutex would wait for ever. So a fork locks every mutex of the
// table first. The thread that forks holds them all then, until its parent and child handlers have run. Handlers of
// others may allocate in between, so for that thread locking has no effect meanwhile.
//
// Invariant: no thread locks one of them while it holds another, but for a fork.

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

#include <array>
#include <atomic>
#include <cstdint>
#include <new>
#include <type_traits>

#include "pages.hpp"

namespace freehold::detail {

// std::mutex may have a destructor, and then it would be destroyed.
class static_mutex {
public:
    void lock() noexcept {
        if (!is_held_for_fork()) pthread_mutex_lock(&native_);
    }

    void unlock() noexcept {
        if (!is_held_for_fork()) pthread_mutex_unlock(&native_);
    }

    void lock_for_fork() noexcept {
        pthread_mutex_lock(&native_);
        forking_.store(pthread_self(), std::memory_order_relaxed);  // as below
    }

    // Effects: undoes lock_for_fork(), if the calling thread called that.
    void unlock_after_fork() noexcept {
        if (!is_held_for_fork()) return;
        forking_.store(no_thread, std::memory_order_relaxed);  // as below
        pthread_mutex_unlock(&native_);
    }

private:
    static constexpr pthread_t no_thread = {};

    // relaxed: a thread finds its own id here only if it has stored it
    [[nodiscard]] bool is_held_for_fork() const noexcept {
        return forking_.load(std::memory_order_relaxed) == pthread_self();
    }

    pthread_mutex_t native_ = PTHREAD_MUTEX_INITIALIZER;
    std::atomic<pthread_t> forking_ = no_thread;
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

inline constinit std::array<static_mutex, 16> pool_mutexes;  // for what one resource holds

// Returns: the mutex for the resource at this address. Resources may share one.
[[nodiscard]] inline static_mutex& mutex_for(const void* resource) noexcept {
    constexpr std::uintptr_t spacing = 256;  // resources are not much smaller
    return pool_mutexes[reinterpret_cast<std::uintptr_t>(resource) / spacing % pool_mutexes.size()];
}

// The mutex that decides between the end of a thread and that of a resource. It is in pages that are never given back:
// a resource may outlive the library that one of its heaps was used through.
inline constinit std::atomic<static_mutex*> registry_mutex = nullptr;

// Returns: the mutex, which exists from now on; or a null pointer if there is no memory.
[[nodiscard]] inline static_mutex* make_registry_mutex() noexcept {
    constexpr std::size_t page = std::size_t{64} * 1024;  // no system has larger ones
    // acquire: pairs with the release below, which publishes the mutex
    static_mutex* found = registry_mutex.load(std::memory_order_acquire);
    if (found != nullptr) return found;
    void* const memory = map_pages(page, page);
    if (memory == nullptr) return nullptr;
    auto* const made = ::new (memory) static_mutex;
    if (registry_mutex.compare_exchange_strong(found, made, std::memory_order_acq_rel, std::memory_order_acquire)) {
        return made;
    }
    unmap_pages(memory, page);
    return found;
}

// Effects: from now on, a fork finds the mutexes unlocked.
inline void survive_fork() noexcept {
    static constexpr auto lock_all = [] {
        // relaxed: it was made before this was registered, or there was no memory for it
        if (static_mutex* const registry = registry_mutex.load(std::memory_order_relaxed)) registry->lock_for_fork();
        for (static_mutex& each : pool_mutexes) each.lock_for_fork();
    };
    static constexpr auto unlock_all = [] {
        for (static_mutex& each : pool_mutexes) each.unlock_after_fork();
        if (static_mutex* const registry = registry_mutex.load(std::memory_order_relaxed))
            registry->unlock_after_fork();
    };
    [[maybe_unused]] static const int registered =
        (static_cast<void>(make_registry_mutex()), pthread_atfork(lock_all, unlock_all, unlock_all));
}

}  // namespace freehold::detail
