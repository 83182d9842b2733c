#pragma once
// safepoint: where the sessions of a heap stop for a collection.
//
// One word has the number of running sessions and a bit that requests a stop. A session counts as running until it
// waits here, pauses or ends. It stops by one locked operation on this word, without a mutex. (The collecting session
// holds the heap's mutex only while it tells the others.) The collecting session waits until the number is
// 0. It spins first, because sessions stop within microseconds. Stopped sessions block at once: a collection takes
// longer than a wake, and they leave their processors to sessions that still run. They can be called to help it.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "../core/event_count.hpp"

namespace freehold::inline v0_2::detail {

// Returns: a lock of the mutex. Effects: a Waiting(session) exists while the thread waits for it.
template <class Waiting, class Session, class Mutex>
[[nodiscard]] std::unique_lock<Mutex> lock_in_pause(Session& session, Mutex& mutex) {
    std::unique_lock<Mutex> held(mutex, std::try_to_lock);
    if (!held.owns_lock()) {
        const Waiting waiting(session);
        held.lock();
    }
    return held;
}

template <class Threading>
class safepoint {
public:
    // Effects: waits while the sessions are stopped. Then one session more runs. Meanwhile it calls help() before it
    // sleeps and whenever it wakes, as by call_for_help().
    template <class Help>
    void enter(Help help) noexcept {
        std::uint64_t seen = state_.load(std::memory_order_relaxed);  // the exchange below orders
        while (true) {
            if ((seen & stopped) != 0) {
                const auto has_resumed = [this, &help] {
                    if (is_stopped()) help();
                    return !is_stopped();
                };
                resumed_.wait(has_resumed, false);
                seen = state_.load(std::memory_order_relaxed);
                // acquire: the session sees what the collection did, before the release in resume()
            } else if (state_.compare_exchange_weak(seen, seen + one_running, std::memory_order_acquire,
                                                    std::memory_order_relaxed)) {
                return;
            }
        }
    }

    void enter() noexcept {
        enter([] {});
    }

    // Effects: one session less runs.
    void leave() noexcept {
        // release: pairs with stop(), which sees what the session did
        const std::uint64_t before = state_.fetch_sub(one_running, std::memory_order_release);
        if (before == (stopped | one_running)) stopped_.notify_all();
    }

    // Effects: waits while the sessions are stopped, as a session that does not run, and helps as enter(help) does.
    // Requires: the session runs.
    template <class Help>
    void wait(Help help) noexcept {
        if (!is_stopped()) return;
        leave();
        enter(help);
    }

    void wait() noexcept {
        wait([] {});
    }

    // Effects: calls ask(), which requests all others to stop, and waits until they have. If another session stops them
    // first, waits until they run again, and helps.
    // Returns: whether the calling session has stopped the others. Requires: the session runs.
    template <class Ask, class Help>
    [[nodiscard]] bool stop(Ask ask, Help help) {
        std::uint64_t seen = state_.load(std::memory_order_relaxed);
        do {
            if ((seen & stopped) != 0) {
                wait(help);
                return false;
            }
            // acq_rel: it sees what an earlier collection did; sessions that begin from now on see that it has begun
        } while (!state_.compare_exchange_weak(seen, (seen | stopped) - one_running, std::memory_order_acq_rel,
                                               std::memory_order_relaxed));
        ask();
        // acquire: pairs with leave()
        stopped_.wait([this] { return state_.load(std::memory_order_acquire) == stopped; }, true);
        return true;
    }

    template <class Ask>
    [[nodiscard]] bool stop(Ask ask) {
        return stop(ask, [] {});
    }

    // Effects: sessions that wait here call their help(). Requires: the caller has stopped them.
    void call_for_help() noexcept { resumed_.notify_all(); }

    // Effects: lets all sessions run again. Requires: the caller has stopped them.
    void resume() noexcept {
        // release: pairs with enter(). Nobody else changes the word now.
        state_.store(one_running, std::memory_order_release);
        resumed_.notify_all();
    }

    // Returns: whether a session has stopped the others, or is about to.
    [[nodiscard]] bool is_stopped() const noexcept {
        // acquire: pairs with resume(), where it is asked in order to go on
        return (state_.load(std::memory_order_acquire) & stopped) != 0;
    }

    // Returns: the number of running sessions. It may have changed since.
    [[nodiscard]] std::size_t running() const noexcept {
        return static_cast<std::size_t>(state_.load(std::memory_order_relaxed) / one_running);
    }

private:
    static constexpr std::uint64_t stopped = 1;
    static constexpr std::uint64_t one_running = 2;

    typename Threading::template atomic<std::uint64_t> state_ = 0;
    event_count<Threading> stopped_;  // the session that stops the others waits here
    event_count<Threading> resumed_;  // and here the others
};

}  // namespace freehold::detail
