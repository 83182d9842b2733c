#pragma once
// thin_ptr<T, Counting>: shared ownership in one word. The count stands right before the object.
//
// It owns only what make_thin made: so it knows where the count is and how to destroy the object. It converts to a
// thin_ptr<Base> if Base has a virtual destructor, lies at the beginning of T and is aligned like it. For everything
// else (aliases, weak pointers, other bases) it converts to a shared_ptr, which allocates nothing.
//
// Thread safety: that of shared_ptr with the same counting. Exceptions: only make_thin throws.
// Complexity: constant, apart from the object's destructor. Cost: the handle is one word, the control block 16 bytes
// before the object (32 with biased_counting). The last release is a direct call, or one through a table if T is not
// final and has a virtual destructor.

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "../core/assert.hpp"
#include "../core/config.hpp"
#include "../core/first_base.hpp"
#include "../core/handle.hpp"
#include "../core/type_name.hpp"
#include "../counting/atomic_counting.hpp"
#include "../counting/biased_counting.hpp"
#include "../counting/plain_counting.hpp"
#include "detail/access.hpp"
#include "make_shared.hpp"
#include "shared_ptr.hpp"

namespace freehold::inline v0_2 {

namespace detail {

// The count of a U can be found from a T*, and a T can own it.
template <class U, class T, class Counting>
concept thinly_owned_as = owned_as<U, T> && object_offset<Counting, U> == object_offset<Counting, T>;

}  // namespace detail

template <class T, class Counting>
class FREEHOLD_TRIVIAL_ABI thin_ptr {
    static_assert(std::is_object_v<T> && !std::is_array_v<T>, "freehold: thin_ptr owns a single object");

    // In functions: T may be incomplete where the handle is only named.
    static detail::control_block<Counting>* block_at(T* object) noexcept {
        auto* const address = reinterpret_cast<std::byte*>(const_cast<std::remove_cv_t<T>*>(object));
        return reinterpret_cast<detail::control_block<Counting>*>(address - detail::object_offset<Counting, T>);
    }

    static void release(detail::control_block<Counting>* block) noexcept {
        if constexpr (detail::is_owned_exactly<T>) {
            block->template release_as<detail::housing_block<T, Counting, detail::default_allocator<T>>>();
        } else {
            block->release();
        }
    }

public:
    using element_type = T;

    // Postconditions: get() == nullptr.
    constexpr thin_ptr() noexcept = default;
    constexpr thin_ptr(std::nullptr_t) noexcept {}

    // Effects: shares ownership with `other`.
    thin_ptr(const thin_ptr& other) noexcept : pointer_(other.pointer_) {
        if (pointer_ != nullptr) block_at(pointer_)->acquire();
    }

    // Effects: as above, for a T that has a virtual destructor and lies at the beginning of U.
    template <detail::thinly_owned_as<T, Counting> U>
    thin_ptr(const thin_ptr<U, Counting>& other) noexcept : pointer_(other.pointer_) {
        if (pointer_ != nullptr) block_at(pointer_)->acquire();
    }

    // Effects: takes over what `other` owned and leaves it empty.
    thin_ptr(thin_ptr&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}

    template <detail::thinly_owned_as<T, Counting> U>
    thin_ptr(thin_ptr<U, Counting>&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}

    // Effects: releases ownership; the last owner, thin or not, destroys the object. Inline as ~shared_ptr() is.
    FREEHOLD_ALWAYS_INLINE ~thin_ptr() {
        if (pointer_ != nullptr) release(block_at(pointer_));
    }

    // Assignment: the old object is released last, when *this has its new value.

    thin_ptr& operator=(const thin_ptr& other) noexcept {
        thin_ptr(other).swap(*this);
        return *this;
    }

    thin_ptr& operator=(thin_ptr&& other) noexcept {
        thin_ptr(std::move(other)).swap(*this);
        return *this;
    }

    // Effects: releases ownership. Postconditions: get() == nullptr.
    void reset() noexcept { thin_ptr().swap(*this); }

    // Effects: exchanges the contents of *this and `other`.
    void swap(thin_ptr& other) noexcept { std::swap(pointer_, other.pointer_); }

    [[nodiscard]] T* get() const noexcept { return pointer_; }

    // Requires: get() != nullptr.
    [[nodiscard]] T& operator*() const noexcept {
        FREEHOLD_EXPECTS(pointer_ != nullptr, "a null pointer is dereferenced",
                         detail::pointer_name<detail::counting_prefix<Counting>, "thin_ptr", T>);
        return *pointer_;
    }

    [[nodiscard]] T* operator->() const noexcept {
        FREEHOLD_EXPECTS(pointer_ != nullptr, "a null pointer is dereferenced",
                         detail::pointer_name<detail::counting_prefix<Counting>, "thin_ptr", T>);
        return pointer_;
    }

    // Returns: the number of owners at some moment of the call, thin or not.
    [[nodiscard]] long use_count() const noexcept { return pointer_ != nullptr ? block_at(pointer_)->owners() : 0; }

    [[nodiscard]] explicit operator bool() const noexcept { return pointer_ != nullptr; }

    // Returns: a shared_ptr that shares ownership with *this, or takes it over. Cost: no allocation.
    template <class U>
        requires std::is_convertible_v<T*, U*>
    operator shared_ptr<U, Counting>() const& noexcept {
        return thin_ptr(*this).to_shared();
    }

    template <class U>
        requires std::is_convertible_v<T*, U*>
    operator shared_ptr<U, Counting>() && noexcept {
        return to_shared();
    }

private:
    template <class U, class OtherCounting>
    friend class thin_ptr;
    friend struct detail::access;

    template <class U, class OtherCounting, class... Arguments>
    friend thin_ptr<U, OtherCounting> make_thin(Arguments&&... arguments);

    // A template, as a literal 0 is a std::nullptr_t.
    template <class U>
        requires std::convertible_to<U*, T*>
    explicit thin_ptr(U* object) noexcept : pointer_(object) {}

    shared_ptr<T, Counting> to_shared() noexcept {
        if (pointer_ == nullptr) return {};
        T* const object = std::exchange(pointer_, nullptr);
        return detail::access::adopt<T, Counting>(object, block_at(object));
    }

    T* pointer_ = nullptr;
};

// Returns: the first owner of a new T(arguments...).
// Throws: std::bad_alloc, or what the constructor throws: strong guarantee.
template <class T, class Counting = atomic_counting, class... Arguments>
[[nodiscard]] thin_ptr<T, Counting> make_thin(Arguments&&... arguments) {
    constexpr bool makes = detail::makes_from<T, detail::default_allocator<T>, Arguments...>;
    static_assert(makes, "freehold: T has no public constructor that takes these arguments");
    if constexpr (makes) {
        auto* const block = detail::create_block<T, Counting, detail::through_allocator>(
            detail::default_allocator<T>(), std::forward<Arguments>(arguments)...);
        return thin_ptr<T, Counting>(block->object());
    } else {
        return {};
    }
}

// Comparisons, swap, << and the hash are those of the stored pointers.
template <>
inline constexpr bool detail::is_handle<thin_ptr> = true;

}  // namespace freehold
