#pragma once
// may_be_in_cycle<T>: whether an object of exactly the type T may be part of a cycle of cyclic_ptrs.
//
// By default it may, unless a T can hold no traced pointer. Other objects are never candidates, and no collection
// visits them. A program that knows more than the types show, say that objects point only to older ones, says so before
// the first make_cyclic<T>:
//     template <>
//     inline constexpr bool freehold::may_be_in_cycle<cell> = false;
// A cycle of objects that are wrongly excluded leaks.
//
// Cost: none at run time.

#include "../tracing/trace.hpp"

namespace freehold::inline v0_2 {

template <class T>
inline constexpr bool may_be_in_cycle = leads_to_traced<T>;

}  // namespace freehold
