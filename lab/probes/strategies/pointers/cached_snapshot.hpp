#pragma once
// Atomic, cached: freehold::atomic_shared_ptr, read through a freehold::cached_snapshot of each thread.

#include <freehold/pointers/atomic_shared_ptr.hpp>
#include <freehold/pointers/cached_snapshot.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <utility>

#include "freehold_owning.hpp"

namespace lab {

struct strategy : freehold_owning {
    template <class T>
    using pointer = freehold::atomic_shared_ptr<T>;

    template <class T, class... Arguments>
    static pointer<T> make(Arguments&&... arguments) {
        return pointer<T>(freehold::make_shared<T>(std::forward<Arguments>(arguments)...));
    }

    template <class T>
    static freehold::cached_snapshot<T> reader(const std::atomic<freehold::shared_ptr<T>>& place) {
        return freehold::cached_snapshot<T>(place);
    }

    template <class T>
    static T* load(freehold::cached_snapshot<T>& cached) {
        return cached.get();
    }

    template <class T>
    static freehold::snapshot_ptr<T> load(const std::atomic<freehold::shared_ptr<T>>& place) {
        return place.snapshot();
    }

    template <class T, class... Arguments>
    static void replace(std::atomic<freehold::shared_ptr<T>>& place, Arguments&&... arguments) {
        place.store(freehold::make_shared<T>(std::forward<Arguments>(arguments)...));
    }
};

}  // namespace lab
