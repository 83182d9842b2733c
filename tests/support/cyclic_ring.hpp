#pragma once
// Rings of objects that own each other, for collectors of cycles.

#include <freehold/cyclic/cyclic_ptr.hpp>

#include <utility>

namespace support {

// Returns: one of `length` objects, each of which owns the next, and the last the first.
template <class T>
freehold::cyclic_ptr<T> make_ring(int length) {
    auto last = freehold::make_cyclic<T>();
    auto first = last;
    for (int i = 1; i < length; ++i) {
        auto added = freehold::make_cyclic<T>();
        added->next = std::move(first);
        first = std::move(added);
    }
    last->next = first;
    return first;
}

}  // namespace support
