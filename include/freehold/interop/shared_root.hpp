#pragma once
// shared_root(owner): a shared_ptr to a collected object, for code that takes only shared_ptr.
//
// Thread safety: that of the cyclic_ptr in it. Complexity: constant.
// Cost: one block, as for make_shared. Copies of the result count there and not in the collected object.

#include <utility>

#include "../cyclic/cyclic_ptr.hpp"
#include "../pointers/make_shared.hpp"

namespace freehold::inline v0_2 {

// Returns: a shared_ptr that holds `owner`; empty if `owner` is empty. It counts as an owner from outside wherever it
// is, so a collected object that owns itself through it leaks. Requires: the last copy is released in a thread that may
// release `owner`. Throws: std::bad_alloc; then nothing has changed.
template <class T, class Domain>
[[nodiscard]] shared_ptr<T> shared_root(cyclic_ptr<T, Domain> owner) {
    if (owner.get() == nullptr) return {};
    auto root = freehold::make_shared<cyclic_ptr<T, Domain>>(std::move(owner));
    T* const object = root->get();
    return shared_ptr<T>(std::move(root), object);
}

}  // namespace freehold
