#pragma once
// Biased: freehold::biased_shared_ptr, whose objects are counted with plain instructions in the thread that made them.

#include <freehold/pointers/biased_shared_ptr.hpp>
#include <utility>

#include "freehold_owning.hpp"

namespace lab {

struct strategy : freehold_owning {
    template <class T>
    using pointer = freehold::biased_shared_ptr<T>;

    template <class T>
    using weak = freehold::biased_weak_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return freehold::make_biased_shared<T>(std::forward<Arguments>(arguments)...);
    }
};

}  // namespace lab
