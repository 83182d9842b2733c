#pragma once
// shared_ptr<T, Counting>: shared ownership of an object through a control block, as [util.smartptr.shared] has it.
//
// Thread safety: one shared_ptr object may be used by one thread at a time. With atomic_counting, the default,
// different owners of one object may be in different threads; with plain_counting (local_shared_ptr) they may not.
// Exceptions: only functions that allocate throw. Then nothing has changed, but a raw pointer argument is deleted.
// Complexity: constant, apart from the object's destructor.
// Cost: the handle is two words. The control block is 16 bytes beside an object made by make_shared, and 32 bytes
// beside any other. It comes from the thread's cache of small blocks unless an allocator is given. A copy is one locked
// operation, or none while the process has one thread. The last release is not locked if no weak_ptr exists.

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "../core/assert.hpp"
#include "../core/config.hpp"
#include "../core/exceptions.hpp"
#include "../core/handle.hpp"
#include "../core/type_name.hpp"
#include "../counting/atomic_counting.hpp"
#include "../fwd.hpp"
#include "../memory/small_block_allocator.hpp"
#include "detail/access.hpp"
#include "detail/pointer_block.hpp"
#include "detail/pointer_conversion.hpp"

namespace freehold::inline v0_2 {

using std::bad_weak_ptr;

template <class T, class Counting>
class FREEHOLD_TRIVIAL_ABI shared_ptr {
    template <class Y>
    using default_deletion = detail::delete_object<std::conditional_t<std::is_array_v<T>, Y[], Y>>;

public:
    using element_type = std::remove_extent_t<T>;
    using weak_type = weak_ptr<T, Counting>;

    // Constructors

    // Effects: constructs an empty shared_ptr.
    // Postconditions: use_count() == 0 and get() == nullptr.
    constexpr shared_ptr() noexcept = default;
    constexpr shared_ptr(std::nullptr_t) noexcept {}

    // Effects: constructs a shared_ptr that owns `object` and will delete it (delete[] if T is an array).
    // Postconditions: use_count() == 1 and get() == object.
    // Throws: std::bad_alloc; then the object was deleted.
    template <class Y>
        requires detail::ownable_as<Y, T> && detail::deletable_as<Y, T>
    explicit shared_ptr(Y* object) : shared_ptr(object, default_deletion<Y>(), small_block_allocator<Y>()) {}

    // Effects: constructs a shared_ptr that owns `object` and the deleter; its control block is allocated through a
    // rebound copy of the allocator, which is kept in the block ([util.smartptr.shared.const], N1851).
    // Requires: constructing the deleter by move, deleter(object) and copying the allocator do not throw.
    // Postconditions: use_count() == 1 and get() == object.
    // Throws: what the allocation throws; then deleter(object) was called.
    template <class Y, class Deleter>
        requires detail::ownable_as<Y, T> && detail::deleter_of<Deleter, Y*>
    shared_ptr(Y* object, Deleter deleter) : shared_ptr(object, std::move(deleter), small_block_allocator<Y>()) {}

    template <class Y, class Deleter, class Allocator>
        requires detail::ownable_as<Y, T> && detail::deleter_of<Deleter, Y*>
    shared_ptr(Y* object, Deleter deleter, Allocator allocator)
        : pointer_(object), handle_(detail::own_pointer<Counting>(object, deleter, allocator)) {
        if constexpr (!std::is_array_v<T>) detail::access::introduce(handle_, object);
    }

    // Effects: as above with the default deleter. An allocator alone is an argument that allocates and is no deleter.
    template <class Y, class Allocator>
        requires detail::ownable_as<Y, T> && detail::deletable_as<Y, T> && detail::allocator_only<Allocator, Y*>
    shared_ptr(Y* object, Allocator allocator) : shared_ptr(object, default_deletion<Y>(), std::move(allocator)) {}

