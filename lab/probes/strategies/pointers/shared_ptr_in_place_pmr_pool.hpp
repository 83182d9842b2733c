#pragma once
// In-place counted from a standard pool: freehold::shared_ptr whose object is housed in its control block, from a pool
// that takes no lock because it belongs to the thread.

#include <freehold/pointers/make_shared.hpp>
#include <utility>

#include "../../pointer_strategy.hpp"
#include "../freehold_library.hpp"
#include "thread_pool.hpp"

namespace lab {

struct strategy : owning {
    static constexpr auto library = freehold_library;

    template <class T>
    using pointer = freehold::shared_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return freehold::allocate_shared<T>(thread_pool<T>(), std::forward<Arguments>(arguments)...);
    }
};

}  // namespace lab
