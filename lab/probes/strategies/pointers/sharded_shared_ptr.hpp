#pragma once
// Sharded: freehold::sharded_shared_ptr, whose copies are counted in a cache line for each processor.

#include <freehold/pointers/sharded_shared_ptr.hpp>
#include <utility>

#include "freehold_owning.hpp"

namespace lab {

struct strategy : freehold_owning {
    template <class T>
    using pointer = freehold::sharded_shared_ptr<T>;

    template <class T>
    using weak = freehold::sharded_weak_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return freehold::make_sharded_shared<T>(std::forward<Arguments>(arguments)...);
    }
};

}  // namespace lab
