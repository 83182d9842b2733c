#pragma once
// stepping_threading: what the sessions of a shared heap synchronize with, each operation a step of an interleaving.

#include <freehold/counting/atomic_counting.hpp>

#include <cstddef>

#include "interleaving.hpp"
#include "stepping_atomic.hpp"
#include "stepping_mutex.hpp"

namespace support {

// A waiter goes on only when it is notified: a notification that is missing is a deadlock, which ends the program.
class stepping_condition_variable {
public:
    stepping_condition_variable() = default;
    stepping_condition_variable(const stepping_condition_variable&) = delete;
    stepping_condition_variable& operator=(const stepping_condition_variable&) = delete;

    void notify_all() noexcept { ++notified_; }

    template <class Lock, class Condition>
    void wait(Lock& held, Condition condition) {
        while (!condition()) {
            held.unlock();
            interleaving::wait_until([this, before = notified_] { return notified_ != before; });
            held.lock();
        }
    }

private:
    std::size_t notified_ = 0;
};

struct stepping_threading {
    template <class T>
    using atomic = stepping_atomic<T>;

    using counting = freehold::atomic_counting;
    using mutex = stepping_mutex;
    using condition_variable = stepping_condition_variable;
};

}  // namespace support
