#pragma once
// Managed: freehold::managed_ptr, the sole owner of an object from new. It moves and cannot be copied.

#include <freehold/pointers/managed_ptr.hpp>

#include "freehold_owning.hpp"

namespace lab {

struct strategy : freehold_owning {
    template <class T>
    using pointer = freehold::managed_ptr<T>;

    template <class T>
    static pointer<T> adopt(T* object) {
        return pointer<T>(object);
    }
};

}  // namespace lab
