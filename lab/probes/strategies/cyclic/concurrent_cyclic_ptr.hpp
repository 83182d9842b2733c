#pragma once
// Cyclic, shared heap: freehold::concurrent_cyclic_ptr in the one session that makes all objects, which counts plainly.
// So it takes no part in workloads whose threads make objects.

#include <freehold/cyclic/concurrent_cyclic_ptr.hpp>
#include <freehold/cyclic/concurrent_cyclic_weak_ptr.hpp>
#include <freehold/cyclic/cyclic_heap.hpp>
#include <utility>

#include "../../harness/collector_work.hpp"
#include "../pointers/freehold_owning.hpp"

namespace lab {

struct strategy : freehold_owning {
    template <class T>
    using pointer = freehold::concurrent_cyclic_ptr<T>;

    template <class T>
    using weak = freehold::concurrent_cyclic_weak_ptr<T>;

    // An object holds no pointer unless it says so itself.
    template <class Derived>
    struct base {
        void trace(auto&) const {}
    };

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return shared().heap.make<T>(std::forward<Arguments>(arguments)...);
    }

    // The heap counts its runs and reports no pauses.
    static collector_work collections() {
        static run_count counted;
        return counted.take(static_cast<long>(shared().heap.runs()));
    }

private:
    struct heap_in_use {
        freehold::cyclic_heap heap;
        freehold::cyclic_heap::session session{heap};
    };

    static heap_in_use& shared() {
        static heap_in_use used;
        return used;
    }
};

}  // namespace lab
