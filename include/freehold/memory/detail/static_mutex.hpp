#pragma once
// Mutexes that are there before the first constructor and after the last destructor, and survive a fork.
//
// A child that is forked while another thread holds a mutex would wait for ever. So there is one table of all of them,
// which a fork finds unlocked. Invariant: no thread locks one of them while it holds another.

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace freehold::detail {

// std::mutex may have a destructor, and then it would be destroyed.
struct static_mutex {
    pthread_mutex_t native = PTHREAD_MUTEX_INITIALIZER;

    void lock() noexcept { pthread_mutex_lock(&native); }
    void unlock() noexcept { pthread_mutex_unlock(&native); }
};

inline constinit static_mutex registry_mutex;                // for what concerns the threads, in all resources
inline constinit std::array<static_mutex, 16> pool_mutexes;  // for what one resource holds

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

// Returns: the mutex for the resource with this id. Resources may share one.
[[nodiscard]] inline static_mutex& mutex_of(std::uint64_t resource) noexcept {
    return pool_mutexes[resource % pool_mutexes.size()];
}

// Effects: from now on, a fork finds the mutexes unlocked.
inline void survive_fork() noexcept {
    static constexpr auto lock_all = [] {
        registry_mutex.lock();
        for (static_mutex& each : pool_mutexes) each.lock();
    };
    static constexpr auto unlock_all = [] {
        for (static_mutex& each : pool_mutexes) each.unlock();
        registry_mutex.unlock();
    };
    [[maybe_unused]] static const int registered = pthread_atfork(lock_all, unlock_all, unlock_all);
}

}  // namespace freehold::detail
