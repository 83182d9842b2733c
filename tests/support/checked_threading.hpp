#pragma once
// checked_threading: the Threading of the checker (core/threading.hpp). A test whose headers count in plain words
// includes checked_counting.hpp before all of them.

#include <atomic>
#include <source_location>

#include "checked_asymmetric_fence.hpp"
#include "checked_atomic.hpp"
#include "checked_atomic_ref.hpp"
#include "checked_mutex.hpp"
#include "checked_sleep.hpp"

namespace support {

struct checked_counting;

struct checked_threading : checked_sleep {
    template <class T>
    using atomic = checked_atomic<T>;
    template <class T>
    using atomic_ref = checked_atomic_ref<T>;

    using fence = checked_asymmetric_fence;
    using mutex = checked_mutex;
    using counting = checked_counting;

    static void thread_fence(std::memory_order order, std::source_location where = std::source_location::current()) {
        checked_fence(order, where);
    }

    static void yield() {}
    static void rest() {}
};

}  // namespace support
