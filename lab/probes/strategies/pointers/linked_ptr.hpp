#pragma once
// Linked: freehold::linked_ptr, whose owners form a ring instead of counting.

#include <freehold/pointers/linked_ptr.hpp>

#include "freehold_owning.hpp"

namespace lab {

struct strategy : freehold_owning {
    template <class T>
    using pointer = freehold::linked_ptr<T>;

    template <class T>
    static pointer<T> adopt(T* object) {
        return pointer<T>(object);
    }
};

}  // namespace lab
