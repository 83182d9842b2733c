#pragma once
// make_mutable, try_unwrap: from a shared object to an unshared one (Rust's Arc::make_mut and Arc::try_unwrap).
//
// Thread safety: that of shared_ptr. Exceptions: those of T's copy constructor and of the allocation: strong guarantee.
// If T's move constructor throws in try_unwrap, the object is destroyed. Complexity: that of a copy or move of T.
// Cost: no allocation if the object is not shared.

#include <optional>
#include <type_traits>
#include <utility>

#include "../core/assert.hpp"
#include "../core/type_name.hpp"
#include "detail/access.hpp"
#include "make_shared.hpp"
#include "shared_ptr.hpp"

namespace freehold::inline v0_2 {

namespace detail {

template <class Counting>
struct expired_object {
    ~expired_object() { block->destroy_keeping_block(); }

    control_block<Counting>* block;
};

}  // namespace detail

// Effects: unless `owner` is the only owner and there is no weak pointer, makes it own a copy of the object instead.
// Returns: the object of `owner`, which no other owner or weak pointer reaches.
// Requires: `owner` owns the T that it points to: no alias, and no base of what it owns.
template <class T, class Counting>
[[nodiscard]] T& make_mutable(shared_ptr<T, Counting>& owner) {
    FREEHOLD_EXPECTS(owner.get() != nullptr, "make_mutable is given a null pointer",
                     detail::pointer_name<detail::counting_prefix<Counting>, "shared_ptr", T>);
    if (!detail::access::handle(owner).is_sole()) {
        owner = detail::create<T, Counting>(detail::default_allocator<T>(), std::as_const(*owner.get()));
    }
    return *owner.get();
}

// Effects: if `owner` is the only owner, moves the object out and leaves `owner` empty; its weak pointers are expired.
// Returns: the object, or nothing if there are other owners: then `owner` is unchanged.
// Requires: `owner` is empty or owns the T that it points to.
template <class T, class Counting>
[[nodiscard]] std::optional<std::remove_cv_t<T>> try_unwrap(shared_ptr<T, Counting>&& owner) noexcept(
    std::is_nothrow_move_constructible_v<T>) {
    detail::control_block<Counting>* const block = detail::access::handle(owner).block();
    if (block == nullptr || !block->try_expire()) return std::nullopt;
    // No lock() succeeds from here on. The moved-from object is destroyed even if the move throws.
    const detail::expired_object<Counting> expired{block};
    T* const object = owner.get();
    (void)detail::access::release(owner);
    return std::optional<std::remove_cv_t<T>>(std::move(*object));
}

}  // namespace freehold
