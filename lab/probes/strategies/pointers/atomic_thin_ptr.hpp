#pragma once
// Atomic thin: freehold::atomic_thin_ptr, read by snapshots.

#include <freehold/pointers/atomic_thin_ptr.hpp>
#include <utility>

#include "freehold_owning.hpp"

namespace lab {

struct strategy : freehold_owning {
    template <class T>
    using pointer = freehold::atomic_thin_ptr<T>;

    template <class T>
    using owner = freehold::thin_ptr<T>;

    template <class T, class... Arguments>
    static owner<T> own(Arguments&&... arguments) {
        return freehold::make_thin<T>(std::forward<Arguments>(arguments)...);
    }

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return pointer<T>(own<T>(std::forward<Arguments>(arguments)...));
    }

    template <class T>
    static freehold::snapshot_ptr<T, freehold::thin_ptr<T>> load(const std::atomic<freehold::thin_ptr<T>>& place) {
        return place.snapshot();
    }

    template <class T, class... Arguments>
    static void replace(std::atomic<freehold::thin_ptr<T>>& place, Arguments&&... arguments) {
        place.store(own<T>(std::forward<Arguments>(arguments)...));
    }
};

}  // namespace lab
