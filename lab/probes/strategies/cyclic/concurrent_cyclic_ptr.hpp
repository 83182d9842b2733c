#pragma once
// Cyclic, shared heap: freehold::concurrent_cyclic_ptr in the one session that makes all objects, which counts plainly.
// Where other threads make objects too, each has a session, and that one pauses.

#include <cstdint>
#include <freehold/cyclic/concurrent_cyclic_ptr.hpp>
#include <freehold/cyclic/concurrent_cyclic_weak_ptr.hpp>
#include <freehold/cyclic/cyclic_heap.hpp>
#include <mutex>
#include <thread>
#include <utility>

#include "../../harness/collector_work.hpp"
#include "../../harness/histogram.hpp"
#include "../pointers/freehold_owning.hpp"

namespace lab {

struct strategy : freehold_owning {
    template <class T>
    using pointer = freehold::concurrent_cyclic_ptr<T>;

    template <class T>
    using weak = freehold::concurrent_cyclic_weak_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return shared().heap.make<T>(std::forward<Arguments>(arguments)...);
    }

    static collector_work collections() { return pauses.take(); }

    // Returns how long it took to stop all sessions, since the last call.
    static histogram stops() { return std::exchange(stopping, {}); }

    // Of a thread that makes objects.
    class session {
    public:
        auto lock(std::mutex& mutex) { return own_.lock(mutex); }

        void idle() {
            own_.safepoint();
            const freehold::cyclic_heap::pause others_work(own_);
            std::this_thread::yield();
        }

    private:
        freehold::cyclic_heap::session own_{shared().heap};
    };

    // While the first session waits for threads.
    class waiting {
        freehold::cyclic_heap::pause paused_{shared().session};
    };

private:
    // Of collections, which are never two at once.
    static inline pause_log pauses;
    static inline histogram stopping;

    struct heap_in_use {
        freehold::cyclic_heap heap;
        freehold::cyclic_heap::session session{heap};

        heap_in_use() {
            heap.on_collection([](const freehold::cyclic_collection& done) {
                pauses.add(done.pause);
                stopping.add(static_cast<std::uint64_t>(done.stopping.count()));
            });
        }
    };

    static heap_in_use& shared() {
        static heap_in_use used;
        return used;
    }
};

}  // namespace lab
