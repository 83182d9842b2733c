#pragma once
// intrusive_ptr<T>: shared ownership of an object that brings its own count.
//
// T derives from ref_counted<T>, of ref_counted.hpp, or comes with two functions that argument-dependent lookup finds:
//     void intrusive_ptr_add_ref(T* object) noexcept;   adds an owner
//     void intrusive_ptr_release(T* object) noexcept;   removes an owner; the last one destroys the object
// The protocol and its names are those of boost::intrusive_ptr, so that a type serves both.
//
// All but the order, the hash and the output to a stream is constexpr if T's two functions are.
//
// Thread safety: one intrusive_ptr object may be used by one thread at a time; owners of one object in different
// threads are as safe as its count.
// Exceptions: those of intrusive_ptr_add_ref, and of T's constructor in make_intrusive. Complexity:
// constant. Cost: one word; a raw pointer to the object can become an owner again at any time.

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "../core/assert.hpp"
#include "../core/config.hpp"
#include "../core/handle.hpp"
#include "../core/type_name.hpp"
#include "../counting/counting_policy.hpp"

namespace freehold::inline v0_2 {

template <class Derived, counting_policy Counting>
class ref_counted;

namespace detail {

// An object of this type brings a count.
template <class T>
concept counts_itself = requires(T* object) {
    intrusive_ptr_add_ref(object);
    intrusive_ptr_release(object);
};

// Completed where an intrusive_ptr counts: does not compile for any other type.
template <class T>
struct expect_count {
    static_assert(counts_itself<T>,
                  "freehold: an intrusive_ptr<T> needs a count in T: derive T from ref_counted<T>, of "
                  "<freehold/pointers/ref_counted.hpp>, or declare intrusive_ptr_add_ref(T*) and "
                  "intrusive_ptr_release(T*) beside T");
};

// Returns: `object` as the class as which its count deletes it.
template <class Derived, class Counting>
Derived* counted_as(const ref_counted<Derived, Counting>* object) noexcept;

}  // namespace detail

template <class T>
class FREEHOLD_TRIVIAL_ABI intrusive_ptr {
public:
    using element_type = T;

    // Postconditions: get() == nullptr.
    constexpr intrusive_ptr() noexcept = default;

    // A template, so that a literal 0 is not ambiguous: it is a null T*.
    template <std::same_as<std::nullptr_t> Null>
    constexpr intrusive_ptr(Null) noexcept {}

    // Effects: owns `object`: adds an owner, or with `add_owner` false takes over one that is counted already.
    // Not explicit, as in Boost: the count travels with the object, so no second one can arise.
    constexpr intrusive_ptr(T* object, bool add_owner = true) : pointer_(object) {
        static_cast<void>(sizeof(detail::expect_count<T>));
        if constexpr (detail::counts_itself<T>) {
            if (pointer_ != nullptr && add_owner) intrusive_ptr_add_ref(pointer_);
        }
    }

    constexpr intrusive_ptr(const intrusive_ptr& other) : intrusive_ptr(other.pointer_) {}

    template <class U>
        requires std::is_convertible_v<U*, T*>
    constexpr intrusive_ptr(const intrusive_ptr<U>& other) : intrusive_ptr(other.get()) {}

    // Effects: takes over what `other` owned and leaves it empty.
    constexpr intrusive_ptr(intrusive_ptr&& other) noexcept : pointer_(other.detach()) {}

    template <class U>
        requires std::is_convertible_v<U*, T*>
    constexpr intrusive_ptr(intrusive_ptr<U>&& other) noexcept : pointer_(other.detach()) {}

    // Inline also where an exception passes by, for what clang else does to the pointer: it stays in memory.
    FREEHOLD_ALWAYS_INLINE constexpr ~intrusive_ptr() {
        static_cast<void>(sizeof(detail::expect_count<T>));
        if constexpr (detail::counts_itself<T>) {
            if (pointer_ != nullptr) intrusive_ptr_release(pointer_);
        }
    }

    // Assignment: the new object is counted first and the old one released last, so that an object may assign to the
    // pointer that keeps it alive, and to itself.

    constexpr intrusive_ptr& operator=(const intrusive_ptr& other) {
        intrusive_ptr(other).swap(*this);
        return *this;
    }

    constexpr intrusive_ptr& operator=(intrusive_ptr&& other) noexcept {
        intrusive_ptr(std::move(other)).swap(*this);
        return *this;
    }

