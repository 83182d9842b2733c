#pragma once
// Special counted from a standard pool: freehold::shared_ptr of an object from new, its control block from a pool that
// takes no lock because it belongs to the thread.

#include <freehold/pointers/shared_ptr.hpp>
#include <memory>

#include "freehold_owning.hpp"
#include "thread_pool.hpp"

namespace lab {

struct strategy : freehold_owning {
    template <class T>
    using pointer = freehold::shared_ptr<T>;

    template <class T>
    static pointer<T> adopt(T* object) {
        return pointer<T>(object, std::default_delete<T>(), thread_pool<T>());
    }
};

}  // namespace lab
