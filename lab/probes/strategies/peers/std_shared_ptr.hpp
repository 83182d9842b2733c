#pragma once
// std::shared_ptr with its object housed beside the count (std::make_shared): the reference of every ratio.

#include <memory>
#include <utility>

#include "../../pointer_strategy.hpp"
#include "standard_library.hpp"

namespace lab {

struct strategy : owning {
    static constexpr auto library = standard_library;

    template <class T>
    using pointer = std::shared_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return std::make_shared<T>(std::forward<Arguments>(arguments)...);
    }
};

}  // namespace lab
