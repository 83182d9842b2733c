#pragma once
// snapshot_ptr<T>: what atomic_shared_ptr<T>::snapshot() returns: the value of that moment, to read and not to own.
//
// The object lives at least as long as the snapshot. A thread has eight slots for snapshots, so the ninth at once owns
// its object as a shared_ptr does.
//
// Thread safety: one snapshot may be used by one thread at a time; it may be moved to another thread. Exceptions: none.
// Complexity: constant. Cost: three words. For the first eight of a thread, in the module that made the atomic, neither
// the making nor the end is a locked operation or writes to memory that another thread writes; without membarrier the
// making is a fence. The first snapshot of an atomic pointer stores into it that there was one.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "../core/assert.hpp"
#include "../core/config.hpp"
#include "detail/atomic_pointer_domain.hpp"
#include "detail/pointer_word.hpp"
#include "shared_ptr.hpp"

namespace freehold::inline v0_2 {

namespace detail {

template <class Pointer>
class atomic_pointer;

}  // namespace detail

template <class T, class Pointer>
class snapshot_ptr {
    using word_of = detail::pointer_word<Pointer>;
    using domain = typename detail::process_of<typename word_of::threading>::type::domain;
    using slot_type = typename domain::slot;

public:
    using element_type = std::remove_extent_t<T>;

    // Postconditions: get() == nullptr.
    constexpr snapshot_ptr() noexcept = default;
    constexpr snapshot_ptr(std::nullptr_t) noexcept {}

    // Effects: takes over what `other` read, and leaves it empty.
    snapshot_ptr(snapshot_ptr&& other) noexcept
        : pointer_(std::exchange(other.pointer_, nullptr)),
          word_(std::exchange(other.word_, word_of::none)),
          slot_(std::exchange(other.slot_, nullptr)) {}

    snapshot_ptr& operator=(snapshot_ptr&& other) noexcept {
        snapshot_ptr(std::move(other)).swap(*this);
        return *this;
    }

    // Effects: from now on the object may be destroyed.
    FREEHOLD_ALWAYS_INLINE ~snapshot_ptr() { let_go(word_, slot_); }

    void swap(snapshot_ptr& other) noexcept {
        std::swap(pointer_, other.pointer_);
        std::swap(word_, other.word_);
        std::swap(slot_, other.slot_);
    }

    // Postconditions: get() == nullptr.
    void reset() noexcept { snapshot_ptr().swap(*this); }

    [[nodiscard]] element_type* get() const noexcept FREEHOLD_LIFETIME_BOUND { return pointer_; }

    // Returns: an owner of the object. Cost: as a copy of a Pointer.
    [[nodiscard]] Pointer share() const noexcept { return word_of::share(word_); }

    // Requires: get() != nullptr.
    [[nodiscard]] std::add_lvalue_reference_t<T> operator*() const noexcept FREEHOLD_LIFETIME_BOUND
        requires(!std::is_array_v<T> && !std::is_void_v<T>)
    {
        FREEHOLD_EXPECTS(pointer_ != nullptr, "a null pointer is dereferenced", "freehold::snapshot_ptr");
        return *pointer_;
    }

    [[nodiscard]] T* operator->() const noexcept FREEHOLD_LIFETIME_BOUND
        requires(!std::is_array_v<T>)
    {
        FREEHOLD_EXPECTS(pointer_ != nullptr, "a null pointer is dereferenced", "freehold::snapshot_ptr");
        return pointer_;
    }

    // Requires: get() != nullptr and i is within the array.
    [[nodiscard]] std::add_lvalue_reference_t<element_type> operator[](std::ptrdiff_t i) const noexcept
        FREEHOLD_LIFETIME_BOUND
        requires(std::is_array_v<T>)
    {
        FREEHOLD_EXPECTS(pointer_ != nullptr && i >= 0, "an element of a null array, or before the first one, is used",
                         "freehold::snapshot_ptr");
        return pointer_[i];
    }

    [[nodiscard]] explicit operator bool() const noexcept { return pointer_ != nullptr; }

    friend bool operator==(const snapshot_ptr& a, const snapshot_ptr& b) noexcept { return a.pointer_ == b.pointer_; }
    friend bool operator==(const snapshot_ptr& a, std::nullptr_t) noexcept { return a.pointer_ == nullptr; }
    friend void swap(snapshot_ptr& a, snapshot_ptr& b) noexcept { a.swap(b); }

private:
    template <class>
    friend class detail::atomic_pointer;

    // Effects: from now on the slot protects nothing. Without a slot, releases the word's reference. No member
    // function: a snapshot whose address nobody has can stay in registers.
    FREEHOLD_ALWAYS_INLINE static void let_go(std::uintptr_t word, slot_type* slot) noexcept {
        if (slot != nullptr) [[likely]] {
            domain::unprotect(*slot);
        } else if (word != word_of::none) {
            release(word);
        }
    }

    FREEHOLD_COLD FREEHOLD_NOINLINE static void release(std::uintptr_t word) noexcept { word_of::release(word); }

    // Effects: takes over a slot that protects the word, or without a slot the word's reference.
    FREEHOLD_ALWAYS_INLINE snapshot_ptr(std::uintptr_t word, slot_type* slot) noexcept
        : pointer_(word_of::get(word)), word_(word), slot_(slot) {}

    element_type* pointer_ = nullptr;
    std::uintptr_t word_ = word_of::none;
    slot_type* slot_ = nullptr;
};

}  // namespace freehold