    // Effects: as above, for an allocator that could be called like a deleter.
    template <class Y, class Allocator>
        requires detail::ownable_as<Y, T> && detail::deletable_as<Y, T>
    shared_ptr(std::allocator_arg_t, Allocator allocator, Y* object)
        : shared_ptr(object, default_deletion<Y>(), std::move(allocator)) {}

    // Effects: as above for a null pointer, for which the deleter will be called too. A parameter constrains the
    // deleter. g++ would check a requires-clause for a Y* as well, before it sees that a Y* is no nullptr_t, and a
    // generic lambda that deletes its argument would not compile ([LWG 4110]).
    template <class Deleter>
    shared_ptr(std::nullptr_t, Deleter deleter, detail::if_deleter_of<Deleter, std::nullptr_t> = {})
        : shared_ptr(nullptr, std::move(deleter), small_block_allocator<element_type*>()) {}

    template <class Deleter, class Allocator>
    shared_ptr(std::nullptr_t object, Deleter deleter, Allocator allocator,
               detail::if_deleter_of<Deleter, std::nullptr_t> = {})
        : handle_(detail::own_pointer<Counting>(object, deleter, allocator)) {}

    // Effects: constructs a shared_ptr that shares ownership with `owner` and points to `alias` (aliasing).
    // Postconditions: get() == alias and use_count() == owner.use_count().
    template <class Y>
    shared_ptr(const shared_ptr<Y, Counting>& owner, element_type* alias) noexcept
        : pointer_(alias), handle_(owner.handle_) {
        handle_.acquire();
    }

    // Effects: as above, but takes over the ownership and leaves `owner` empty.
    template <class Y>
    shared_ptr(shared_ptr<Y, Counting>&& owner, element_type* alias) noexcept
        : pointer_(alias), handle_(owner.handle_.take()) {
        owner.pointer_ = nullptr;
    }

    // Effects: shares ownership with `other`; an empty one makes an empty one.
    // Postconditions: get() == other.get() and use_count() == other.use_count().
    shared_ptr(const shared_ptr& other) noexcept : pointer_(other.pointer_), handle_(other.handle_) {
        handle_.acquire();
    }

    template <detail::compatible_with<T> Y>
    shared_ptr(const shared_ptr<Y, Counting>& other) noexcept : pointer_(other.pointer_), handle_(other.handle_) {
        handle_.acquire();
    }

    // Effects: takes over what `other` owned and leaves it empty.
    shared_ptr(shared_ptr&& other) noexcept : pointer_(other.pointer_), handle_(other.handle_.take()) {
        other.pointer_ = nullptr;
    }

    template <detail::compatible_with<T> Y>
    shared_ptr(shared_ptr<Y, Counting>&& other) noexcept : pointer_(other.pointer_), handle_(other.handle_.take()) {
        other.pointer_ = nullptr;
    }

    // Effects: shares ownership of what `weak` refers to.
    // Throws: std::bad_weak_ptr if weak.expired().
    template <detail::compatible_with<T> Y>
    explicit shared_ptr(const weak_ptr<Y, Counting>& weak) : shared_ptr(weak, weak.handle_) {}

    // Effects: takes over what `owner` owns, with its deleter; an empty one makes an empty one. The allocator, if
    // given, supplies the control block (N1851). Throws: what the allocation throws; then `owner` is unchanged.
    template <class Y, class Deleter>
        requires detail::adoptable_as<Y, Deleter, T>
    shared_ptr(std::unique_ptr<Y, Deleter>&& owner)
        : shared_ptr(std::move(owner), small_block_allocator<element_type*>()) {}

    template <class Y, class Deleter, class Allocator>
        requires detail::adoptable_as<Y, Deleter, T>
    shared_ptr(std::unique_ptr<Y, Deleter>&& owner, Allocator allocator) {
        if (owner.get() == nullptr) return;
        pointer_ = owner.get();
        const auto object = owner.get();
        handle_ = detail::own_unique<Counting>(owner, allocator);
        if constexpr (!std::is_array_v<T> && std::is_convertible_v<decltype(object), Y*>)
            detail::access::introduce(handle_, static_cast<Y*>(object));
    }

