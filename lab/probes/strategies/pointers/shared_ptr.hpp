#pragma once
// In-place counted: freehold::shared_ptr whose object is housed in its control block, in one small block.

#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/weak_ptr.hpp>
#include <utility>

#include "freehold_owning.hpp"

namespace lab {

struct strategy : freehold_owning {
    template <class T>
    using pointer = freehold::shared_ptr<T>;

    template <class T>
    using weak = freehold::weak_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return freehold::make_shared<T>(std::forward<Arguments>(arguments)...);
    }
};

}  // namespace lab
