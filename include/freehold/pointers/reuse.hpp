#pragma once
// reuse(std::move(p), arguments...): a new object in the place of one that is released.
//
//     list = freehold::reuse(std::move(list), value + 1, std::move(list->tail));
//
// The new object takes the place of the old one if that has no other owner and no weak pointer, and make_shared,
// make_thin or make_local_shared made it. Otherwise it gets a block of its own. Either way the caller gets a new object
// for the old one, so code that treats its objects as immutable can use it everywhere.
//
// Thread safety: that of the owner. Complexity: constant, apart from the objects' constructors and destructors.
// Cost: in place, one load of the count and a move of T; no allocation and no locked operation.

#include <memory>
#include <type_traits>
#include <utility>

#include "../core/first_base.hpp"
#include "detail/access.hpp"
#include "make_shared.hpp"
#include "shared_ptr.hpp"
#include "thin_ptr.hpp"

namespace freehold::inline v0_2 {

namespace detail {

// The arguments may refer to the old object: the new one is moved into its place after its destruction.
template <class T>
inline constexpr bool is_reusable = !std::is_array_v<T> && std::is_nothrow_move_constructible_v<T>;

template <class T, class... Arguments>
void replace(T& object, Arguments&&... arguments) {
    T fresh(std::forward<Arguments>(arguments)...);
    std::destroy_at(std::addressof(object));
    std::construct_at(std::addressof(object), std::move(fresh));
}

}  // namespace detail

// Returns: the only owner of a new T(arguments...). The arguments may refer to what `dying` owned, and into it.
// Postconditions: dying.get() == nullptr.
// Throws: what the constructor or an allocation throws; then `dying` still owns its object.

template <class T, class Counting, class... Arguments>
[[nodiscard]] thin_ptr<T, Counting> reuse(thin_ptr<T, Counting>&& dying, Arguments&&... arguments) {
    if constexpr (detail::is_reusable<T>) {
        if (dying.get() != nullptr) {
            auto* const block = detail::access::block_of<thin_ptr<T, Counting>>(dying.get());
            // Not for an object of a class derived from T.
            if (block->is_sole() && (detail::is_owned_exactly<T> ||
                                     detail::housing_block<T, Counting, detail::default_allocator<T>>::is(block))) {
                detail::replace(*dying.get(), std::forward<Arguments>(arguments)...);
                return std::move(dying);
            }
        }
    }
    auto fresh = freehold::make_thin<T, Counting>(std::forward<Arguments>(arguments)...);
    dying.reset();
    return fresh;
}

template <class T, class Counting, class... Arguments>
[[nodiscard]] shared_ptr<T, Counting> reuse(shared_ptr<T, Counting>&& dying, Arguments&&... arguments) {
    if constexpr (detail::is_reusable<T>) {
        using block_type = detail::housing_block<T, Counting, detail::default_allocator<T>>;
        auto* const block = detail::access::handle(dying).block();
        if (block != nullptr && block->is_sole() && block_type::is(block) &&
            static_cast<block_type*>(block)->object() == dying.get()) {
            detail::replace(*dying.get(), std::forward<Arguments>(arguments)...);
            return std::move(dying);
        }
    }
    auto fresh = detail::create<T, Counting>(detail::default_allocator<T>(), std::forward<Arguments>(arguments)...);
    dying.reset();
    return fresh;
}

}  // namespace freehold
