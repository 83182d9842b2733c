#pragma once
// page_cache_thread: a thread that gives idle pages back to the system while the program calls nothing.
//
// A page_cache without it gives memory back only within calls of its own. With it, memory that was not needed for
// `decay` goes back at most 2.5 * decay after it was last used, and 0.8 ms later for each MiB of it. It goes back in
// the steps of the cache, with a pause after each, so that other threads' page faults do not wait for long.
//
// Cost: a thread, which wakes up twice in each decay, for some microseconds where nothing is to go back, and for at
// most some 40 microseconds for each 256 KiB that is. Its stack takes one page of memory. It blocks all signals. Thread
// safety: as an int; the cache may be used by any thread. A forked child starts a thread of its own when it first frees
// pages. Exceptions: none; a program that gets no thread runs as if there were none here, see is_running().

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

#include <csignal>
#include <ctime>
#include <mutex>  // brings the durations, for a tenth of what <chrono> costs

#include "../core/assert.hpp"
#include "detail/static_mutex.hpp"
#include "page_cache.hpp"

namespace freehold {

class page_cache_thread {
public:
    // Effects: starts the thread. Requires: the cache outlives this object, and decay > 0.
    explicit page_cache_thread(page_cache& cache = page_cache::shared(),
                               std::chrono::nanoseconds decay = std::chrono::milliseconds(500)) noexcept
        : cache_(cache), decay_(decay) {
        FREEHOLD_EXPECTS(decay.count() > 0, "the decay time is 0", "freehold::page_cache_thread");
        survive_fork();
        const detail::static_lock held(all_mutex);
        next_ = all;
        all = this;
        start();
    }

    page_cache_thread(const page_cache_thread&) = delete;
    page_cache_thread& operator=(const page_cache_thread&) = delete;

    // Effects: ends the thread. Waits for a step at most.
    ~page_cache_thread() {
        {
            const detail::static_lock held(all_mutex);
            page_cache_thread** place = &all;
            while (*place != this) place = &(*place)->next_;
            *place = next_;
        }
        if (!is_running_) return;
        pthread_mutex_lock(&mutex_);
        is_stopping_ = true;
        pthread_cond_signal(&wake_up_);
        pthread_mutex_unlock(&mutex_);
        pthread_join(thread_, nullptr);
        pthread_cond_destroy(&wake_up_);
    }

    // Returns: whether there is a thread: the system may have had none.
    [[nodiscard]] bool is_running() const noexcept {
        const detail::static_lock held(all_mutex);
        return is_running_;
    }

private:
    static constexpr long pause = 100'000;  // nanoseconds after each step

    // The following requires that all_mutex is locked.
    void start() noexcept {
        mutex_ = PTHREAD_MUTEX_INITIALIZER;
        is_stopping_ = false;
        pthread_condattr_t attributes;
        pthread_condattr_init(&attributes);
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        pthread_cond_init(&wake_up_, &attributes);
        pthread_condattr_destroy(&attributes);
        sigset_t all_signals;
        sigset_t before;
        sigfillset(&all_signals);
        pthread_sigmask(SIG_SETMASK, &all_signals, &before);
        is_running_ = pthread_create(&thread_, nullptr, &page_cache_thread::run, this) == 0;
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }

    static void* run(void* self) noexcept {
        static_cast<page_cache_thread*>(self)->work();
        return nullptr;
    }

    void work() noexcept {
        bool is_more = false;
        pthread_mutex_lock(&mutex_);
        while (!is_stopping_) {
            const std::timespec until = is_more ? after(std::chrono::nanoseconds(pause)) : after(decay_ / 2);
            pthread_cond_timedwait(&wake_up_, &mutex_, &until);
            if (is_stopping_) break;
            pthread_mutex_unlock(&mutex_);
            is_more = cache_.trim_step(decay_);
            pthread_mutex_lock(&mutex_);
        }
        pthread_mutex_unlock(&mutex_);
    }

    [[nodiscard]] static std::timespec after(std::chrono::nanoseconds delay) noexcept {
        constexpr std::chrono::nanoseconds::rep second = 1'000'000'000;
        std::timespec time;
        clock_gettime(CLOCK_MONOTONIC, &time);
        const auto nanoseconds = time.tv_nsec + delay.count() % second;
        time.tv_sec += delay.count() / second + nanoseconds / second;
        time.tv_nsec = nanoseconds % second;
        return time;
    }

    static void survive_fork() noexcept {
        detail::survive_fork();
        static const int once =
            pthread_atfork([] { all_mutex.lock_for_fork(); }, [] { all_mutex.unlock_after_fork(); },
                           [] {
                               all_mutex.unlock_after_fork();
                               for (page_cache_thread* each = all; each; each = each->next_) each->is_running_ = false;
                               if (all == nullptr) return;
                               // relaxed: this is the only thread
                               detail::restart_page_threads.store(&restart, std::memory_order_relaxed);
                           });
        static_cast<void>(once);
    }

    static void restart() noexcept {
        const detail::static_lock held(all_mutex);
        for (page_cache_thread* each = all; each != nullptr; each = each->next_) {
            if (!each->is_running_) each->start();
        }
    }

    static inline constinit detail::static_mutex all_mutex;
    static inline constinit page_cache_thread* all = nullptr;

    page_cache& cache_;
    std::chrono::nanoseconds decay_;
    pthread_mutex_t mutex_;  // guards is_stopping_
    pthread_cond_t wake_up_;
    pthread_t thread_;
    bool is_stopping_;
    bool is_running_;
    page_cache_thread* next_;
};

}  // namespace freehold
