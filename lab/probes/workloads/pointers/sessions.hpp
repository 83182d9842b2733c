#pragma once
// What a thread must say that uses objects of a collector: nothing, unless the strategy names a session.

#include <mutex>
#include <thread>

namespace lab {

struct no_session {
    static std::unique_lock<std::mutex> lock(std::mutex& mutex) { return std::unique_lock(mutex); }
    static void idle() { std::this_thread::yield(); }
};

template <class Strategy>
struct session_of {
    using type = no_session;
};

template <class Strategy>
    requires requires { typename Strategy::session; }
struct session_of<Strategy> {
    using type = typename Strategy::session;
};

// Calls `work`, which waits for other threads.
template <class Strategy, class Work>
auto wait_for(const Work& work) {
    if constexpr (requires { typename Strategy::waiting; }) {
        const typename Strategy::waiting others_work;
        return work();
    } else {
        return work();
    }
}

}  // namespace lab
