#pragma once
// A second thread with a session in a heap, which does one thing after the other as the test says.

#include <freehold/cyclic/cyclic_heap.hpp>

#include <functional>
#include <semaphore>
#include <thread>
#include <utility>

namespace support {

class session_thread {
public:
    // Effects: starts the thread, and waits until its session has begun and pauses.
    explicit session_thread(freehold::cyclic_heap& heap) : thread_([this, &heap] { work(heap); }) { end_.acquire(); }
    session_thread(const session_thread&) = delete;
    session_thread& operator=(const session_thread&) = delete;

    // Effects: ends the session and the thread.
    ~session_thread() {
        next_ = nullptr;
        begin_.release();
        thread_.join();
    }

    // Effects: calls work() in the thread, and waits until its session pauses again: what the test does from then on
    // finds an inbox that nobody empties.
    template <class Work>
    void run(freehold::cyclic_heap::session& session, Work work) {
        const freehold::cyclic_heap::pause waiting(session);
        next_ = std::move(work);
        begin_.release();
        end_.acquire();
    }

    [[nodiscard]] std::thread::id id() const noexcept { return thread_.get_id(); }

private:
    void work(freehold::cyclic_heap& heap) {
        freehold::cyclic_heap::session session(heap);
        while (true) {
            {
                const freehold::cyclic_heap::pause waiting(session);
                end_.release();
                begin_.acquire();
            }
            if (!next_) return;
            next_();
            next_ = [] {};
        }
    }

    std::function<void()> next_;
    std::binary_semaphore begin_{0};
    std::binary_semaphore end_{0};
    std::thread thread_;  // last: it uses the others
};

}  // namespace support
