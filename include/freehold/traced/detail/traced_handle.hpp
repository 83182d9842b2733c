#pragma once
// The operators of all handles to objects of a traced heap.

#include <compare>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include "../../core/assert.hpp"
#include "../../core/handle.hpp"
#include "../../core/type_name.hpp"
#include "heap_checks.hpp"

namespace freehold::inline v0_2::detail {

struct traced_handle_tag {};

// A handle to a T, or to an object of a derived class.
template <class Handle, class T>
concept traced_handle_to =
    std::is_base_of_v<traced_handle_tag, Handle> && std::convertible_to<typename Handle::element_type*, T*>;

// The base of a Handle to a T, which has a member function get().
template <class Handle, class T>  // NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): it has no members
class traced_handle : public traced_handle_tag {
public:
    // Requires: get() != nullptr.
    [[nodiscard]] T& operator*() const noexcept { return *operator->(); }

    [[nodiscard]] T* operator->() const noexcept {
        FREEHOLD_EXPECTS(self().get() != nullptr, "a null pointer is dereferenced", type_name<Handle>);
        if constexpr (heap_checks::is_on) heap_checks::check_object(self().get(), type_name<Handle>);
        return self().get();
    }

    [[nodiscard]] explicit operator bool() const noexcept { return self().get() != nullptr; }

    template <class Other>
        requires std::is_base_of_v<traced_handle_tag, Other>
    [[nodiscard]] friend bool operator==(const Handle& a, const Other& b) noexcept {
        return a.get() == b.get();
    }

    [[nodiscard]] friend bool operator==(const Handle& a, std::nullptr_t) noexcept { return a.get() == nullptr; }

    template <class Other>
        requires std::is_base_of_v<traced_handle_tag, Other>
    [[nodiscard]] friend std::strong_ordering operator<=>(const Handle& a, const Other& b) noexcept {
        return detail::compare_pointers(a.get(), b.get());
    }

private:
    [[nodiscard]] const Handle& self() const noexcept { return static_cast<const Handle&>(*this); }
};

}  // namespace freehold::detail
