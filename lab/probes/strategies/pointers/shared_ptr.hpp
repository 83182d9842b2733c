#pragma once
// In-place counted: freehold::shared_ptr whose object is housed in its control block, in one small block.

#include <freehold/pointers/make_shared.hpp>
#include <utility>

#include "../../pointer_strategy.hpp"
#include "../freehold_library.hpp"

namespace lab {

struct strategy : owning {
    static constexpr auto library = freehold_library;

    template <class T>
    using pointer = freehold::shared_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return freehold::make_shared<T>(std::forward<Arguments>(arguments)...);
    }
};

}  // namespace lab
