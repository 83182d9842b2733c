#pragma once
// RCU: a raw atomic pointer, which is read in a region that protects all that is read in it (freehold::rcu_domain).
// Objects come from new, and are retired by hand.

#include <atomic>
#include <freehold/reclamation/rcu_domain.hpp>
#include <mutex>
#include <utility>

#include "freehold_owning.hpp"

namespace lab {

// What a region protects.
template <class T>
class object_in_region {
public:
    explicit object_in_region(const std::atomic<T*>& place)
        : region_(freehold::rcu_default_domain()),
          object_(place.load(std::memory_order_acquire)) {}  // pairs with the release of replace

    T& operator*() const { return *object_; }

private:
    std::lock_guard<freehold::rcu_domain> region_;
    T* object_;
};

struct strategy : freehold_owning {
    template <class T>
    using pointer = std::atomic<T*>;

    template <class Derived>
    using base = freehold::rcu_obj_base<Derived>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return pointer<T>(new T(std::forward<Arguments>(arguments)...));
    }

    template <class T>
    static void release(std::atomic<T*>& last) {
        delete last.load();
    }

    template <class T>
    static object_in_region<T> load(const std::atomic<T*>& place) {
        return object_in_region<T>(place);
    }

    template <class T, class... Arguments>
    static void replace(std::atomic<T*>& place, Arguments&&... arguments) {
        // Release pairs with the acquire of readers, acquire with the release of the thread that made the old one.
        T* const old = place.exchange(new T(std::forward<Arguments>(arguments)...), std::memory_order_acq_rel);
        if (old != nullptr) old->retire();
    }
};

}  // namespace lab
