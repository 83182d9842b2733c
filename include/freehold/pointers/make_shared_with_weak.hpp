#pragma once
// make_shared_with_weak: makes an object that receives a weak pointer to itself (Rust's Arc::new_cyclic).
//
//     auto tree = freehold::make_shared_with_weak<node>([](const freehold::weak_ptr<node>& self) { return node(self);
//     });
//
// Thread safety: any. Exceptions: what the function or the allocation throws: strong guarantee, and all weak pointers
// to the object are expired. Complexity: that of the function. Cost: that of make_shared.

#include <utility>

#include "make_shared.hpp"
#include "shared_ptr.hpp"
#include "weak_ptr.hpp"

namespace freehold::inline v0_2 {

// Returns: the first owner of an object that `make(weak)` returns, constructed in place. Until the object
// has this owner, copies of the weak pointer are expired.
template <class T, class Counting = atomic_counting, class Make>
[[nodiscard]] shared_ptr<T, Counting> make_shared_with_weak(Make make) {
    auto* const block = detail::make_block<detail::housing_block<T, Counting, detail::default_allocator<T>>>(
        detail::default_allocator<T>(), detail::without_object());
    block->expire();
    const auto weak = detail::access::adopt_weak<T, Counting>(block->object(), block);
    block->construct_from(make, weak);
    // Before the owner: a thread that locks the weak pointer may call shared_from_this().
    detail::access::introduce<Counting>(block, block->object());
    block->acquire_first();
    return detail::access::adopt<T, Counting>(block->object(), block);
}

}  // namespace freehold
