#pragma once
// static_, dynamic_, const_ and reinterpret_pointer_cast: an owner from one of another type, by copy or move
// ([util.smartptr.shared.cast]).
//
// Thread safety, exceptions, complexity, cost: those of copying a shared_ptr, or of moving it: no counting at all.

#include <type_traits>
#include <utility>

#include "shared_ptr.hpp"

namespace freehold::inline v0_2 {

// Returns: shared_ptr<T>(owner, static_cast<element_type*>(owner.get())), from an rvalue without counting.
template <class T, class U, class Counting>
[[nodiscard]] shared_ptr<T, Counting> static_pointer_cast(shared_ptr<U, Counting> owner) noexcept {
    auto* const pointer = static_cast<std::remove_extent_t<T>*>(owner.get());
    return shared_ptr<T, Counting>(std::move(owner), pointer);
}

// Returns: as above with dynamic_cast; an empty shared_ptr if that gives a null pointer, and then an rvalue is
// unchanged.
template <class T, class U, class Counting>
[[nodiscard]] shared_ptr<T, Counting> dynamic_pointer_cast(const shared_ptr<U, Counting>& owner) noexcept {
    auto* const pointer = dynamic_cast<std::remove_extent_t<T>*>(owner.get());
    return pointer != nullptr ? shared_ptr<T, Counting>(owner, pointer) : shared_ptr<T, Counting>();
}

template <class T, class U, class Counting>
[[nodiscard]] shared_ptr<T, Counting> dynamic_pointer_cast(shared_ptr<U, Counting>&& owner) noexcept {
    auto* const pointer = dynamic_cast<std::remove_extent_t<T>*>(owner.get());
    return pointer != nullptr ? shared_ptr<T, Counting>(std::move(owner), pointer) : shared_ptr<T, Counting>();
}

// Returns: as static_pointer_cast with const_cast.
template <class T, class U, class Counting>
[[nodiscard]] shared_ptr<T, Counting> const_pointer_cast(shared_ptr<U, Counting> owner) noexcept {
    auto* const pointer = const_cast<std::remove_extent_t<T>*>(owner.get());
    return shared_ptr<T, Counting>(std::move(owner), pointer);
}

// Returns: as static_pointer_cast with reinterpret_cast.
template <class T, class U, class Counting>
[[nodiscard]] shared_ptr<T, Counting> reinterpret_pointer_cast(shared_ptr<U, Counting> owner) noexcept {
    auto* const pointer = reinterpret_cast<std::remove_extent_t<T>*>(owner.get());
    return shared_ptr<T, Counting>(std::move(owner), pointer);
}

}  // namespace freehold
