#pragma once
// Thin: freehold::thin_ptr, one word that leads to an object with an atomic count right before it.

#include <freehold/pointers/thin_ptr.hpp>
#include <utility>

#include "../../pointer_strategy.hpp"
#include "../freehold_library.hpp"

namespace lab {

struct strategy : owning {
    static constexpr auto library = freehold_library;

    template <class T>
    using pointer = freehold::thin_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return freehold::make_thin<T>(std::forward<Arguments>(arguments)...);
    }
};

}  // namespace lab
