#pragma once
// Where the objects of a random program live: under each collector, paced in different ways. A family provides:
//   member<T>                     a pointer in an object that keeps a T alive
//   owner<T>                      a handle anywhere that does
//   weak<T>                       a handle that does not
//   make<T>(arguments...)         an owner of a new object
//   collect_some(), collect()     may find garbage; finds all there is
//   scope                         must exist while the rest is used
//   change                        exists while a container in an object is changed by what makes objects
//   has_interior_pointers, has_ephemerons, name

#include <freehold/cyclic/concurrent_cyclic_weak_ptr.hpp>
#include <freehold/cyclic/cycle_collector.hpp>
#include <freehold/cyclic/cyclic_heap.hpp>
#include <freehold/cyclic/cyclic_ptr.hpp>
#include <freehold/cyclic/cyclic_weak_ptr.hpp>
#include <freehold/traced/ephemeron.hpp>
#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_weak_ptr.hpp>

#include <cstddef>
#include <utility>

namespace contracts {

// Pacing: has `name` and options().
template <class Pacing>
struct traced_family {
    static constexpr const char* name = Pacing::name;
    static constexpr bool has_interior_pointers = true;
    static constexpr bool has_ephemerons = true;

    template <class T>
    using member = freehold::traced_ptr<T>;
    template <class T>
    using owner = freehold::traced_root<T>;
    template <class T>
    using weak = freehold::traced_weak_ptr<T>;

    template <class T, class... Arguments>
    static owner<T> make(Arguments&&... arguments) {
        return heap->make<T>(std::forward<Arguments>(arguments)...);
    }

    static void collect_some(std::size_t) { heap->collect_young(); }
    static void collect() { heap->collect(); }

    struct scope {
        scope() { heap = &its_heap; }
        scope(const scope&) = delete;
        scope& operator=(const scope&) = delete;
        ~scope() { heap = nullptr; }

        freehold::traced_heap its_heap{Pacing::options()};
    };

    struct change {
        freehold::traced_heap::deferral deferred{*heap};
    };

    static inline freehold::traced_heap* heap = nullptr;
};

struct seldom {
    static constexpr const char* name = "traced";
    static freehold::traced_heap_options options() { return {}; }
};

struct often {
    static constexpr const char* name = "traced_often";
    static freehold::traced_heap_options options() {
        freehold::traced_heap_options chosen;
        chosen.nursery_bytes = chosen.max_nursery_bytes = 1;
        chosen.min_full_bytes = 1;
        return chosen;
    }
};

// Full collections begin often, and are done in steps of one object.
struct in_steps {
    static constexpr const char* name = "traced_in_steps";
    static freehold::traced_heap_options options() {
        freehold::traced_heap_options chosen = often::options();
        chosen.growth_factor = 1;
        chosen.pause_budget = 1;
        return chosen;
    }
};

struct at_every_allocation {
    static constexpr const char* name = "traced_at_every_allocation";
    static freehold::traced_heap_options options() {
        freehold::traced_heap_options chosen;
        chosen.collect_at_every_allocation = true;
        return chosen;
    }
};

struct cyclic_family {
    static constexpr const char* name = "cyclic";
    static constexpr bool has_interior_pointers = false;
    static constexpr bool has_ephemerons = false;

    template <class T>
    using member = freehold::cyclic_ptr<T>;
    template <class T>
    using owner = freehold::cyclic_ptr<T>;
    template <class T>
    using weak = freehold::cyclic_weak_ptr<T>;

    template <class T, class... Arguments>
    static owner<T> make(Arguments&&... arguments) {
        return freehold::make_cyclic<T>(std::forward<Arguments>(arguments)...);
    }

    static void collect_some(std::size_t budget) { freehold::cycle_collector::collect(budget); }
    static void collect() { freehold::cycle_collector::collect(); }

    struct scope {};
    struct change {};
};

struct shared_family {
    static constexpr const char* name = "concurrent_cyclic";
    static constexpr bool has_interior_pointers = false;
    static constexpr bool has_ephemerons = false;

    template <class T>
    using member = freehold::concurrent_cyclic_ptr<T>;
    template <class T>
    using owner = freehold::concurrent_cyclic_ptr<T>;
    template <class T>
    using weak = freehold::concurrent_cyclic_weak_ptr<T>;

    template <class T, class... Arguments>
    static owner<T> make(Arguments&&... arguments) {
        return heap->make<T>(std::forward<Arguments>(arguments)...);
    }

    static void collect_some(std::size_t) { heap->collect(); }
    static void collect() { heap->collect(); }

    struct scope {
        scope() { heap = &its_heap; }
        scope(const scope&) = delete;
        scope& operator=(const scope&) = delete;
        ~scope() { heap = nullptr; }

        freehold::cyclic_heap its_heap;
        freehold::cyclic_heap::session session{its_heap};
    };
    struct change {};

    static inline freehold::cyclic_heap* heap = nullptr;
};

}  // namespace contracts
