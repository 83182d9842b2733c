#pragma once
// The owning pointers that pass one suite. A family gives the suite what it must know of a pointer:
//   pointer<T>                    the handle
//   base<Derived>                 what an object must derive from to be owned
//   make<T>(arguments...)         the first owner of a new object
//   owners(pointer)               the number of owners of the object
//   name                          the suite's name for it
//   begin()                       brings the process into the state to be tested
// A new owning pointer is one more family, and its name in a list at the end.

#include <gtest/gtest.h>
#include <freehold/counting/atomic_counting.hpp>
#include <freehold/counting/biased_counting.hpp>
#include <freehold/counting/plain_counting.hpp>
#include <freehold/counting/sharded_counting.hpp>
#include <freehold/cyclic/concurrent_cyclic_ptr.hpp>
#include <freehold/cyclic/cyclic_heap.hpp>
#include <freehold/cyclic/cyclic_ptr.hpp>
#include <freehold/pointers/biased_shared_ptr.hpp>
#include <freehold/pointers/intrusive_ptr.hpp>
#include <freehold/pointers/linked_ptr.hpp>
#include <freehold/pointers/local_shared_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/ref_counted.hpp>
#include <freehold/pointers/sharded_shared_ptr.hpp>
#include <freehold/pointers/shared_ptr.hpp>
#include <freehold/pointers/thin_ptr.hpp>

#include <utility>

#include "support/thread_state.hpp"

namespace contracts {

struct any_object {
    template <class Derived>
    struct base {};
};

struct shared_ptr_family : any_object {
    static constexpr const char* name = "shared_ptr";

    template <class T>
    using pointer = freehold::shared_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return pointer<T>(new T(std::forward<Arguments>(arguments)...));
    }

    static long owners(const auto& pointer) { return pointer.use_count(); }

    static void begin() {}
};

struct make_shared_with_threads : shared_ptr_family {
    static constexpr const char* name = "make_shared_with_threads";

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return freehold::make_shared<T>(std::forward<Arguments>(arguments)...);
    }

    static void begin() { support::start_first_thread(); }
};

struct local_shared_ptr_family : any_object {
    static constexpr const char* name = "local_shared_ptr";

    template <class T>
    using pointer = freehold::local_shared_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return freehold::make_local_shared<T>(std::forward<Arguments>(arguments)...);
    }

    static long owners(const auto& pointer) { return pointer.use_count(); }

    static void begin() {}
};

struct biased_shared_ptr_family : any_object {
    static constexpr const char* name = "biased_shared_ptr";

    template <class T>
    using pointer = freehold::biased_shared_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return freehold::make_biased_shared<T>(std::forward<Arguments>(arguments)...);
    }

    static long owners(const auto& pointer) { return pointer.use_count(); }

    static void begin() { support::start_first_thread(); }
};

// Counted as in a thread that did not make the object: its maker has left it.
struct left_biased_shared_ptr_family : biased_shared_ptr_family {
    static constexpr const char* name = "left_biased_shared_ptr";

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        auto made = freehold::make_biased_shared<T>(std::forward<Arguments>(arguments)...);
        freehold::leave_biased_counts();
        return made;
    }
};

struct sharded_shared_ptr_family : any_object {
    static constexpr const char* name = "sharded_shared_ptr";

    template <class T>
    using pointer = freehold::sharded_shared_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return freehold::make_sharded_shared<T>(std::forward<Arguments>(arguments)...);
    }

    static long owners(const auto& pointer) { return pointer.use_count(); }

    static void begin() { support::start_first_thread(); }
};

// Copies are counted apart.
struct open_sharded_shared_ptr_family : sharded_shared_ptr_family {
    static constexpr const char* name = "open_sharded_shared_ptr";

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        auto made = freehold::make_sharded_shared<T>(std::forward<Arguments>(arguments)...);
        freehold::open_shards(made);
        return made;
    }
};

// The last anchor was released.
struct closed_sharded_shared_ptr_family : open_sharded_shared_ptr_family {
    static constexpr const char* name = "closed_sharded_shared_ptr";

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        const auto made = open_sharded_shared_ptr_family::make<T>(std::forward<Arguments>(arguments)...);
        return pointer<T>(made);
    }
};

template <class Counting>
struct counted_object {
    template <class Derived>
    using base = freehold::ref_counted<Derived, Counting>;

