#pragma once
// std::make_shared: an object that is housed beside its count, in memory from operator new.

#include <memory>
#include <utility>

#include "../../pointer_strategy.hpp"

namespace lab {

struct std_made : owning {
    template <class T>
    using pointer = std::shared_ptr<T>;

    template <class T>
    using weak = std::weak_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return std::make_shared<T>(std::forward<Arguments>(arguments)...);
    }
};

}  // namespace lab
