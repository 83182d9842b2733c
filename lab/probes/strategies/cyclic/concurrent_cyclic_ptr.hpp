#pragma once
// Cyclic, shared heap: freehold::concurrent_cyclic_ptr in the one session that makes all objects, which counts plainly.
// Where other threads make objects too, each has a session, and that one pauses.

#include <freehold/cyclic/concurrent_cyclic_ptr.hpp>
#include <freehold/cyclic/concurrent_cyclic_weak_ptr.hpp>
#include <freehold/cyclic/cyclic_heap.hpp>
#include <utility>

#include "../../harness/collector_work.hpp"
#include "../../harness/heap_sessions.hpp"
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

    static collector_work collections() { return stopped.take_pauses(); }
    static histogram stops() { return stopped.take_stops(); }

    struct session : heap_session<freehold::cyclic_heap> {
        session() : heap_session(shared().heap) {}
    };

    // While the first session waits for threads.
    class waiting {
        freehold::cyclic_heap::pause paused_{shared().session};
    };

private:
    static inline stop_log stopped;

    struct heap_in_use {
        freehold::cyclic_heap heap;
        freehold::cyclic_heap::session session{heap};

        heap_in_use() {
            heap.on_collection([](const freehold::cyclic_collection& done) { stopped.add(done); });
        }
    };

    static heap_in_use& shared() {
        static heap_in_use used;
        return used;
    }
};

}  // namespace lab
