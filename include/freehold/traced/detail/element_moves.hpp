#pragma once
// The loops over elements that containers in a heap share. Those of <algorithm> cost more to compile than the
// containers, and swap through a variable, which for a traced_ptr is a store outside of the heap.

#include <compare>
#include <cstddef>
#include <utility>

#include "../traced_ptr.hpp"
#include "../traced_view.hpp"

namespace freehold::inline v0_2::detail {

// What an element is moved to for a moment.
template <class T>
struct carried {
    using type = T;
};
template <class T>
struct carried<traced_ptr<T>> {
    using type = traced_view<T>;
};

// Effects: the last element comes before those from `index` on.
template <class Container>
void move_last_to(Container& elements, std::size_t index) {
    typename carried<typename Container::value_type>::type last = std::move(elements.back());
    for (std::size_t i = elements.size() - 1; i != index; --i) elements[i] = std::move(elements[i - 1]);
    elements[index] = std::move(last);
}

// Effects: the elements from `from` on move to the places from `to` on.
template <class Container>
void move_elements_down(Container& elements, std::size_t from, std::size_t to) {
    for (; from != elements.size(); ++from, ++to) elements[to] = std::move(elements[from]);
}

template <class Container>
void reverse_elements(Container& elements, std::size_t first, std::size_t end) {
    for (; first + 1 < end; ++first) {
        --end;
        typename carried<typename Container::value_type>::type kept = std::move(elements[first]);
        elements[first] = std::move(elements[end]);
        elements[end] = std::move(kept);
    }
}

// Effects: the elements from `middle` on come before those from `first` on.
template <class Container>
void rotate_elements(Container& elements, std::size_t first, std::size_t middle) {
    detail::reverse_elements(elements, first, middle);
    detail::reverse_elements(elements, middle, elements.size());
    detail::reverse_elements(elements, first, elements.size());
}

template <class Container>
[[nodiscard]] bool equal_elements(const Container& a, const Container& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i != a.size(); ++i) {
        if (!(a[i] == b[i])) return false;
    }
    return true;
}

template <class Container>
[[nodiscard]] auto compare_elements(const Container& a, const Container& b) {
    using order = std::compare_three_way_result_t<typename Container::value_type>;
    for (std::size_t i = 0; i != a.size() && i != b.size(); ++i) {
        if (const order each = a[i] <=> b[i]; each != 0) return each;
    }
    return order(a.size() <=> b.size());
}

}  // namespace freehold::detail
