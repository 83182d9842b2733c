#pragma once
// The order of two pointers of different types.

#include <compare>
#include <cstdint>
#include <type_traits>

namespace freehold::detail {

// Returns: the order of a and b as pointers of their common type.
// Not by std::compare_three_way: that of libstdc++ 12 compares the addresses as they are, which differ for an object
// and its second base, and looks for an operator<=> among the friends of what is pointed to.
template <class A, class B>
[[nodiscard]] std::strong_ordering compare_pointers(A* a, B* b) noexcept {
    using common = std::common_type_t<A*, B*>;
    return reinterpret_cast<std::uintptr_t>(static_cast<common>(a)) <=>
           reinterpret_cast<std::uintptr_t>(static_cast<common>(b));
}

}  // namespace freehold::detail
