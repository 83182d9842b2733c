#pragma once
// What the sessions of a heap that threads share synchronize with. A test of interleavings puts its own in the place.

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace freehold::detail {

struct standard_threading {
    template <class T>
    using atomic = std::atomic<T>;

    using mutex = std::mutex;
    using condition_variable = std::condition_variable;
};

}  // namespace freehold::detail
