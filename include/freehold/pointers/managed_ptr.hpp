#pragma once
// managed_ptr<T>: sole ownership with a manager that takes the object back (N1851).
//
// A managed_ptr stores what a unique_ptr has in the type of its deleter. So owners of objects from factories, pools,
// allocators and shared owners have one type. It converts to and from shared_ptr, so an interface can take ownership
// from a caller who may go on sharing it.
//
// A manager is any object for which argument-dependent lookup, or a declaration in namespace freehold, finds
//     void reclaim_managed_object(Manager* manager, T* object) noexcept;
// The paper had destructive copies and managed_ptr_ref, because moves did not exist; here it moves.
//
// Thread safety: one managed_ptr may be used by one thread at a time. Exceptions: only the conversion to shared_ptr
// throws, or allocates. Complexity: constant. Cost: four words; a move copies them, and neither
// counts nor calls; destruction is one indirect call.

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "../core/assert.hpp"
#include "../core/config.hpp"
#include "../core/type_name.hpp"
#include "../memory/small_block_allocator.hpp"
#include "detail/pointer_block.hpp"
#include "shared_ptr.hpp"

namespace freehold::inline v0_2 {

template <class T>
class managed_ptr {
public:
    using element_type = T;

    // Postconditions: get() == nullptr.
    constexpr managed_ptr() noexcept = default;
    constexpr managed_ptr(std::nullptr_t) noexcept {}

    // Effects: owns `object`, which will be deleted.
    template <class Y>
        requires std::convertible_to<Y*, T*>
    explicit managed_ptr(Y* object) noexcept
        : pointer_(object), cleanup_(object != nullptr ? detail::cleanup::deleting(object) : detail::cleanup()) {}

    // Effects: owns `object`, which reclaim_managed_object(manager, object) will take back. A null `object` makes an
    // empty managed_ptr, for which no manager is called.
    // Requires: the manager lives longer; reclaim_managed_object(manager, object) is well-formed and does not throw.
    template <class Y, class Manager>
        requires std::convertible_to<Y*, T*> && detail::manager_of<Manager, Y>
    managed_ptr(Y* object, Manager* manager) noexcept
        : pointer_(object),
          cleanup_(object != nullptr ? detail::cleanup::reclaiming(object, manager) : detail::cleanup()) {}

    // Effects: takes over what `other` owned and leaves it empty.
    managed_ptr(managed_ptr&& other) noexcept
        : pointer_(std::exchange(other.pointer_, nullptr)), cleanup_(other.cleanup_.take()) {}

    template <class Y>
        requires std::convertible_to<Y*, T*>
    managed_ptr(managed_ptr<Y>&& other) noexcept
        : pointer_(std::exchange(other.pointer_, nullptr)), cleanup_(other.cleanup_.take()) {}

    // Effects: takes over what `owner` owned and points to `alias`, which has the lifetime of the owned object.
    // Requires: `alias` is null if `owner` is empty.
    template <class Y>
    managed_ptr(managed_ptr<Y>&& owner, T* alias) noexcept : pointer_(alias), cleanup_(owner.cleanup_.take()) {
        FREEHOLD_EXPECTS(alias == nullptr || !cleanup_.is_empty(), "an alias is made from an owner that owns nothing",
                         detail::type_name<managed_ptr>);
        owner.pointer_ = nullptr;
    }

    // Effects: takes over what `owner` owned. Its deleter must be stateless or the address of a function.
    template <class Y, class Deleter>
        requires std::convertible_to<Y*, T*> && detail::storable_deleter<Deleter, Y>
    managed_ptr(std::unique_ptr<Y, Deleter>&& owner) noexcept : pointer_(owner.get()) {
        if (pointer_ != nullptr) cleanup_ = detail::cleanup::from(owner);
    }

    // Effects: shares ownership with `owner`, or takes its share over, which changes no count.
    // Requires: where Counting is for one thread, the managed_ptr stays in that thread.
    template <detail::compatible_with<T> Y, class Counting>
    managed_ptr(shared_ptr<Y, Counting> owner) noexcept : pointer_(owner.get()) {
        const auto handle = detail::access::release(owner);
        if (handle.owners() > 0) cleanup_ = detail::cleanup::releasing(handle);
    }

    // Effects: has the object deleted or taken back.
    ~managed_ptr() { cleanup_.run(); }

    managed_ptr& operator=(managed_ptr&& other) noexcept {
        managed_ptr(std::move(other)).swap(*this);
        return *this;
    }

    template <class Other>
        requires(!std::same_as<std::remove_cvref_t<Other>, managed_ptr> && std::constructible_from<managed_ptr, Other>)
    managed_ptr& operator=(Other&& other) noexcept {
        managed_ptr(std::forward<Other>(other)).swap(*this);
        return *this;
    }

    // Effects: managed_ptr(arguments...).swap(*this).
    template <class... Arguments>
        requires std::constructible_from<managed_ptr, Arguments...>
    void reset(Arguments&&... arguments) noexcept {
        managed_ptr(std::forward<Arguments>(arguments)...).swap(*this);
    }

    // Requires: *this does not delete `object`.
    template <class Y>
        requires std::convertible_to<Y*, T*>
    void reset(Y* object) noexcept {
        FREEHOLD_EXPECTS(object == nullptr || cleanup_ != detail::cleanup::deleting(object),
                         "the pointer is reset to the object that it owns, which would be deleted twice",
                         detail::type_name<managed_ptr>);
        managed_ptr(object).swap(*this);
    }

    // Effects: exchanges the contents of *this and `other`.
    void swap(managed_ptr& other) noexcept {
        std::swap(pointer_, other.pointer_);
        std::swap(cleanup_, other.cleanup_);
    }

    [[nodiscard]] T* get() const noexcept FREEHOLD_LIFETIME_BOUND { return pointer_; }

    // Requires: get() != nullptr.
    [[nodiscard]] std::add_lvalue_reference_t<T> operator*() const noexcept FREEHOLD_LIFETIME_BOUND
        requires(!std::is_void_v<T>)
    {
        FREEHOLD_EXPECTS(pointer_ != nullptr, "a null pointer is dereferenced", detail::type_name<managed_ptr>);
        return *pointer_;
    }

    [[nodiscard]] T* operator->() const noexcept FREEHOLD_LIFETIME_BOUND {
        FREEHOLD_EXPECTS(pointer_ != nullptr, "a null pointer is dereferenced", detail::type_name<managed_ptr>);
        return pointer_;
    }

    [[nodiscard]] explicit operator bool() const noexcept { return pointer_ != nullptr; }

private:
    template <class Y>
    friend class managed_ptr;
    friend struct detail::access;

    T* pointer_ = nullptr;
    detail::cleanup cleanup_;
};

// Effects: a.swap(b).
template <class T>
void swap(managed_ptr<T>& a, managed_ptr<T>& b) noexcept {
    a.swap(b);
}

template <class T>
[[nodiscard]] bool operator==(const managed_ptr<T>& a, std::nullptr_t) noexcept {
    return a.get() == nullptr;
}

}  // namespace freehold
