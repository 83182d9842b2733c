// Wakes each thread that waits for a condition variable ten times a second. Linked into the tests for Windows.
//
// Without a futex, std::atomic::wait and what is built on it, such as std::latch, compare and sleep in two steps in
// libstdc++ 12, so that a notification in between is lost. A thread that is woken for no reason compares again.

#include <pthread.h>

#include <ctime>

// What the linker calls in place of pthread_cond_wait.
extern "C" int __wrap_pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
    constexpr long period = 100'000'000;
    constexpr long second = 1'000'000'000;
    timespec until{};
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += period;
    if (until.tv_nsec >= second) {
        until.tv_nsec -= second;
        ++until.tv_sec;
    }
    pthread_cond_timedwait(condition, mutex, &until);
    return 0;
}
