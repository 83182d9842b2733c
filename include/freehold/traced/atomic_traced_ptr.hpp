#pragma once
// atomic_traced_ptr<T>: a traced_ptr that the threads of a shared_traced_heap read and assign at once.
//
//     struct table {
//         freehold::atomic_traced_ptr<const config> current;      // readers take no lock
//     };
//     table->current.store(heap.make<config>(…));
//     const freehold::traced_local<const config> now = table->current.load();
//
// It is for members of objects of the heap, as traced_ptr is. What load() returns lives until the next safepoint of the
// thread; a traced_local keeps it longer. Until then its address is not used for another object, so compare_exchange
// has no ABA problem.
//
// Thread safety: all functions, from all threads with a session. A load acquires what the thread that stored has done
// before. Exceptions: none. Complexity: constant; lock-free. Cost: one word. A load is a plain load on x86-64; a store
// is one and the write barrier of a traced_ptr; an exchange is a locked operation and that.

#include <atomic>
#include <cstddef>

#include "../core/config.hpp"
#include "../core/type_name.hpp"
#include "../tracing/trace.hpp"
#include "detail/constructed_members.hpp"
#include "detail/heap_checks.hpp"
#include "detail/traced_handle.hpp"
#include "detail/write_barrier.hpp"
#include "traced_view.hpp"

namespace freehold::inline v0_2 {

template <class T>
class atomic_traced_ptr : public detail::traced_handle<atomic_traced_ptr<T>, T> {
public:
    using element_type = T;
    using value_type = traced_view<T>;

    static constexpr bool is_always_lock_free = std::atomic<T*>::is_always_lock_free;

    // Postconditions: load() == nullptr.
    atomic_traced_ptr() noexcept : atomic_traced_ptr(traced_view<T>()) {}

    // Effects: points to what the handle points to. Not atomic.
    template <class Handle>
        requires detail::traced_handle_to<Handle, T>
    atomic_traced_ptr(const Handle& first) noexcept : object_(first.get()) {
        if constexpr (detail::heap_checks::is_on) detail::constructed_members::note(this);
        detail::record_store(this, first.get(), detail::type_name<atomic_traced_ptr>);
    }

    // Effects: a load, then a store: others may store in between. (Without a copy, a class that holds one would count
    // as trivially copyable, in which no pointer is looked for.)
    atomic_traced_ptr(const atomic_traced_ptr& other) noexcept : atomic_traced_ptr(traced_view<T>(other.get())) {}
    atomic_traced_ptr& operator=(const atomic_traced_ptr& other) noexcept {
        store(traced_view<T>(other.get()));
        return *this;
    }

    // Effects: store(desired).
    template <class Handle>
        requires detail::traced_handle_to<Handle, T>
    atomic_traced_ptr& operator=(const Handle& desired) noexcept {
        store(desired);
        return *this;
    }
    atomic_traced_ptr& operator=(std::nullptr_t) noexcept {
        store(nullptr);
        return *this;
    }

    // Returns: a pointer to the object, which lives until the next safepoint of the calling thread. acquire: pairs with
    // the release in store(), exchange() and compare_exchange().
    [[nodiscard]] traced_view<T> load() const noexcept { return traced_view<T>(get()); }
    [[nodiscard]] T* get() const noexcept {
        T* const object = object_.load(std::memory_order_acquire);
        if constexpr (detail::heap_checks::is_on) {
            if (object != nullptr) detail::heap_checks::check_slot(this, object, detail::type_name<atomic_traced_ptr>);
        }
        return object;
    }

    // release, here and below: pairs with the acquire in load().
    void store(traced_view<T> desired) noexcept {
        object_.store(desired.get(), std::memory_order_release);
        record(desired);
    }

    // Returns: what it pointed to before.
    traced_view<T> exchange(traced_view<T> desired) noexcept {
        const traced_view<T> before(object_.exchange(desired.get(), std::memory_order_acq_rel));
        record(desired);
        return before;
    }

    // Effects: if it points to what `expected` does, points to `desired`; otherwise sets `expected` to what it points
    // to. Returns: whether it did the former. The weak one may do neither.
    bool compare_exchange_strong(traced_view<T>& expected, traced_view<T> desired) noexcept {
        T* seen = expected.get();
        const bool done =
            object_.compare_exchange_strong(seen, desired.get(), std::memory_order_acq_rel, std::memory_order_acquire);
        return finish(done, seen, expected, desired);
    }
    bool compare_exchange_weak(traced_view<T>& expected, traced_view<T> desired) noexcept {
        T* seen = expected.get();
        const bool done =
            object_.compare_exchange_weak(seen, desired.get(), std::memory_order_acq_rel, std::memory_order_acquire);
        return finish(done, seen, expected, desired);
    }

private:
    friend detail::traced_marker;

    // relaxed: as traced_ptr::target()
    [[nodiscard]] const void* target() const noexcept { return object_.load(std::memory_order_relaxed); }

    void record(traced_view<T> stored) noexcept {
        if constexpr (detail::heap_checks::is_on) {
            if (!stored) detail::heap_checks::check_emptied(this, detail::type_name<atomic_traced_ptr>);
        }
        detail::record_store(this, stored.get(), detail::type_name<atomic_traced_ptr>);
    }

    bool finish(bool done, T* seen, traced_view<T>& expected, traced_view<T> desired) noexcept {
        done ? record(desired) : void(expected = traced_view<T>(seen));
        return done;
    }

    std::atomic<T*> object_;
};

template <class T>
inline constexpr bool is_traced_pointer<atomic_traced_ptr<T>> = true;
template <class T>
inline constexpr bool needs_its_collector<atomic_traced_ptr<T>> = true;

}  // namespace freehold
