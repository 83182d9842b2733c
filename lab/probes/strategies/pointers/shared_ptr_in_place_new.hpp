#pragma once
// In-place counted without a pool: freehold::shared_ptr whose object is housed in its control block, from operator new.

#include <freehold/pointers/make_shared.hpp>
#include <memory>
#include <utility>

#include "freehold_owning.hpp"

namespace lab {

struct strategy : freehold_owning {
    template <class T>
    using pointer = freehold::shared_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return freehold::allocate_shared<T>(std::allocator<T>(), std::forward<Arguments>(arguments)...);
    }
};

}  // namespace lab
