#pragma once
// What a range holds: its elements, and whether they are all.

#include <array>  // brings std::begin, too
#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "../../core/config.hpp"
#include "declaring_class.hpp"
#include "standard_template.hpp"

namespace freehold::inline v0_2::detail {

template <class T>
inline constexpr bool is_std_array = false;
template <class T, std::size_t N>
inline constexpr bool is_std_array<std::array<T, N>> = true;

// What an iterator returns: a reference to the element, or a proxy that stands for it, as std::flat_map's pair of two
// references does.
template <class T>
using element_reference = decltype(*std::begin(std::declval<const T&>()));

// Not std::ranges::range_value_t: <ranges> alone costs as much as <memory>.
template <class T, class Reference = element_reference<T>>
struct element {
    using type = std::remove_cvref_t<Reference>;
};
template <class T, class Proxy>
    requires(!std::is_reference_v<Proxy> && requires { typename T::value_type; })
struct element<T, Proxy> {
    using type = typename T::value_type;
};
template <class T>
using element_of = typename element<T>::type;

template <class Proxy>
inline constexpr bool is_product_of_references = false;
template <template <class...> class Product, class... Types>
    requires(is_instance<std::pair, Product<Types...>> || is_instance<std::tuple, Product<Types...>>)
inline constexpr bool is_product_of_references<Product<Types...>> = (std::is_lvalue_reference_v<Types> && ...);

// Whether what an iterator returns refers to all that the element holds.
template <class Reference>
inline constexpr bool refers_to_element =
    std::is_reference_v<Reference> || is_product_of_references<std::remove_cv_t<Reference>>;

// Effects: use(element), or use(part) for each part that a proxy refers to.
template <class Reference, class Use>
void use_element(const std::remove_reference_t<Reference>& element, Use use) {
    if constexpr (is_product_of_references<std::remove_cv_t<Reference>>) {
        std::apply([&use](const auto&... part) { (use(part), ...); }, element);
    } else {
        use(element);
    }
}

// A path is a range of paths, and no container of them.
template <class T>
concept range_of_elements = requires(const T& range) {
    { range.begin() != range.end() } -> std::convertible_to<bool>;
} && !std::is_same_v<element_of<T>, T>;

// As the standard's requirements of containers have it. Other classes have a begin() for one of several members.
template <class T>
concept container_of_elements = requires(const T& range) {
    typename T::value_type;
    typename T::size_type;
    typename T::const_iterator;
    range.size();
    range.max_size();
};

// Whether a T is derived from a container, and may add members to that. A library's template, such as
// boost::container::small_vector, may have a base that does most of its work.
template <class T>
consteval bool derives_from_container() {
    using declarer = typename decltype(detail::declarer_of_begin<T>())::type;
    return adds_members<T, declarer> && (is_standard<declarer> || !is_specialization<T>);
}

}  // namespace freehold::detail
