#pragma once
// In-place counted from a standard pool: freehold::shared_ptr whose object is housed in its control block, from a pool
// that takes no lock because it belongs to the thread.

#include <freehold/pointers/make_shared.hpp>
#include <utility>

#include "freehold_owning.hpp"
#include "thread_pool.hpp"

namespace lab {

struct strategy : freehold_owning {
    template <class T>
    using pointer = freehold::shared_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return freehold::allocate_shared<T>(thread_pool<T>(), std::forward<Arguments>(arguments)...);
    }
};

}  // namespace lab
