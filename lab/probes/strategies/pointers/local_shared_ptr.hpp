#pragma once
// Local: freehold::local_shared_ptr, which counts with plain instructions, its object in place.

#include <freehold/pointers/local_shared_ptr.hpp>
#include <utility>

#include "freehold_owning.hpp"

namespace lab {

struct strategy : freehold_owning {
    template <class T>
    using pointer = freehold::local_shared_ptr<T>;

    template <class T>
    using weak = freehold::local_weak_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return freehold::make_local_shared<T>(std::forward<Arguments>(arguments)...);
    }
};

}  // namespace lab
