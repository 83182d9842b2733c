#pragma once
// The order of two pointers of different types.

#include <compare>
#include <cstdint>
#include <type_traits>

namespace freehold::detail {

// Returns: the order of a and b as pointers of their common type.
// Not by std::compare_three_way: libstdc++ 12 compares the unconverted addresses, which differ for an object and its
// second base, and looks up operator<=> among the friends of the pointee.
template <class A, class B>
[[nodiscard]] std::strong_ordering compare_pointers(A* a, B* b) noexcept {
    using common = std::common_type_t<A*, B*>;
    return reinterpret_cast<std::uintptr_t>(static_cast<common>(a)) <=>
           reinterpret_cast<std::uintptr_t>(static_cast<common>(b));
}

}  // namespace freehold::detail
