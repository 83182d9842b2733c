#pragma once
// stepping_threading: what the sessions of a shared heap synchronize with, each operation a step of an interleaving.

#include <freehold/counting/atomic_counting.hpp>

#include <cstddef>

#include "interleaving.hpp"
#include "stepping_atomic.hpp"
#include "stepping_mutex.hpp"

namespace support {

// A waiter goes on only when it is notified: a notification that is missing is a deadlock, which ends the program. A
// notification between the question and the sleep is not missed, as with a futex.
class stepping_event_count {
public:
    stepping_event_count() = default;
    stepping_event_count(const stepping_event_count&) = delete;
    stepping_event_count& operator=(const stepping_event_count&) = delete;

    template <class Condition>
    void wait(Condition condition, bool /*is_expected_soon*/) {
        for (std::size_t seen = notified_; !condition(); seen = notified_) {
            interleaving::wait_until([this, seen] { return notified_ != seen; });
        }
    }

    void notify_all() {
        interleaving::step();
        ++notified_;
    }

private:
    std::size_t notified_ = 0;
};

struct stepping_threading {
    template <class T>
    using atomic = stepping_atomic<T>;

    using counting = freehold::atomic_counting;
    using mutex = stepping_mutex;
    using event_count = stepping_event_count;
};

}  // namespace support
