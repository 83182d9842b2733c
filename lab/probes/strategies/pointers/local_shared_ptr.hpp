#pragma once
// Local: freehold::local_shared_ptr, which counts with plain instructions, its object in place.

#include <freehold/pointers/local_shared_ptr.hpp>
#include <utility>

#include "../../pointer_strategy.hpp"
#include "../freehold_library.hpp"

namespace lab {

struct strategy : owning {
    static constexpr auto library = freehold_library;

    template <class T>
    using pointer = freehold::local_shared_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return freehold::make_local_shared<T>(std::forward<Arguments>(arguments)...);
    }
};

}  // namespace lab
