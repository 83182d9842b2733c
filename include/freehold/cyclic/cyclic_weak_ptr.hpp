#pragma once
// cyclic_weak_ptr<T>: observes an object that cyclic_ptrs own, and does not keep it alive.
//
// It expires when the object is found to end: before its finalize(), its destructor and those of all that end with it.
//
// Thread safety: that of cyclic_ptr. Exceptions: only making the first observer of an object may throw.
// Complexity: constant on average. Cost: one word; a record for each object that is observed, and a place in a table of
// its thread until the object ends.

#include <cstddef>
#include <type_traits>
#include <utility>

#include "../core/first_base.hpp"
#include "../tracing/trace.hpp"
#include "cyclic_ptr.hpp"
#include "detail/cyclic_header.hpp"
#include "detail/thread_domain.hpp"

namespace freehold {

template <class T, class Domain = detail::thread_domain>
class cyclic_weak_ptr {
public:
    using element_type = T;

    // Postconditions: expired().
    constexpr cyclic_weak_ptr() noexcept = default;

    // Effects: observes what `owner` owns, if anything.
    // Throws: std::bad_alloc where the object has had no observer yet.
    template <class U>
        requires(std::is_same_v<U, T> || detail::owned_as<U, T>)
    cyclic_weak_ptr(const cyclic_ptr<U, Domain>& owner) {
        if (owner) record_ = Domain::observe(cyclic_ptr<U, Domain>::header_of(owner.get()));
    }

    // Effects: observes what `other` observes, if anything.
    template <class U>
        requires detail::owned_as<U, T>
    cyclic_weak_ptr(const cyclic_weak_ptr<U, Domain>& other) noexcept : record_(other.record_) {}

    // Effects: observes nothing. Postconditions: expired().
    void reset() noexcept { record_.reset(); }

    // Effects: exchanges the contents of *this and `other`.
    void swap(cyclic_weak_ptr& other) noexcept { record_.swap(other.record_); }

    // Returns: whether there is no object, or none any more.
    [[nodiscard]] bool expired() const noexcept { return !record_ || Domain::has_expired(*record_); }

    // Returns: an owner of the object, or an empty pointer if there is none any more.
    [[nodiscard]] cyclic_ptr<T, Domain> lock() const noexcept {
        detail::cyclic_header* const locked = record_ ? Domain::lock(*record_) : nullptr;
        return cyclic_ptr<T, Domain>(locked != nullptr ? static_cast<T*>(locked->object()) : nullptr);
    }

    // Returns: the number of owners of the object.
    [[nodiscard]] long use_count() const noexcept { return record_ ? Domain::owners_of_observed(*record_) : 0; }

private:
    template <class U, class D>
    friend class cyclic_weak_ptr;

    typename Domain::observer record_;
};

template <class T, class Domain>
inline constexpr bool is_untraced<cyclic_weak_ptr<T, Domain>> = true;

// Effects: a.swap(b).
template <class T, class Domain>
void swap(cyclic_weak_ptr<T, Domain>& a, cyclic_weak_ptr<T, Domain>& b) noexcept {
    a.swap(b);
}

}  // namespace freehold
