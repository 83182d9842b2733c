#pragma once
// Intrusive, atomic: freehold::intrusive_ptr of an object that brings an atomic count.

#include <freehold/counting/atomic_counting.hpp>
#include <freehold/pointers/intrusive_ptr.hpp>
#include <freehold/pointers/ref_counted.hpp>

#include "freehold_owning.hpp"

namespace lab {

struct strategy : freehold_owning {
    template <class T>
    using pointer = freehold::intrusive_ptr<T>;

    template <class Derived>
    using base = freehold::ref_counted<Derived, freehold::atomic_counting>;

    template <class T>
    static pointer<T> adopt(T* object) {
        return pointer<T>(object);
    }
};

}  // namespace lab
