#pragma once
// What all handles have as the pointers that they store: comparisons, exchange, output, hash. And the order of two
// pointers of different types.

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <type_traits>
#include <typeindex>  // brings std::hash, for the least

#include "config.hpp"

namespace freehold::inline v0_2 {

namespace detail {

// Returns: the order of a and b as pointers of their common type.
// Not by std::compare_three_way: libstdc++ 12 compares the unconverted addresses, which differ for an object and its
// second base, and looks up operator<=> among the friends of the pointee.
template <class A, class B>
[[nodiscard]] std::strong_ordering compare_pointers(A* a, B* b) noexcept {
    using common = std::common_type_t<A*, B*>;
    return reinterpret_cast<std::uintptr_t>(static_cast<common>(a)) <=>
           reinterpret_cast<std::uintptr_t>(static_cast<common>(b));
}

// Whether a Handle<T, ...> is compared, exchanged, printed and hashed as the pointer that its get() returns: a header
// that says so writes none of the operators below. Two handles are compared if they differ in T alone.
template <template <class, class...> class Handle>
inline constexpr bool is_handle = false;

// What a Handle is assigned from beside its own kind, for which it has the usual two operators.
template <class Source, class Handle>
concept converts_to = !std::same_as<std::remove_cvref_t<Source>, Handle> && std::convertible_to<Source, Handle>;

}  // namespace detail

template <template <class, class...> class Handle, class T, class U, class... More>
    requires detail::is_handle<Handle>
[[nodiscard]] constexpr bool operator==(const Handle<T, More...>& a, const Handle<U, More...>& b) noexcept {
    return a.get() == b.get();
}

template <template <class, class...> class Handle, class T, class... More>
    requires detail::is_handle<Handle>
[[nodiscard]] constexpr bool operator==(const Handle<T, More...>& a, std::nullptr_t) noexcept {
    return a.get() == nullptr;
}

template <template <class, class...> class Handle, class T, class U, class... More>
    requires detail::is_handle<Handle>
[[nodiscard]] std::strong_ordering operator<=>(const Handle<T, More...>& a, const Handle<U, More...>& b) noexcept {
    return detail::compare_pointers(a.get(), b.get());
}

template <template <class, class...> class Handle, class T, class... More>
    requires detail::is_handle<Handle>
[[nodiscard]] std::strong_ordering operator<=>(const Handle<T, More...>& a, std::nullptr_t) noexcept {
    return detail::compare_pointers(a.get(), static_cast<decltype(a.get())>(nullptr));
}

// Handles that count in different ways own nothing together. Deleted, and not only missing: a compiler says this in a
// few lines, and of a missing operator it lists all that there are.
template <template <class, class...> class Handle, class T, class A, class U, class B>
    requires(detail::is_handle<Handle> && !std::same_as<A, B>)
bool operator==(const Handle<T, A>& a, const Handle<U, B>& b) = delete;

// Effects: a.swap(b).
template <template <class, class...> class Handle, class T, class... More>
    requires detail::is_handle<Handle>
constexpr void swap(Handle<T, More...>& a, Handle<T, More...>& b) noexcept {
    a.swap(b);
}

// Effects: stream << handle.get().
template <class Character, class Traits, template <class, class...> class Handle, class T, class... More>
    requires detail::is_handle<Handle>
std::basic_ostream<Character, Traits>& operator<<(std::basic_ostream<Character, Traits>& stream,
                                                  const Handle<T, More...>& handle) {
    return stream << handle.get();
}

}  // namespace freehold

template <template <class, class...> class Handle, class T, class... More>
    requires freehold::detail::is_handle<Handle>
struct std::hash<Handle<T, More...>> {
    [[nodiscard]] std::size_t operator()(const Handle<T, More...>& handle) const noexcept {
        return std::hash<decltype(handle.get())>()(handle.get());
    }
};
