#pragma once
// Calls a function in another thread with a session in a heap.

#include <thread>

namespace support {

// Effects: calls work(session), and waits for it. The calling thread has no session, or pauses.
template <class Heap, class Work>
void in_a_session(Heap& heap, Work work) {
    std::thread([&] {
        typename Heap::session session(heap);
        work(session);
    }).join();
}

// Effects: the same, while the session of the calling thread pauses.
template <class Heap, class Work>
void in_another_session(Heap& heap, typename Heap::session& own, Work work) {
    const typename Heap::pause waiting(own);
    support::in_a_session(heap, work);
}

}  // namespace support
