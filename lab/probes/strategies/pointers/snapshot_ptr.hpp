#pragma once
// Atomic, snapshot: freehold::atomic_shared_ptr, whose readers count nothing.

#include <freehold/pointers/snapshot_ptr.hpp>

#include "atomic_shared_owning.hpp"

namespace lab {

struct strategy : atomic_shared_owning {
    template <class T>
    static freehold::snapshot_ptr<T> load(const std::atomic<freehold::shared_ptr<T>>& place) {
        return place.snapshot();
    }
};

}  // namespace lab
