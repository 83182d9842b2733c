#pragma once
// weak_ptr<T, Counting>: refers to an object that shared_ptrs own, and does not keep it alive ([util.smartptr.weak]).
//
// Thread safety: that of shared_ptr. Exceptions: no function throws.
// Complexity: constant; lock() is wait-free (lock-free with biased_counting).
// Cost: the handle is two words. While one exists, the control block stays allocated, and with it an object housed
// there. With threads a copy is one locked operation, lock() one, or none of an expired object, a destruction none or
// one. A lock() that meets the last release is two.

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "../core/config.hpp"
#include "../core/exceptions.hpp"
#include "detail/access.hpp"
#include "detail/pointer_conversion.hpp"
#include "shared_ptr.hpp"

namespace freehold::inline v0_2 {

// The default is here, so that a program without its header hears of an incomplete type.
template <class T, class Counting>
class FREEHOLD_TRIVIAL_ABI weak_ptr {
public:
    using element_type = std::remove_extent_t<T>;

    // Effects: constructs an empty weak_ptr. Postconditions: use_count() == 0.
    constexpr weak_ptr() noexcept = default;

    // Effects: refers to what `owner` owns; an empty `owner` makes an empty one that stores null, whatever it points
    // to.
    template <detail::compatible_with<T> Y>
    weak_ptr(const shared_ptr<Y, Counting>& owner) noexcept : pointer_(owner.pointer_), handle_(owner.handle_) {
        begin(owner.handle_);
    }

    // Effects: refers to what `other` refers to, if anything.
    weak_ptr(const weak_ptr& other) noexcept : pointer_(other.pointer_), handle_(other.handle_) {
        handle_.acquire_weak();
    }

    template <detail::compatible_with<T> Y>
    weak_ptr(const weak_ptr<Y, Counting>& other) noexcept : pointer_(converted(other)), handle_(other.handle_) {
        handle_.acquire_weak();
    }

    // Effects: refers to what `other` referred to and leaves it empty.
    weak_ptr(weak_ptr&& other) noexcept
        : pointer_(std::exchange(other.pointer_, nullptr)), handle_(other.handle_.take()) {}

    template <detail::compatible_with<T> Y>
    weak_ptr(weak_ptr<Y, Counting>&& other) noexcept : pointer_(converted(other)), handle_(other.handle_.take()) {
        other.pointer_ = nullptr;
    }

    // Effects: refers to what `owner` refers to, if anything, and points to `alias` (aliasing; not in the standard).
    template <class Y>
    weak_ptr(const weak_ptr<Y, Counting>& owner, element_type* alias) noexcept
        : pointer_(alias), handle_(owner.handle_) {
        begin(owner.handle_);
    }

    template <class Y>
    weak_ptr(weak_ptr<Y, Counting>&& owner, element_type* alias) noexcept
        : pointer_(owner.handle_.is_empty() ? nullptr : alias), handle_(owner.handle_.take()) {
        owner.pointer_ = nullptr;
    }

    // What none of these takes, as in shared_ptr.
    template <detail::pointer_or_owner Source>
    explicit weak_ptr(const Source& source) = delete;  // of no owner, or of another object or count

    ~weak_ptr() { handle_.release_weak(); }

    weak_ptr& operator=(const weak_ptr& other) noexcept {
        weak_ptr(other).swap(*this);
        return *this;
    }

    weak_ptr& operator=(weak_ptr&& other) noexcept {
        weak_ptr(std::move(other)).swap(*this);
        return *this;
    }

    // From a shared_ptr, or a weak_ptr to another type.
    template <detail::converts_to<weak_ptr> Source>
    weak_ptr& operator=(Source&& source) noexcept {
        weak_ptr(std::forward<Source>(source)).swap(*this);
        return *this;
    }

    // Effects: exchanges the contents of *this and `other`.
    void swap(weak_ptr& other) noexcept {
        std::swap(pointer_, other.pointer_);
        handle_.swap(other.handle_);
    }

    // Postconditions: *this is empty.
    void reset() noexcept { weak_ptr().swap(*this); }

    // Returns: the number of owners of the object at some moment of the call.
    [[nodiscard]] long use_count() const noexcept { return handle_.owners(); }

    // Returns: use_count() == 0.
    [[nodiscard]] bool expired() const noexcept { return use_count() == 0; }

    // Returns: an owner of the object, or an empty shared_ptr if it has no owner; decided atomically.
    [[nodiscard]] shared_ptr<T, Counting> lock() const noexcept { return acquire<otherwise_empty>(); }

    // These are as in shared_ptr.

    template <detail::counted_by<Counting> Pointer>
    [[nodiscard]] bool owner_before(const Pointer& other) const noexcept {
        return handle_.before(detail::access::handle(other));
    }

    [[nodiscard]] std::size_t owner_hash() const noexcept { return handle_.hash(); }

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

    weak_ptr(element_type* pointer, detail::block_handle<Counting> handle) noexcept
        : pointer_(pointer), handle_(handle) {}

    // Effects: refers to what `handle` owns or refers to, or else stores null. Requires: *this holds `handle`.
    void begin(detail::block_handle<Counting> handle) noexcept {
        handle.acquire_weak();
        if (handle.is_empty()) pointer_ = nullptr;
    }

    struct otherwise_empty {
        static void fail() noexcept {}
    };

    struct otherwise_raise {
        static void fail() { detail::raise<std::bad_weak_ptr>(); }
    };

    // Returns: as lock(), unless Otherwise::fail() throws.
    template <class Otherwise>
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE shared_ptr<T, Counting> acquire() const noexcept(noexcept(Otherwise::fail())) {
        const auto handle = handle_;  // read once: clang would read it again, in one load with the pointer
        if (handle.is_counted()) [[likely]] {
            const lock_outcome outcome = handle.block()->try_lock();
            if (outcome != lock_outcome::acquired) [[unlikely]]
                return resolved<Otherwise>(pointer_, handle, outcome);
        } else if (!noexcept(Otherwise::fail())) {
            return resolved<Otherwise>(pointer_, handle, lock_outcome::refused);
        }
        return shared_ptr<T, Counting>(pointer_, handle.anchor());
    }

    // Out of line, and the last call, so that the common path saves no register for it.
    template <class Otherwise>
    FREEHOLD_NOINLINE FREEHOLD_COLD static shared_ptr<T, Counting> resolved(
        element_type* pointer, detail::block_handle<Counting> handle,
        lock_outcome outcome) noexcept(noexcept(Otherwise::fail())) {
        if (handle.resolve_lock(outcome)) return shared_ptr<T, Counting>(pointer, handle.anchor());
        Otherwise::fail();
        return {};
    }

    // A conversion to a virtual base reads the object, so an owner must keep it alive meanwhile.
    template <class Y>
    static element_type* converted(const weak_ptr<Y, Counting>& other) noexcept {
        if constexpr (detail::convertible_when_expired<std::remove_extent_t<Y>, element_type>) {
            return other.pointer_;
        } else {
            return other.lock().get();
        }
    }

    element_type* pointer_ = nullptr;  // null in an empty one ([LWG 3195])
    detail::block_handle<Counting> handle_;
};

template <class T, class Counting>
weak_ptr(shared_ptr<T, Counting>) -> weak_ptr<T, Counting>;

// Effects: a.swap(b).
template <class T, class Counting>
void swap(weak_ptr<T, Counting>& a, weak_ptr<T, Counting>& b) noexcept {
    a.swap(b);
}

}  // namespace freehold
