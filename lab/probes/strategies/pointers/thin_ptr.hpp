#pragma once
// Thin: freehold::thin_ptr, one word that leads to an object with an atomic count right before it.

#include <freehold/pointers/thin_ptr.hpp>
#include <utility>

#include "freehold_owning.hpp"

namespace lab {

struct strategy : freehold_owning {
    template <class T>
    using pointer = freehold::thin_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return freehold::make_thin<T>(std::forward<Arguments>(arguments)...);
    }
};

}  // namespace lab
