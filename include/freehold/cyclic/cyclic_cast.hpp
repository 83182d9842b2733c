#pragma once
// static_, dynamic_ and const_pointer_cast for cyclic_ptr: an owner from one of another type, by copy or move
// ([util.smartptr.shared.cast]); and cyclic_from_this, an owner from the object itself.
//
// The header lies right before the object, so a cast leads only to a class of which the other is the first base, as in
// the conversions of cyclic_ptr, or back.
//
// Thread safety, exceptions, complexity, cost: those of copying a cyclic_ptr, or of moving it: no counting at all.

#include <type_traits>

#include "../core/assert.hpp"
#include "../core/first_base.hpp"
#include "../core/type_name.hpp"
#include "cyclic_ptr.hpp"
#include "detail/thread_domain.hpp"

namespace freehold::inline v0_2 {

namespace detail {

// An owner of one of the two may own the object as the other.
template <class T, class U>
concept cast_of_owned = std::is_same_v<T, U> || owned_as<T, U> || owned_as<U, T>;

// Makes owners from pointers to objects, for the functions of this header.
struct cyclic_cast {
    // Effects: moves the ownership of `owner` to the result, unless `pointer` is null.
    template <class T, class Domain, class U>
    [[nodiscard]] static cyclic_ptr<T, Domain> move(cyclic_ptr<U, Domain>& owner, T* pointer) noexcept {
        static_cast<void>(pointer != nullptr ? owner.given_up() : nullptr);
        return cyclic_ptr<T, Domain>(pointer);
    }

    template <class T, class Domain>
    [[nodiscard]] static cyclic_ptr<T, Domain> own(T* object) noexcept {
        return cyclic_ptr<T, Domain>(cyclic_ptr<T, Domain>::acquired(object));
    }
};

}  // namespace detail

// Returns: an owner of the object of `owner`, as static_cast gives it. Requires: the object is a T.
template <class T, class U, class Domain>
    requires detail::cast_of_owned<T, U>
[[nodiscard]] cyclic_ptr<T, Domain> static_pointer_cast(cyclic_ptr<U, Domain> owner) noexcept {
    return detail::cyclic_cast::move<T>(owner, static_cast<T*>(owner.get()));
}

// Returns: as above with dynamic_cast; an empty pointer if the object is no T, and then an rvalue is unchanged.
template <class T, class U, class Domain>
    requires detail::cast_of_owned<T, U>
[[nodiscard]] cyclic_ptr<T, Domain> dynamic_pointer_cast(const cyclic_ptr<U, Domain>& owner) noexcept {
    return detail::cyclic_cast::own<T, Domain>(dynamic_cast<T*>(owner.get()));
}

template <class T, class U, class Domain>
    requires detail::cast_of_owned<T, U>
[[nodiscard]] cyclic_ptr<T, Domain> dynamic_pointer_cast(cyclic_ptr<U, Domain>&& owner) noexcept {
    return detail::cyclic_cast::move<T>(owner, dynamic_cast<T*>(owner.get()));
}

// Returns: as static_pointer_cast with const_cast.
template <class T, class U, class Domain>
    requires std::is_same_v<std::remove_cv_t<T>, std::remove_cv_t<U>>
[[nodiscard]] cyclic_ptr<T, Domain> const_pointer_cast(cyclic_ptr<U, Domain> owner) noexcept {
    return detail::cyclic_cast::move<T>(owner, const_cast<T*>(owner.get()));
}

// Returns: another owner of the object, which is mostly `this`. Domain is that of its other owners: heap_domain for an
// object of a cyclic_heap. Requires: make_cyclic or the heap has made *object as a T, or as a class of which T is the
// first base; it has an owner. So neither its constructor nor its destructor nor finalize() calls this.
template <class Domain = thread_domain, class T>
[[nodiscard]] cyclic_ptr<T, Domain> cyclic_from_this(T* object) noexcept {
    [[maybe_unused]] detail::cyclic_header& header = detail::cyclic_header::of(object);
    FREEHOLD_EXPECTS(header.is(detail::cyclic_header::live) && header.has_owners(),
                     "cyclic_from_this is called in a constructor, a destructor or finalize(), or for an object that "
                     "make_cyclic has not made",
                     detail::type_name<T>);
    return detail::cyclic_cast::own<T, Domain>(object);
}

}  // namespace freehold
