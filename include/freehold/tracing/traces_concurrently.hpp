#pragma once
// traces_concurrently<T>: declares that the `trace` member of a T reads nothing that the program changes, but
// traced_ptrs, so that a thread may trace an object while the program uses it.
//
//     class node {
//     public:
//         void trace(auto& visit) const { visit(left_, right_, children_); }
//     private:
//         freehold::traced_ptr<node> left_, right_;
//         freehold::traced_vector<freehold::traced_ptr<node>> children_;
//     };
//     template <>
//     inline constexpr bool freehold::traces_concurrently<node> = true;
//
// The helper of a traced_heap (traced_heap_options.hpp) marks such objects beside the program, and leaves all others to
// it. It knows the property of aggregates, arrays, std::array, pair and tuple from the types of their parts. An
// optional or a variant does not have it, as its trace reads whether there is a pointer. A type that owns memory
// outside of the heap, such as a string, does not have it either, as it is asked how much; a class that is declared so
// is not asked. It implies points_directly (points_directly.hpp).
//
// Thread safety, exceptions, complexity, cost: none; it is known at compile time.

#include <type_traits>

#include "owned_bytes.hpp"
#include "trace.hpp"

namespace freehold::inline v0_2 {

// Whether a T is declared to be traced while the program changes it. Users may specialize it, for a class with a
// `trace` member, before the first object is made.
template <class T>
inline constexpr bool traces_concurrently = false;

namespace detail {

template <class T>
consteval bool is_traced_concurrently() {
    if constexpr (traces_concurrently<T>) {
        return true;
    } else if constexpr (may_own_memory<T>) {
        return false;
    } else if constexpr (!leads_to_traced<T>) {
        return true;
    } else {
        constexpr structure how = detail::structure_of<T, idle_visitor>();
        constexpr bool is_inside = how == structure::product || how == structure::members ||
                                   (how == structure::elements && (std::is_bounded_array_v<T> || is_std_array<T>));
        if constexpr (how == structure::pointer) {
            return true;
        } else if constexpr (is_inside) {
            return []<class... Parts>(type_list<Parts...>) {
                return (detail::is_traced_concurrently<std::remove_cv_t<Parts>>() && ...);
            }(typename parts<T, how>::types());
        } else {
            return false;
        }
    }
}

}  // namespace detail
}  // namespace freehold
