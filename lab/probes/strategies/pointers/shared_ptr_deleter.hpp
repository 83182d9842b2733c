#pragma once
// Simple counted with a deleter: freehold::shared_ptr of an object from new that a function deletes, its control block
// from operator new too.

#include <freehold/pointers/shared_ptr.hpp>
#include <memory>

#include "freehold_owning.hpp"

namespace lab {

struct strategy : freehold_owning {
    template <class T>
    using pointer = freehold::shared_ptr<T>;

    template <class T>
    static pointer<T> adopt(T* object) {
        return pointer<T>(object, delete_object<T>, std::allocator<T>());
    }
};

}  // namespace lab