    // Effects: takes over what `owner` owned, with its manager, and leaves it empty. A share that came from a
    // shared_ptr with the same counting is taken back: nothing is allocated and nothing counted.
    // Throws: what the allocation throws; then `owner` is unchanged (the paper, without moves, had to empty it).
    template <detail::compatible_with<T> Y>
    shared_ptr(managed_ptr<Y>&& owner) {
        detail::cleanup& managed = detail::access::cleanup_of(owner);
        const bool is_new = managed.destroys(detail::access::pointer_of(owner));
        handle_ = detail::own_managed<Counting>(managed, small_block_allocator<element_type*>());
        Y* const object = std::exchange(detail::access::pointer_of(owner), nullptr);
        pointer_ = object;
        if (is_new) detail::access::introduce(handle_, object);
    }

    // What none of these takes. A compiler names one deleted constructor in a few lines, and of none it lists all. As
    // they are explicit, they take no part in implicit conversions: no overload becomes ambiguous.
    template <detail::pointer_or_owner Source>
    explicit shared_ptr(const Source& source) = delete;  // see pointer_cast.hpp; of std: freehold::from_std()

    template <class Y, class Deleter>
    shared_ptr(Y* object, Deleter deleter) = delete;  // of another object, or not called with a Y*

    template <class Y, class Other>
    shared_ptr(const shared_ptr<Y, Other>& owner, element_type* alias) = delete;  // its owners are counted otherwise

    // Effects: releases ownership; the last owner destroys the object.
    // Inline also where an exception passes by: clang would call it there with the handle's address, and so keep the
    // handle in memory on the common path, too.
    FREEHOLD_ALWAYS_INLINE ~shared_ptr() { handle_.release(); }

    // Assignment: the old object is released last, when *this has its new value ([util.smartptr.shared.assign]).

    shared_ptr& operator=(const shared_ptr& other) noexcept {
        // The same control block: nothing to count, which could be two locked operations.
        if (handle_ == other.handle_) {
            pointer_ = other.pointer_;
        } else {
            shared_ptr(other).swap(*this);
        }
        return *this;
    }

    shared_ptr& operator=(shared_ptr&& other) noexcept {
        shared_ptr(std::move(other)).swap(*this);
        return *this;
    }

    // From a shared_ptr to another type, a unique_ptr, a managed_ptr, a thin_ptr.
    template <detail::converts_to<shared_ptr> Source>
    shared_ptr& operator=(Source&& source) noexcept(std::is_nothrow_convertible_v<Source, shared_ptr>) {
        shared_ptr(std::forward<Source>(source)).swap(*this);
        return *this;
    }

    template <detail::pointer_or_owner Source>
        requires(!std::convertible_to<const Source&, shared_ptr>)
    shared_ptr& operator=(const Source& source) = delete;  // as the deleted constructor

    // Modifiers

    // Effects: exchanges the contents of *this and `other`.
    void swap(shared_ptr& other) noexcept {
        element_type* const pointer = pointer_;
        pointer_ = other.pointer_;
        other.pointer_ = pointer;
        handle_.swap(other.handle_);
    }

    // Effects: releases ownership. Postconditions: *this is empty.
    void reset() noexcept { shared_ptr().swap(*this); }

    // Effects: shared_ptr(arguments...).swap(*this).
    // Requires: *this does not own an object that is deleted or destroyed without a deleter of the user's, and that
    // `object` is or is a part of, unless a deleter of the user's is given for `object`, too.
    // Throws: what that constructor throws; then *this is unchanged.
    template <detail::ownable_as<T> Y>
    void reset(Y* object) {
        expect_one_deletion<default_deletion<Y>>(object);
        shared_ptr(object).swap(*this);
    }

    template <class Y, class Deleter>
        requires detail::ownable_as<Y, T> && detail::deleter_of<Deleter, Y*>
    void reset(Y* object, Deleter deleter) {
        expect_one_deletion<Deleter>(object);
        shared_ptr(object, std::move(deleter)).swap(*this);
    }

