#pragma once
// The order of two pointers of different types.

#include <compare>
#include <type_traits>

namespace freehold::detail {

// Returns: the order of a and b as pointers of their common type. std::compare_three_way of libstdc++ 12 compares the
// addresses as they are, which differ for an object and its second base.
template <class A, class B>
[[nodiscard]] std::strong_ordering compare_pointers(A* a, B* b) noexcept {
    using common = std::common_type_t<A*, B*>;
    return std::compare_three_way()(static_cast<common>(a), static_cast<common>(b));
}

}  // namespace freehold::detail
