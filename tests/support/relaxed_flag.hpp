#pragma once
// relaxed_flag: a signal between threads that orders nothing.
//
// A test that makes one thread wait for another through it keeps the order of events on every run, yet leaves it to
// the library to make the writes of the one visible to the other: where it fails to, ThreadSanitizer reports a race.

#include <atomic>
#include <thread>

namespace support {

class relaxed_flag {
public:
    void raise() noexcept { raised_.store(true, std::memory_order_relaxed); }

    void wait() const noexcept {
        while (!raised_.load(std::memory_order_relaxed)) std::this_thread::yield();
    }

private:
    std::atomic<bool> raised_ = false;
};

}  // namespace support