    template <class Y, class Deleter, class Allocator>
        requires detail::ownable_as<Y, T> && detail::deleter_of<Deleter, Y*>
    void reset(Y* object, Deleter deleter, Allocator allocator) {
        expect_one_deletion<Deleter>(object);
        shared_ptr(object, std::move(deleter), std::move(allocator)).swap(*this);
    }

    // Effects: as above with the default deleter and an allocator (N1851).
    template <class Y, class Allocator>
        requires detail::ownable_as<Y, T> && detail::deletable_as<Y, T> && detail::allocator_only<Allocator, Y*>
    void reset(Y* object, Allocator allocator) {
        expect_one_deletion<default_deletion<Y>>(object);
        shared_ptr(object, std::move(allocator)).swap(*this);
    }

    template <class Y, class Allocator>
        requires detail::ownable_as<Y, T> && detail::deletable_as<Y, T>
    void reset(std::allocator_arg_t, Allocator allocator, Y* object) {
        expect_one_deletion<default_deletion<Y>>(object);
        shared_ptr(std::allocator_arg, std::move(allocator), object).swap(*this);
    }

    template <class Y, class Deleter, class Allocator>
        requires std::is_constructible_v<shared_ptr, std::unique_ptr<Y, Deleter>, Allocator>
    void reset(std::unique_ptr<Y, Deleter>&& owner, Allocator allocator) {
        shared_ptr(std::move(owner), std::move(allocator)).swap(*this);
    }

    // Effects: shares ownership with `owner` and points to `alias` (N1851).
    template <class Y>
    void reset(const shared_ptr<Y, Counting>& owner, element_type* alias) noexcept {
        shared_ptr(owner, alias).swap(*this);
    }

    template <class Y>
    void reset(shared_ptr<Y, Counting>&& owner, element_type* alias) noexcept {
        shared_ptr(std::move(owner), alias).swap(*this);
    }

    // Observers

    // Returns: the pointer that *this stores.
    [[nodiscard]] element_type* get() const noexcept { return pointer_; }

    // Requires: get() != nullptr.
    [[nodiscard]] std::add_lvalue_reference_t<T> operator*() const noexcept
        requires(!std::is_array_v<T> && !std::is_void_v<T>)
    {
        FREEHOLD_EXPECTS(pointer_ != nullptr, "a null pointer is dereferenced",
                         detail::pointer_name<detail::counting_prefix<Counting>, "shared_ptr", T>);
        return *pointer_;
    }

    [[nodiscard]] T* operator->() const noexcept
        requires(!std::is_array_v<T>)
    {
        FREEHOLD_EXPECTS(pointer_ != nullptr, "a null pointer is dereferenced",
                         detail::pointer_name<detail::counting_prefix<Counting>, "shared_ptr", T>);
        return pointer_;
    }

    // Requires: get() != nullptr, i >= 0, and i < N if T is U[N].
    [[nodiscard]] std::add_lvalue_reference_t<element_type> operator[](std::ptrdiff_t i) const noexcept
        requires(std::is_array_v<T>)
    {
        FREEHOLD_EXPECTS(pointer_ != nullptr && i >= 0, "an element of a null array, or before the first one, is used",
                         detail::pointer_name<detail::counting_prefix<Counting>, "shared_ptr", T>);
        FREEHOLD_EXPECTS(std::extent_v<T> == 0 || static_cast<std::size_t>(i) < std::extent_v<T>,
                         "an element behind the last one of the array is used",
                         detail::pointer_name<detail::counting_prefix<Counting>, "shared_ptr", T>);
        return pointer_[i];
    }

    // Returns: the number of owners at some moment of the call, 0 if *this is empty.
    [[nodiscard]] long use_count() const noexcept { return handle_.owners(); }

    // Returns: use_count() == 1. No longer in the standard: another thread may change it before the return.
    [[nodiscard]] bool unique() const noexcept { return use_count() == 1; }

