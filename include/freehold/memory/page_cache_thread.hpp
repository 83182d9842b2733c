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

#include <atomic>
#include <cstdint>
#include <mutex>  // brings the durations, for a tenth of what <chrono> costs
#include <utility>

#include "../core/assert.hpp"
#include "../core/platform/at_fork.hpp"
#include "../core/platform/signals.hpp"
#include "../core/platform/sleep.hpp"
#include "../core/platform/threads.hpp"
#include "detail/static_mutex.hpp"
#include "page_cache.hpp"

namespace freehold::inline v0_2 {

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
        is_stopping_.store(1, std::memory_order_relaxed);  // relaxed: the thread reads nothing else of this one's
        detail::wake_sleepers(&is_stopping_);
        thread_.join();
    }

    // Returns: whether there is a thread: the system may have had none.
    [[nodiscard]] bool is_running() const noexcept {
        const detail::static_lock held(all_mutex);
        return is_running_;
    }

private:
    static constexpr std::uint64_t pause = 100'000;  // nanoseconds after each step

    // Requires: all_mutex is locked.
    void start() noexcept {
        is_stopping_.store(0, std::memory_order_relaxed);  // relaxed: the start of the thread orders
        const detail::signals_blocked held;
        is_running_ = thread_.start(&page_cache_thread::run, this);
    }

    static void* run(void* started) noexcept {
        auto& self = *static_cast<page_cache_thread*>(started);
        const auto usual = static_cast<std::uint64_t>(self.decay_.count()) / 2;
        for (bool is_more = false;; is_more = self.cache_.trim_step(self.decay_)) {
            detail::sleep_while(&self.is_stopping_, 0, is_more ? pause : usual);
            if (self.is_stopping_.load(std::memory_order_relaxed) != 0) return nullptr;
        }
    }

    static void survive_fork() noexcept {
        detail::survive_fork();
        detail::at_fork<&lock_for_fork, &unlock_after_fork, &begin_child>();
    }

    static void lock_for_fork() noexcept {
        all_mutex.lock_for_fork();
        is_forking = true;
    }
    static void unlock_after_fork() noexcept { all_mutex.unlock_after_fork(); }

    static void begin_child() noexcept {
        all_mutex.unlock_after_fork();
        if (!std::exchange(is_forking, false)) return;  // another module has begun it
        for (page_cache_thread* each = all; each != nullptr; each = each->next_) each->is_running_ = false;
        if (all == nullptr) return;
        // relaxed: this is the only thread
        detail::restart_page_threads.store(&restart, std::memory_order_relaxed);
    }

    static void restart() noexcept {
        const detail::static_lock held(all_mutex);
        for (page_cache_thread* each = all; each != nullptr; each = each->next_) {
            if (!each->is_running_) each->start();
        }
    }

    static inline constinit detail::static_mutex all_mutex;
    static inline constinit page_cache_thread* all = nullptr;
    static inline constinit bool is_forking = false;  // read by a child alone

    page_cache& cache_;
    std::chrono::nanoseconds decay_;
    detail::native_thread thread_;
    std::atomic<std::uint32_t> is_stopping_ = 0;  // 1: the thread is to end
    bool is_running_;
    page_cache_thread* next_;
};

}  // namespace freehold
