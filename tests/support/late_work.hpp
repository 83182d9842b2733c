#pragma once
// late_work: work for the last destructor of a thread, when the thread has left its heaps of pools.

#include <functional>

namespace support {

struct late_work {
    late_work() = default;
    late_work(const late_work&) = delete;
    late_work& operator=(const late_work&) = delete;

    ~late_work() {
        if (work) work();
    }

    std::function<void()> work;
};

// To be used before any pool is in the thread: it is constructed then, so destroyed after the thread's heaps were left.
inline thread_local late_work of_the_thread;

}  // namespace support
