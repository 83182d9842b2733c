#pragma once
// points_directly<T>: declares that all traced pointers of a T are in the object itself, and none in memory that it
// owns.
//
//     class node {
//     public:
//         void trace(auto& visit) const { visit(left_, right_); }
//     private:
//         std::string name_;
//         freehold::traced_ptr<node> left_, right_;
//     };
//     template <>
//     inline constexpr bool freehold::points_directly<node> = true;
//
// A traced_heap with a pause_budget traces objects without this property again, at the end of a full collection in
// steps. It knows the property of aggregates, arrays, std::array, optional, variant, pair and tuple from the types of
// their parts. A `trace` member may visit anything, so its class declares the property. The declaration holds for the
// class alone, and not for those derived from it.
//
// Without NDEBUG, a collection aborts if the trace(visit) of such an object visits a pointer outside of the object. If
// full collections take long pauses for want of the declaration, the class is named on stderr, once.
//
// Thread safety, exceptions, complexity, cost: none; it is known at compile time.

#include <type_traits>

#include "trace.hpp"
#include "traces_concurrently.hpp"

namespace freehold::inline v0_2 {

// Whether a T is declared to have all its traced pointers in its own bytes. Users may specialize it, for a class with a
// `trace` member or a container whose elements are inside, before the first object is made.
template <class T>
inline constexpr bool points_directly = false;

namespace detail {

// Whether a T has parts that are outside of its own bytes. What only a trace(visit) knows counts, unless it is
// trusted.
template <class T, bool trusts_traces = false>
consteval bool leads_outside() {
    if constexpr (points_directly<T> || traces_concurrently<T> || !leads_to_traced<T>) {
        return false;
    } else {
        constexpr structure how = detail::structure_of<T, idle_visitor>();
        constexpr bool is_inside = how == structure::product || how == structure::variant ||
                                   how == structure::members || template_of<T> == standard_template::optional ||
                                   (how == structure::elements && (std::is_bounded_array_v<T> || is_std_array<T>));
        if constexpr (how == structure::pointer) {
            return false;
        } else if constexpr (is_inside) {
            return []<class... Parts>(type_list<Parts...>) {
                return (detail::leads_outside<std::remove_cv_t<Parts>, trusts_traces>() || ...);
            }(typename parts<T, how>::types());
        } else {
            return !trusts_traces || how != structure::member_function;
        }
    }
}

// Whether a T may hold traced pointers outside of its own bytes: in memory that it owns, or where only its trace(visit)
// knows. Requires: T and the types of all its parts are complete.
template <class T>
inline constexpr bool may_lead_outside = detail::leads_outside<std::remove_cv_t<T>>();

}  // namespace detail
}  // namespace freehold
