#pragma once
// Threads and mutexes that throw nothing, and that a static object may use before its constructor and after its
// destructor: a thread's id, a mutex, and a thread.
//
// Thread safety: any thread may call any function of a native_mutex, and one thread at a time those of a native_thread.
// Exceptions: none.

#include "../config.hpp"

#ifdef FREEHOLD_LINUX

#include <pthread.h>

namespace freehold::inline v0_2::detail {

// Compared with ==, which no two threads are that run at the same time. A fork does not change it.
using thread_id = pthread_t;
inline constexpr thread_id no_thread = {};

[[nodiscard]] inline thread_id this_thread() noexcept { return ::pthread_self(); }

// Effects: lets other threads run on the processor.
inline void yield() noexcept { ::sched_yield(); }

// Not std::mutex, which may have a destructor.
class native_mutex {
public:
    void lock() noexcept { ::pthread_mutex_lock(&native_); }
    void unlock() noexcept { ::pthread_mutex_unlock(&native_); }

private:
    pthread_mutex_t native_ = PTHREAD_MUTEX_INITIALIZER;
};

// Not std::thread, which throws.
class native_thread {
public:
    // Effects: a thread calls run(argument). Returns: false if the system has none.
    [[nodiscard]] bool start(void* (*run)(void* argument), void* argument) noexcept {
        return ::pthread_create(&native_, nullptr, run, argument) == 0;
    }

    // Effects: waits until the thread has ended. Requires: start() has returned true since the last call.
    // NOLINTNEXTLINE(readability-make-member-function-const): it may be called once
    void join() noexcept { ::pthread_join(native_, nullptr); }

private:
    pthread_t native_ = {};
};

}  // namespace freehold::detail

#endif