    template <class T>
    using pointer = freehold::intrusive_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return freehold::make_intrusive<T>(std::forward<Arguments>(arguments)...);
    }

    static long owners(const auto& pointer) { return pointer ? pointer->use_count() : 0; }

    static void begin() {}
};

struct intrusive_ptr_with_threads : counted_object<freehold::atomic_counting> {
    static constexpr const char* name = "intrusive_ptr_with_threads";

    static void begin() { support::start_first_thread(); }
};

struct plain_intrusive_ptr_family : counted_object<freehold::plain_counting> {
    static constexpr const char* name = "plain_intrusive_ptr";
};

struct linked_ptr_family : any_object {
    static constexpr const char* name = "linked_ptr";

    template <class T>
    using pointer = freehold::linked_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return pointer<T>(new T(std::forward<Arguments>(arguments)...));
    }

    static long owners(const auto& pointer) { return pointer.use_count(); }

    static void begin() {}
};

template <class Counting>
struct thin : any_object {
    template <class T>
    using pointer = freehold::thin_ptr<T, Counting>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return freehold::make_thin<T, Counting>(std::forward<Arguments>(arguments)...);
    }

    static long owners(const auto& pointer) { return pointer.use_count(); }

    static void begin() {}
};

struct thin_ptr_with_threads : thin<freehold::atomic_counting> {
    static constexpr const char* name = "thin_ptr_with_threads";

    static void begin() { support::start_first_thread(); }
};

struct local_thin_ptr_family : thin<freehold::plain_counting> {
    static constexpr const char* name = "local_thin_ptr";
};

struct biased_thin_ptr_family : thin<freehold::biased_counting> {
    static constexpr const char* name = "biased_thin_ptr";

    static void begin() { support::start_first_thread(); }
};

struct sharded_thin_ptr_family : thin<freehold::sharded_counting> {
    static constexpr const char* name = "sharded_thin_ptr";

    static void begin() { support::start_first_thread(); }
};

struct collected_object {
    // The objects of the suites own others of their kind through `next` or `children`.
    template <class Derived>
    struct base {
        void trace(auto& visit) const {
            const auto& object = static_cast<const Derived&>(*this);
            if constexpr (requires { object.children; }) {
                visit(object.children);
            } else {
                visit(object.next);
            }
        }
    };

    static long owners(const auto& pointer) { return pointer.use_count(); }
};

struct cyclic_ptr_family : collected_object {
    static constexpr const char* name = "cyclic_ptr";

    template <class T>
    using pointer = freehold::cyclic_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return freehold::make_cyclic<T>(std::forward<Arguments>(arguments)...);
    }

    static void begin() {}
};

struct concurrent_cyclic_ptr_family : collected_object {
    static constexpr const char* name = "concurrent_cyclic_ptr";

    template <class T>
    using pointer = freehold::concurrent_cyclic_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        begin();
        return heap->make<T>(std::forward<Arguments>(arguments)...);
    }

    // Each thread of the suites has a session until it ends.
    static void begin() { static thread_local const freehold::cyclic_heap::session session(*heap); }

    // Never destroyed, as a suite may keep pointers until the program ends. Nor collected, as its threads wait for each
    // other outside of pauses.
    static inline freehold::cyclic_heap* const heap = [] {
        auto* const made = new freehold::cyclic_heap;
        made->set_automatic(false);
        return made;
    }();
};

using owning_pointers =
    testing::Types<shared_ptr_family, make_shared_with_threads, local_shared_ptr_family, biased_shared_ptr_family,
                   left_biased_shared_ptr_family, biased_thin_ptr_family, sharded_shared_ptr_family,
                   open_sharded_shared_ptr_family, closed_sharded_shared_ptr_family, sharded_thin_ptr_family,
                   intrusive_ptr_with_threads, plain_intrusive_ptr_family, linked_ptr_family, thin_ptr_with_threads,
                   local_thin_ptr_family, cyclic_ptr_family, concurrent_cyclic_ptr_family>;

// Those that also take over objects made elsewhere, convert to a base and print to a stream.
using general_pointers =
    testing::Types<shared_ptr_family, make_shared_with_threads, local_shared_ptr_family, biased_shared_ptr_family,
                   left_biased_shared_ptr_family, sharded_shared_ptr_family, open_sharded_shared_ptr_family,
                   closed_sharded_shared_ptr_family, intrusive_ptr_with_threads, plain_intrusive_ptr_family,
                   linked_ptr_family>;

}  // namespace contracts
