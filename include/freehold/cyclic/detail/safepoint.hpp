#pragma once
// How the sessions of a heap are stopped: each counts as running, until it comes to a point where it may stand still.

#include <cstddef>
#include <mutex>

namespace freehold::detail {

// All functions are called with the lock, which they may give away meanwhile.
template <class Threading>
class safepoint {
public:
    using lock = std::unique_lock<typename Threading::mutex>;

    safepoint() = default;
    safepoint(const safepoint&) = delete;
    safepoint& operator=(const safepoint&) = delete;

    [[nodiscard]] lock locked() { return lock(mutex_); }

    // Effects: one session more runs, once none is stopped.
    void begin(lock& held) {
        changed_.wait(held, [this] { return !is_stopped_; });
        ++running_;
    }

    // Effects: one session less runs.
    void end() {
        --running_;
        changed_.notify_all();
    }

    // Effects: waits, as one that does not run, while somebody has stopped the sessions or wants to.
    void stand_still(lock& held) {
        while (is_stopped_) {
            end();
            begin(held);
        }
    }

    // Effects: calls ask(), which asks all others to stand still, and waits until they do. The lock may be given away
    // until resume().
    // Requires: the caller's session runs.
    template <class Ask>
    void stop(lock& held, Ask ask) {
        stand_still(held);
        is_stopped_ = true;
        --running_;
        ask();
        changed_.wait(held, [this] { return running_ == 0; });
    }

    // Effects: all may run again. Requires: the caller has stopped them.
    void resume() {
        is_stopped_ = false;
        ++running_;
        changed_.notify_all();
    }

    [[nodiscard]] bool is_stopped() const noexcept { return is_stopped_; }

private:
    typename Threading::mutex mutex_;
    typename Threading::condition_variable changed_;
    std::size_t running_ = 0;
    bool is_stopped_ = false;
};

}  // namespace freehold::detail
