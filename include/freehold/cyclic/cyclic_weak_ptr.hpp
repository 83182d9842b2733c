#pragma once
// cyclic_weak_ptr<T>: refers to an object that cyclic_ptrs own, without keeping it alive.
//
// It expires with the last owner, or when a collection finds the object's cycle: before the finalize() and the
// destructor of any object that is destroyed with it.
//
// Thread safety: that of cyclic_ptr. Exceptions: only the first weak pointer to an object may throw.
// Complexity: constant on average. Cost: one word; for each object with weak pointers a record of 24 bytes, and a place
// in a table of its thread until the object is destroyed.

#include <type_traits>

#include "../core/first_base.hpp"
#include "../tracing/trace.hpp"
#include "cyclic_ptr.hpp"
#include "detail/cyclic_header.hpp"
#include "detail/thread_domain.hpp"

namespace freehold::inline v0_2 {

template <class T, class Domain>
class cyclic_weak_ptr {
public:
    using element_type = T;

    // Postconditions: expired().
    constexpr cyclic_weak_ptr() noexcept = default;

    // Effects: refers to the object of `owner`, if any.
    // Throws: std::bad_alloc, if the object has no weak pointer yet.
    template <class U>
        requires(std::is_same_v<U, T> || detail::owned_as<U, T>)
    cyclic_weak_ptr(const cyclic_ptr<U, Domain>& owner) {
        if (owner) record_ = Domain::acquire_weak(cyclic_ptr<U, Domain>::header_of(owner.get()));
    }

    // Effects: refers to the object of `other`, if any.
    template <class U>
        requires detail::owned_as<U, T>
    cyclic_weak_ptr(const cyclic_weak_ptr<U, Domain>& other) noexcept : record_(other.record_) {}

    // Effects: refers to no object. Postconditions: expired().
    void reset() noexcept { record_.reset(); }

    // Effects: exchanges the contents of *this and `other`.
    void swap(cyclic_weak_ptr& other) noexcept { record_.swap(other.record_); }

    // Returns: whether there is no object.
    [[nodiscard]] bool expired() const noexcept { return !record_ || record_->has_expired(); }

    // Returns: an owner of the object, or an empty pointer if expired().
    [[nodiscard]] cyclic_ptr<T, Domain> lock() const noexcept {
        T* locked = nullptr;
        if (record_) {
            record_->with_object([&locked](detail::cyclic_header& header) {
                Domain::expect_use_of(header);
                Domain::acquire(header);
                locked = static_cast<T*>(header.object());
            });
        }
        return cyclic_ptr<T, Domain>(locked);
    }

    // Returns: the number of owners of the object. Requires: as lock().
    [[nodiscard]] long use_count() const noexcept {
        long owners = 0;
        if (record_) {
            record_->with_object([&owners](detail::cyclic_header& header) {
                Domain::expect_use_of(header);
                owners = Domain::owners(header);
            });
        }
        return owners;
    }

private:
    template <class U, class D>
    friend class cyclic_weak_ptr;

    typename Domain::weak_handle record_;
};

template <class T, class Domain>
inline constexpr bool is_untraced<cyclic_weak_ptr<T, Domain>> = true;

// Effects: a.swap(b).
template <class T, class Domain>
void swap(cyclic_weak_ptr<T, Domain>& a, cyclic_weak_ptr<T, Domain>& b) noexcept {
    a.swap(b);
}

}  // namespace freehold
