#pragma once
// Atomic: freehold::atomic_shared_ptr, which threads replace while others read it.

#include "atomic_shared_owning.hpp"

namespace lab {

struct strategy : atomic_shared_owning {
    template <class T>
    static freehold::shared_ptr<T> load(const std::atomic<freehold::shared_ptr<T>>& place) {
        return place.load();
    }
};

}  // namespace lab
