#pragma once
// spinning_mutex: a mutex for a few instructions, whose waiting threads try again before they block.
//
// A thread that blocks is woken 20 to 50 microseconds later, and a collection would wait for it: in a program of four
// threads that send each other objects, one stop in ten did.

#include <mutex>

#include "platform/processor.hpp"

namespace freehold::inline v0_2::detail {

class spinning_mutex {
public:
    void lock() {
        for (int tries = max_tries; tries > 0; --tries) {
            if (mutex_.try_lock()) return;
            relax();
        }
        mutex_.lock();
    }

    void unlock() { mutex_.unlock(); }

private:
    static constexpr int max_tries = 100;  // about 2 microseconds

    std::mutex mutex_;
};

}  // namespace freehold::detail