    [[nodiscard]] explicit operator bool() const noexcept { return pointer_ != nullptr; }

    // Returns: whether *this comes before `other`, a shared_ptr or weak_ptr, in an order of owners: equal if they share
    // ownership or are empty.
    template <detail::counted_by<Counting> Pointer>
    [[nodiscard]] bool owner_before(const Pointer& other) const noexcept {
        return handle_.before(detail::access::handle(other));
    }

    // Returns: a hash that is equal for pointers that share ownership.
    [[nodiscard]] std::size_t owner_hash() const noexcept { return handle_.hash(); }

    // Returns: whether *this and `other`, a shared_ptr or weak_ptr, share ownership or are both empty.
    template <detail::counted_by<Counting> Pointer>
    [[nodiscard]] bool owner_equal(const Pointer& other) const noexcept {
        return handle_ == detail::access::handle(other);
    }

private:
    template <class Y, class OtherCounting>
    friend class shared_ptr;
    template <class Y, class OtherCounting>
    friend class weak_ptr;
    friend struct detail::access;

    template <class Deleter>
    FREEHOLD_ALWAYS_INLINE void expect_one_deletion([[maybe_unused]] const volatile void* object) const noexcept {
        if constexpr (detail::is_default_deletion<Deleter>) {
            FREEHOLD_EXPECTS(!handle_.deletes(object),
                             "the pointer is reset to the object that it owns, which would be deleted twice",
                             detail::pointer_name<detail::counting_prefix<Counting>, "shared_ptr", T>);
        }
    }

    shared_ptr(element_type* pointer, detail::block_handle<Counting> handle) noexcept
        : pointer_(pointer), handle_(handle) {}

    // Converts the pointer after acquiring an owner: a conversion to a virtual base reads the object.
    template <class Y>
    shared_ptr(const weak_ptr<Y, Counting>& weak, detail::block_handle<Counting> handle)
        : pointer_(handle.kept_alive(weak.pointer_)), handle_(handle.anchor()) {}

    element_type* pointer_ = nullptr;
    detail::block_handle<Counting> handle_;
};

template <class T, class Counting>
shared_ptr(weak_ptr<T, Counting>) -> shared_ptr<T, Counting>;

template <class T, class Deleter>
shared_ptr(std::unique_ptr<T, Deleter>) -> shared_ptr<T>;

// Comparisons, swap, << and the hash are those of the stored pointers ([util.smartptr.shared.cmp]).
template <>
inline constexpr bool detail::is_handle<shared_ptr> = true;

// Returns: the deleter that `pointer` owns if its type is Deleter, else a null pointer. Works without RTTI.
template <class Deleter, class T, class Counting>
[[nodiscard]] Deleter* get_deleter(const shared_ptr<T, Counting>& pointer) noexcept {
    detail::control_block<Counting>* const block = detail::access::handle(pointer).block();
    if (block == nullptr) return nullptr;
    return static_cast<Deleter*>(block->deleter(detail::type_key::of<std::remove_cv_t<Deleter>>()));
}

}  // namespace freehold

// As std::shared_ptr, it takes no part in these ([out.ptr.t], [inout.ptr.t]): a reset without a deleter would replace
// the one that the pointer had, and other owners keep the object.
#ifdef __cpp_lib_out_ptr
template <class T, class Counting, class Pointer>
class std::out_ptr_t<freehold::shared_ptr<T, Counting>, Pointer> {
    static_assert(!std::is_same_v<T, T>, "freehold: out_ptr of a shared pointer needs a deleter: out_ptr(p, deleter)");
};

template <class T, class Counting, class Pointer, class... Arguments>
class std::inout_ptr_t<freehold::shared_ptr<T, Counting>, Pointer, Arguments...> {
    static_assert(!std::is_same_v<T, T>,
                  "freehold: a shared pointer can't give its object up to inout_ptr, and other owners would keep it");
};
#endif

#include "weak_ptr.hpp"
