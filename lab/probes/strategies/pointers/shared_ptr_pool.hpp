#pragma once
// Special counted: freehold::shared_ptr of an object from new, its control block from the pool of small blocks.

#include <freehold/pointers/shared_ptr.hpp>

#include "freehold_owning.hpp"

namespace lab {

struct strategy : freehold_owning {
    template <class T>
    using pointer = freehold::shared_ptr<T>;

    template <class T>
    static pointer<T> adopt(T* object) {
        return pointer<T>(object);
    }
};

}  // namespace lab
