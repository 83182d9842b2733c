#pragma once
// Where objects that may own each other in cycles live: in one thread, or in a heap that threads share. Both pass one
// suite. A family provides:
//   pointer<T>, weak_pointer<T>   the handles
//   make<T>(arguments...)         the first owner of a new object
//   collect(), collect(budget), set_automatic(), runs(), objects(), statistics(), roots(), trim()
//   scope                         must exist while the rest is used
//   in_another(work)              calls work() where other objects live, which all end afterwards
//   name                          the suite's name for it

#include <gtest/gtest.h>
#include <freehold/cyclic/concurrent_cyclic_ptr.hpp>
#include <freehold/cyclic/concurrent_cyclic_weak_ptr.hpp>
#include <freehold/cyclic/cycle_collector.hpp>
#include <freehold/cyclic/cyclic_heap.hpp>
#include <freehold/cyclic/cyclic_ptr.hpp>
#include <freehold/cyclic/cyclic_weak_ptr.hpp>

#include <cstddef>
#include <string>
#include <thread>
#include <utility>

#include "support/contract.hpp"
#include "support/tracked.hpp"

namespace contracts {

struct one_thread : freehold::cycle_collector {
    static constexpr const char* name = "one_thread";

    template <class T>
    using pointer = freehold::cyclic_ptr<T>;
    template <class T>
    using weak_pointer = freehold::cyclic_weak_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return freehold::make_cyclic<T>(std::forward<Arguments>(arguments)...);
    }

    struct scope {};

    // Effects: calls work() in a thread, and ends that.
    template <class Work>
    static void in_another(Work work) {
        std::thread(work).join();
    }
};

struct shared_heap {
    static constexpr const char* name = "shared_heap";

    template <class T>
    using pointer = freehold::concurrent_cyclic_ptr<T>;
    template <class T>
    using weak_pointer = freehold::concurrent_cyclic_weak_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return heap->make<T>(std::forward<Arguments>(arguments)...);
    }

    static std::size_t collect() { return heap->collect(); }
    static std::size_t collect(std::size_t budget) { return heap->collect(budget); }
    static void set_automatic(bool automatic) { heap->set_automatic(automatic); }
    static std::size_t runs() { return heap->runs(); }
    static std::size_t objects() { return heap->objects(); }
    static auto statistics() { return heap->statistics(); }
    static auto roots() { return heap->roots(); }
    static void trim() { heap->trim(); }

    // Its objects may make others until they are all destroyed.
    struct scope {
        scope() noexcept { heap = &its_heap; }

        struct restored {
            restored() = default;
            restored(const restored&) = delete;
            restored& operator=(const restored&) = delete;
            ~restored() { heap = before; }

            freehold::cyclic_heap* before = heap;
        };

        restored outer;
        freehold::cyclic_heap its_heap;
        freehold::cyclic_heap::session session{its_heap};
    };

    // Effects: calls work() with a heap of its own, and destroys that.
    template <class Work>
    static void in_another(Work work) {
        std::thread([&work] {
            const scope its_own;
            work();
        }).join();
    }

    static inline thread_local freehold::cyclic_heap* heap = nullptr;
};

// Of a class that names its family.
template <class T>
using pointer = typename T::family::template pointer<T>;
template <class T>
using weak_pointer = typename T::family::template weak_pointer<T>;

template <class T, class... Arguments>
pointer<T> make(Arguments&&... arguments) {
    return T::family::template make<T>(std::forward<Arguments>(arguments)...);
}

// Returns: one of `length` objects, each of which owns the next, and the last the first.
template <class T>
pointer<T> make_ring(int length) {
    auto last = make<T>();
    auto first = last;
    for (int i = 1; i < length; ++i) {
        auto added = make<T>();
        added->next = std::move(first);
        first = std::move(added);
    }
    last->next = first;
    return first;
}

// A test that begins and ends with nothing alive, and collects when it asks for that.
template <class Family>
class cyclic_collection : public support::tracked_test {
protected:
    void SetUp() override {
        Family::set_automatic(false);
        support::tracked_test::SetUp();
    }

    void TearDown() override {
        EXPECT_EQ(Family::objects(), 0U);
        support::tracked_test::TearDown();
        Family::set_automatic(true);
    }

private:
    typename Family::scope scope_;
};

// The suites of the other files.
template <class Family>
class cyclic_objects : public cyclic_collection<Family> {};

template <class Family>
class cyclic_weak_pointers : public cyclic_collection<Family> {};

template <class Family>
class nested_garbage : public cyclic_collection<Family> {};

using families = testing::Types<one_thread, shared_heap>;

}  // namespace contracts

template <>
struct support::implementations<contracts::cyclic_collection> {
    using types = contracts::families;
};

template <>
struct support::implementations<contracts::cyclic_objects> {
    using types = contracts::families;
};

template <>
struct support::implementations<contracts::cyclic_weak_pointers> {
    using types = contracts::families;
};

template <>
struct support::implementations<contracts::nested_garbage> {
    using types = contracts::families;
};
