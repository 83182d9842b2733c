#pragma once
// std::shared_ptr from a plain `new`: the count is a second allocation.

#include <memory>

#include "../../pointer_strategy.hpp"
#include "standard_library.hpp"

namespace lab {

struct strategy : owning {
    static constexpr auto library = standard_library;

    template <class T>
    using pointer = std::shared_ptr<T>;

    template <class T>
    static pointer<T> adopt(T* object) {
        return pointer<T>(object);
    }
};

}  // namespace lab
