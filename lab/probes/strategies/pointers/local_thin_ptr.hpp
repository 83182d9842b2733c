#pragma once
// Local thin: freehold::local_thin_ptr, one word that leads to an object with a plain count right before it.

#include <freehold/counting/plain_counting.hpp>
#include <freehold/pointers/thin_ptr.hpp>
#include <utility>

#include "freehold_owning.hpp"

namespace lab {

struct strategy : freehold_owning {
    template <class T>
    using pointer = freehold::local_thin_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return freehold::make_thin<T, freehold::plain_counting>(std::forward<Arguments>(arguments)...);
    }
};

}  // namespace lab
