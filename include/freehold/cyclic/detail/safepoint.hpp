#pragma once
// safepoint: stops the sessions of a heap. Each counts as running until it waits here, pauses or ends.

#include <cstddef>
#include <mutex>

namespace freehold::detail {

// All functions but locked() are called with the lock, which they may release while they wait.
template <class Threading>
class safepoint {
public:
    using lock = std::unique_lock<typename Threading::mutex>;

    safepoint() = default;
    safepoint(const safepoint&) = delete;
    safepoint& operator=(const safepoint&) = delete;

    [[nodiscard]] lock locked() { return lock(mutex_); }

    // Effects: waits while the sessions are stopped. Then one session more runs.
    void begin(lock& held) {
        changed_.wait(held, [this] { return !is_stopped_; });
        ++running_;
    }

    // Effects: one session less runs.
    void end() {
        --running_;
        changed_.notify_all();
    }

    // Effects: waits while the sessions are stopped, as a session that does not run.
    void wait(lock& held) {
        while (is_stopped_) {
            end();
            begin(held);
        }
    }

    // Effects: calls ask(), which requests all others to stop, and waits until they have. The caller may release the
    // lock before resume(). Requires: the caller's session runs.
    template <class Ask>
    void stop(lock& held, Ask ask) {
        wait(held);
        is_stopped_ = true;
        --running_;
        ask();
        changed_.wait(held, [this] { return running_ == 0; });
    }

    // Effects: lets all sessions run again. Requires: the caller has stopped them.
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
