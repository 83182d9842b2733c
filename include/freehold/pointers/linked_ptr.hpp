#pragma once
// linked_ptr<T>: shared ownership without a count. All owners of an object form a doubly linked ring; the last one in
// the ring deletes the object.
//
// Thread safety: none: all owners of one object must be in one thread at a time.
// Exceptions: none. Complexity: constant, but use_count(), which walks the ring.
// Cost: three words and no allocation. A copy writes to two other owners, and a move costs as much as a copy and a
// release. With few copies it beats an allocated count. The idea is Mark Borgerding's of 2000, measured in Boost's
// smart pointer timings.

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "../core/assert.hpp"
#include "../core/handle.hpp"
#include "../core/type_name.hpp"

namespace freehold::inline v0_2 {

namespace detail {

// A place in a doubly linked ring: alone, or between two others.
class ring {
public:
    constexpr ring() noexcept : previous_(this), next_(this) {}

    ring(const ring&) = delete;
    ring& operator=(const ring&) = delete;

    [[nodiscard]] bool is_alone() const noexcept { return next_ == this; }

    // Effects: enters the ring of `other`, behind it. Requires: is_alone().
    void join(ring& other) noexcept {
        previous_ = &other;
        next_ = other.next_;
        next_->previous_ = this;
        other.next_ = this;
    }

    // Effects: closes the ring behind *this. Postconditions: is_alone().
    void leave() noexcept {
        previous_->next_ = next_;
        next_->previous_ = previous_;
        previous_ = next_ = this;
    }

    // Effects: takes the place of `other`. Requires: is_alone(). Postconditions: other.is_alone().
    void replace(ring& other) noexcept {
        if (other.is_alone()) return;
        join(other);
        other.leave();
    }

    // Returns: the number of places in the ring. Complexity: linear in it.
    [[nodiscard]] long size() const noexcept {
        long places = 1;
        for (const ring* place = next_; place != this; place = place->next_) ++places;
        return places;
    }

private:
    ring* previous_;
    ring* next_;
};

// The last owner deletes through its own type, whichever owner that is: Base needs a virtual destructor.
template <class Derived, class Base>
concept deletable_through =
    std::convertible_to<Derived*, Base*> &&
    (std::same_as<std::remove_cv_t<Derived>, std::remove_cv_t<Base>> || std::has_virtual_destructor_v<Base>);

}  // namespace detail

template <class T>
class linked_ptr {
    static_assert(!std::is_void_v<T>, "freehold: linked_ptr of void type could not delete its object");

public:
    using element_type = T;

    // Postconditions: get() == nullptr.
    constexpr linked_ptr() noexcept = default;
    constexpr linked_ptr(std::nullptr_t) noexcept {}

    // Effects: owns `object`, which the last owner will delete.
    // Requires: it has no other owner.
    template <class U>
        requires std::convertible_to<U*, T*>
    explicit linked_ptr(U* object) noexcept : pointer_(object) {}

    // Effects: joins the owners of what `other` owns.
    linked_ptr(const linked_ptr& other) noexcept : pointer_(other.pointer_) { join(other); }

    template <detail::deletable_through<T> U>
    linked_ptr(const linked_ptr<U>& other) noexcept : pointer_(other.pointer_) {
        join(other);
    }

    // Effects: takes the place of `other` among the owners and leaves it empty.
    linked_ptr(linked_ptr&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {
        ring_.replace(other.ring_);
    }

    template <detail::deletable_through<T> U>
    linked_ptr(linked_ptr<U>&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {
        ring_.replace(other.ring_);
    }

    // Effects: leaves the owners; the last one deletes the object.
    ~linked_ptr() { destroy(leave()); }

    // Assignment: the old object is deleted last, when *this has its new value.

    linked_ptr& operator=(const linked_ptr& other) noexcept {
        if (pointer_ == other.pointer_) return *this;  // one ring already, or both empty
        T* const last = leave();
        pointer_ = other.pointer_;
        join(other);
        destroy(last);
        return *this;
    }

    linked_ptr& operator=(linked_ptr&& other) noexcept {
        if (&ring_ == &other.ring_) return *this;
        T* const last = leave();
        pointer_ = std::exchange(other.pointer_, nullptr);
        ring_.replace(other.ring_);
        destroy(last);
        return *this;
    }

    template <detail::converts_to<linked_ptr> Source>
    linked_ptr& operator=(Source&& source) noexcept {
        return *this = linked_ptr(std::forward<Source>(source));
    }

    // Effects: leaves the owners, as the destructor does. Postconditions: get() == nullptr.
    void reset() noexcept { *this = linked_ptr(); }

    // Effects: *this = linked_ptr(object). Requires: it has no other owner.
    void reset(T* object) noexcept {
        FREEHOLD_EXPECTS(object == nullptr || object != pointer_,
                         "the pointer is reset to the object that it owns, which would be deleted twice",
                         detail::type_name<linked_ptr>);
        *this = linked_ptr(object);
    }

    // Effects: exchanges the contents of *this and `other`.
    void swap(linked_ptr& other) noexcept {
        linked_ptr mine(std::move(*this));
        *this = std::move(other);
        other = std::move(mine);
    }

    [[nodiscard]] T* get() const noexcept { return pointer_; }

    // Requires: get() != nullptr.
    [[nodiscard]] std::add_lvalue_reference_t<T> operator*() const noexcept {
        FREEHOLD_EXPECTS(pointer_ != nullptr, "a null pointer is dereferenced", detail::type_name<linked_ptr>);
        return *pointer_;
    }

    [[nodiscard]] T* operator->() const noexcept {
        FREEHOLD_EXPECTS(pointer_ != nullptr, "a null pointer is dereferenced", detail::type_name<linked_ptr>);
        return pointer_;
    }

    [[nodiscard]] explicit operator bool() const noexcept { return pointer_ != nullptr; }

    // Returns: whether no other linked_ptr owns the object.
    [[nodiscard]] bool unique() const noexcept { return pointer_ != nullptr && ring_.is_alone(); }

    // Returns: the number of owners, 0 if *this is empty. Complexity: linear in it.
    [[nodiscard]] long use_count() const noexcept { return pointer_ != nullptr ? ring_.size() : 0; }

private:
    template <class U>
    friend class linked_ptr;

    template <class U>
    void join(const linked_ptr<U>& other) noexcept {
        if (pointer_ != nullptr) ring_.join(other.ring_);
    }

    // Effects: leaves the owners. Returns: the object if no owner is left, else a null pointer.
    T* leave() noexcept {
        if (ring_.is_alone()) return std::exchange(pointer_, nullptr);
        ring_.leave();
        return nullptr;
    }

    static void destroy(T* object) noexcept {
        static_assert(sizeof(T) > 0, "freehold: linked_ptr owns an incomplete type");
        delete object;
    }

    T* pointer_ = nullptr;
    mutable detail::ring ring_;
};

template <class T>
linked_ptr(T*) -> linked_ptr<T>;

// Comparisons, swap, << and the hash are those of the stored pointers.
template <>
inline constexpr bool detail::is_handle<linked_ptr> = true;

}  // namespace freehold
