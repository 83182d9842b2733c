#pragma once
// checked_mutex and checked_condition: std::mutex and std::condition_variable_any under the checker.
//
// A thread goes on only if it is woken: a notification that is missing is a deadlock, which fails the execution.

#include <cstddef>
#include <cstdint>
#include <source_location>

#include "execution.hpp"

namespace support {

class checked_mutex {
    using place = std::source_location;

public:
    constexpr checked_mutex() noexcept = default;
    checked_mutex(const checked_mutex&) = delete;
    checked_mutex& operator=(const checked_mutex&) = delete;

    void lock(place where = place::current()) {
        execution* const run = execution::mine();
        if (run == nullptr) return;
        run->step();
        run->wait_until([this] { return !is_locked_; }, "lock", this, where);
        take(*run);
    }

    // Fails only if the mutex is locked, as those of the platforms do.
    [[nodiscard]] bool try_lock(place where = place::current()) {
        execution* const run = execution::mine();
        if (run == nullptr) return true;
        run->step();
        run->record("try_lock", this, "", is_locked_ ? "fails" : "succeeds", where);
        if (is_locked_) return false;
        take(*run);
        return true;
    }

    void unlock(place where = place::current()) {
        execution* const run = execution::mine();
        if (run == nullptr) return;
        run->step();
        run->record("unlock", this, "", "", where);
        if (!is_locked_ || owner_ != execution::thread()) run->fail("unlock by a thread that has not locked the mutex");
        released_ = run->now();
        is_locked_ = false;
        run->step_after();
    }

private:
    void take(execution& run) {
        is_locked_ = true;
        owner_ = execution::thread();
        if (locked_in_ == run.number()) {
            run.now().join(released_);
        } else {
            locked_in_ = run.number();
        }
        run.step_after();
    }

    bool is_locked_ = false;
    std::size_t owner_ = 0;
    std::uint64_t locked_in_ = 0;  // a view of another execution is none
    view released_;
};

class checked_condition {
    using place = std::source_location;

public:
    template <class Lock>
    void wait(Lock& held, place where = place::current()) {
        execution* const run = execution::mine();
        const std::size_t seen = notified_;
        held.unlock();
        run->wait_until([this, seen] { return notified_ != seen; }, "wait", this, where);
        held.lock();
    }

    template <class Lock, class Condition>
    void wait(Lock& held, Condition holds, place where = place::current()) {
        while (!holds()) wait(held, where);
    }

    void notify_one(place where = place::current()) { notify_all(where); }  // any waiting thread may wake spuriously

    void notify_all(place where = place::current()) {
        execution* const run = execution::mine();
        if (run == nullptr) return;
        run->step();
        run->record("notify_all", this, "", "", where);
        ++notified_;
    }

private:
    std::size_t notified_ = 0;
};

}  // namespace support