    // From an intrusive_ptr to another type, or the address of an object.
    template <detail::converts_to<intrusive_ptr> Source>
    constexpr intrusive_ptr& operator=(Source&& source) noexcept(std::is_nothrow_convertible_v<Source, intrusive_ptr>) {
        intrusive_ptr(std::forward<Source>(source)).swap(*this);
        return *this;
    }

    // Effects: releases ownership, then owns `object` as the constructor does.
    constexpr void reset() { intrusive_ptr().swap(*this); }
    constexpr void reset(T* object, bool add_owner = true) { intrusive_ptr(object, add_owner).swap(*this); }

    // Effects: gives up ownership without counting: the caller is the owner from now on.
    // Returns: what get() was. Postconditions: get() == nullptr.
    [[nodiscard]] constexpr T* detach() noexcept { return std::exchange(pointer_, nullptr); }

    // Effects: exchanges the contents of *this and `other`.
    constexpr void swap(intrusive_ptr& other) noexcept { std::swap(pointer_, other.pointer_); }

    [[nodiscard]] constexpr T* get() const noexcept { return pointer_; }

    // Requires: get() != nullptr.
    [[nodiscard]] constexpr T& operator*() const noexcept {
        FREEHOLD_EXPECTS(pointer_ != nullptr, "a null pointer is dereferenced", detail::type_name<intrusive_ptr>);
        return *pointer_;
    }

    [[nodiscard]] constexpr T* operator->() const noexcept {
        FREEHOLD_EXPECTS(pointer_ != nullptr, "a null pointer is dereferenced", detail::type_name<intrusive_ptr>);
        return pointer_;
    }

    [[nodiscard]] constexpr explicit operator bool() const noexcept { return pointer_ != nullptr; }

private:
    T* pointer_ = nullptr;
};

// Returns: an intrusive_ptr that owns a new T(arguments...).
// Throws: std::bad_alloc, or what the constructor throws: strong guarantee.
template <class T, class... Arguments>
[[nodiscard]] constexpr intrusive_ptr<T> make_intrusive(Arguments&&... arguments) {
    if constexpr (requires(T* object) { detail::counted_as(object); }) {
        using counted = decltype(detail::counted_as(static_cast<T*>(nullptr)));
        static_assert(std::is_same_v<counted, T*> || std::has_virtual_destructor_v<std::remove_pointer_t<counted>>,
                      "freehold: a class derived from a ref_counted one needs a virtual destructor there");
    }
    // Not is_constructible: T may have this function as a friend.
    constexpr bool makes = requires { new T(std::forward<Arguments>(arguments)...); };
    static_assert(makes, "freehold: T has no public constructor that takes these arguments");
    if constexpr (makes) {
        return intrusive_ptr<T>(new T(std::forward<Arguments>(arguments)...));
    } else {
        return {};
    }
}

// Comparisons, swap, << and the hash are those of the stored pointers.
template <>
inline constexpr bool detail::is_handle<intrusive_ptr> = true;

template <class T, class U>
    requires std::is_convertible_v<U*, const volatile void*>
[[nodiscard]] constexpr bool operator==(const intrusive_ptr<T>& a, U* b) noexcept {
    return a.get() == b;
}

// Returns: an owner of the same object as another type, found by the cast of that name, from an rvalue without
// counting.
template <class T, class U>
[[nodiscard]] constexpr intrusive_ptr<T> static_pointer_cast(intrusive_ptr<U> owner) {
    return intrusive_ptr<T>(static_cast<T*>(owner.detach()), false);
}

// Returns: as above; an empty owner if dynamic_cast gives a null pointer, and then an rvalue is unchanged.
template <class T, class U>
[[nodiscard]] constexpr intrusive_ptr<T> dynamic_pointer_cast(const intrusive_ptr<U>& owner) {
    return dynamic_cast<T*>(owner.get());
}

template <class T, class U>
[[nodiscard]] constexpr intrusive_ptr<T> dynamic_pointer_cast(intrusive_ptr<U>&& owner) {
    T* const object = dynamic_cast<T*>(owner.get());
    if (object != nullptr) (void)owner.detach();
    return intrusive_ptr<T>(object, false);
}

template <class T, class U>
[[nodiscard]] constexpr intrusive_ptr<T> const_pointer_cast(intrusive_ptr<U> owner) {
    return intrusive_ptr<T>(const_cast<T*>(owner.detach()), false);
}

}  // namespace freehold
