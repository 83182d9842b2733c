#pragma once
// Part of threads.hpp, which has the contracts.

#include "../../../config.hpp"

#if !defined(FREEHOLD_WINDOWS)

#include <pthread.h>

namespace freehold::inline v0_2::detail {

using thread_id = pthread_t;
inline constexpr thread_id no_thread = {};

[[nodiscard]] inline thread_id this_thread() noexcept { return ::pthread_self(); }

inline void yield() noexcept { ::sched_yield(); }

inline void name_this_thread([[maybe_unused]] const char* name) noexcept {
#if defined(FREEHOLD_LINUX)
    ::pthread_setname_np(::pthread_self(), name);
#elif defined(FREEHOLD_MACOS)
    ::pthread_setname_np(name);
#endif
}

class native_mutex {
public:
    void lock() noexcept { ::pthread_mutex_lock(&native_); }
    void unlock() noexcept { ::pthread_mutex_unlock(&native_); }

private:
    pthread_mutex_t native_ = PTHREAD_MUTEX_INITIALIZER;
};

class native_thread {
public:
    [[nodiscard]] bool start(void* (*run)(void* argument), void* argument) noexcept {
        return ::pthread_create(&native_, nullptr, run, argument) == 0;
    }

    // NOLINTNEXTLINE(readability-make-member-function-const): it may be called once
    void join() noexcept { ::pthread_join(native_, nullptr); }

private:
    pthread_t native_ = {};
};

}  // namespace freehold::detail

#endif
