#pragma once
// What the strategies have in common whose pointer is a freehold::atomic_shared_ptr: all but how it is read.

#include <freehold/pointers/atomic_shared_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <utility>

#include "freehold_owning.hpp"

namespace lab {

struct atomic_shared_owning : freehold_owning {
    template <class T>
    using pointer = freehold::atomic_shared_ptr<T>;

    template <class T>
    using owner = freehold::shared_ptr<T>;

    template <class T, class... Arguments>
    static owner<T> own(Arguments&&... arguments) {
        return freehold::make_shared<T>(std::forward<Arguments>(arguments)...);
    }

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return pointer<T>(own<T>(std::forward<Arguments>(arguments)...));
    }

    template <class T, class... Arguments>
    static void replace(std::atomic<freehold::shared_ptr<T>>& place, Arguments&&... arguments) {
        place.store(own<T>(std::forward<Arguments>(arguments)...));
    }
};

}  // namespace lab
