#pragma once
// Atomic, snapshot: freehold::atomic_shared_ptr, whose readers count nothing.

#include <freehold/pointers/atomic_shared_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <utility>

#include "freehold_owning.hpp"

namespace lab {

struct strategy : freehold_owning {
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

    template <class T>
    static freehold::snapshot_ptr<T> load(const std::atomic<freehold::shared_ptr<T>>& place) {
        return place.snapshot();
    }

    template <class T, class... Arguments>
    static void replace(std::atomic<freehold::shared_ptr<T>>& place, Arguments&&... arguments) {
        place.store(own<T>(std::forward<Arguments>(arguments)...));
    }
};

}  // namespace lab
