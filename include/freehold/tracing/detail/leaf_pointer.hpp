#pragma once
// The pointers that `trace` does not look through, and what they point to.
//
// For a counting collector such a pointer is a leaf: an owner from outside. A traced_heap frees what only such a
// pointer leads to, so hidden_pointers.hpp looks at what is behind it.

#include <type_traits>

#include "../../fwd.hpp"
#include "standard_template.hpp"

namespace freehold::inline v0_2 {

namespace detail {

template <class Pointer>
class atomic_pointer;

template <class T>
struct points_to {
    using to = T;
};

template <class T>
struct first_argument {};
template <template <class...> class Template, class First, class... Rest>
struct first_argument<Template<First, Rest...>> : points_to<First> {};

// leaf_pointer<P>::to is what a P points to, if P is such a pointer.
template <class P>
struct leaf_pointer {};

template <class T>
struct leaf_pointer<T*> : points_to<T> {};

template <class P>
    requires(is_instance<shared_ptr, P> || is_instance<weak_ptr, P> || is_instance<thin_ptr, P> ||
             is_instance<borrowed_ptr, P> || is_instance<intrusive_ptr, P> || is_instance<linked_ptr, P> ||
             is_instance<managed_ptr, P> || is_instance<atomic_pointer, P>)
struct leaf_pointer<P> : first_argument<P> {};

// The standard's: shared_ptr, weak_ptr, span; atomic; reference_wrapper.
template <class P>
    requires(template_of<P> == standard_template::leaf)
struct leaf_pointer<P> {
    static consteval auto find() {
        if constexpr (requires { typename P::element_type; }) {
            return points_to<typename P::element_type>();
        } else if constexpr (requires { typename P::value_type; }) {
            return points_to<std::remove_pointer_t<typename P::value_type>>();
        } else {
            return points_to<typename P::type>();
        }
    }

    using to = typename decltype(find())::to;
};

template <class P>
concept is_leaf_pointer = requires { typename leaf_pointer<P>::to; };

}  // namespace detail
}  // namespace freehold
