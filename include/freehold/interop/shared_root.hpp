#pragma once
// shared_root(owner): a shared_ptr to a collected object, for code that knows only shared_ptr.
//
// Thread safety: that of the cyclic_ptr that it keeps. Complexity: constant.
// Cost: one block, as make_shared takes; a copy of the result counts there and not in the collected object.

#include <utility>

#include "../cyclic/cyclic_ptr.hpp"
#include "../pointers/make_shared.hpp"

namespace freehold {

// Returns: a shared_ptr that keeps `owner`, or an empty one if `owner` is empty. It is a root wherever it is, so a
// collected object that owns itself through it leaks.
// Requires: the last copy is released where `owner` could be.
// Throws: std::bad_alloc; then nothing has changed.
template <class T, class Domain>
[[nodiscard]] shared_ptr<T> shared_root(cyclic_ptr<T, Domain> owner) {
    if (owner.get() == nullptr) return {};
    auto root = freehold::make_shared<cyclic_ptr<T, Domain>>(std::move(owner));
    T* const object = root->get();
    return shared_ptr<T>(std::move(root), object);
}

}  // namespace freehold
