#pragma once
// static_mutex: a mutex that static objects may use in constructors and destructors, and that survives a fork.
//
// A child that is forked while another thread holds a mutex would deadlock. So a fork locks it first. The forking
// thread holds it until its parent and child handlers have run. Other handlers may use it in between, so for that
// thread locking has no effect meanwhile.

#include <atomic>
#include <type_traits>

#include "config.hpp"
#include "platform/threads.hpp"

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

}  // namespace freehold::detail
