#pragma once
// What the strategies of heaps that threads share have in common: a thread's session, and how long collections took.

#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>

#include "collector_work.hpp"
#include "histogram.hpp"

namespace lab {

// Of a thread that makes objects in a Heap.
template <class Heap>
class heap_session {
public:
    explicit heap_session(Heap& heap) : own_(heap) {}

    auto lock(std::mutex& mutex) { return own_.lock(mutex); }

    void idle() {
        own_.safepoint();
        const typename Heap::pause others_work(own_);
        std::this_thread::yield();
    }

private:
    typename Heap::session own_;
};

// Of collections, which are never two at once.
class stop_log {
public:
    // Adds a collection that a heap reports.
    void add(const auto& done) {
        pauses_.add(done.pause);
        stopping_.add(static_cast<std::uint64_t>(done.stopping.count()));
    }

    collector_work take_pauses() { return pauses_.take(); }

    // Returns how long it took to stop all sessions, since the last call.
    histogram take_stops() { return std::exchange(stopping_, {}); }

private:
    pause_log pauses_;
    histogram stopping_;
};

}  // namespace lab
