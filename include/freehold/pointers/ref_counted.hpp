#pragma once
// ref_counted<Derived, Counting>: a base class that gives Derived a count for intrusive_ptr.
//
//     struct node : freehold::ref_counted<node> { ... };
//     freehold::intrusive_ptr<node> root = freehold::make_intrusive<node>();
//
// A new Derived takes its memory from the small-block pool (see pooled_object), unless Derived has its own operator
// new.
//
// Thread safety: that of the counting policy, atomic_counting by default.
// Exceptions: none. Complexity: constant. Cost: 8 bytes in the object; see reference_count.

#include <type_traits>

#include "../core/config.hpp"
#include "../counting/atomic_counting.hpp"
#include "../counting/reference_count.hpp"
#include "../memory/pooled_object.hpp"
#include "detail/destruction_depth.hpp"
#include "intrusive_ptr.hpp"

namespace freehold::inline v0_2 {

namespace detail {

// Objects with a count of their own that wait for their destruction, linked through the count.
// A list in one thread. Counted has a member count_ that can keep a note, and a function destroy_now(object).
template <class Counted>
class pending_objects {
public:
    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }

    // Effects: adds `added`. Returns: true. Requires: no owner of it is left.
    [[nodiscard]] bool push(const Counted* added) noexcept {
        added->count_.stash(reinterpret_cast<count_word>(first_));
        first_ = added;
        return true;
    }

    // Effects: removes an object and destroys it. Requires: !empty().
    void destroy_one() noexcept {
        const Counted* const removed = first_;
        first_ = reinterpret_cast<const Counted*>(removed->count_.unstash());
        Counted::destroy_now(removed);
    }

private:
    const Counted* first_ = nullptr;
};

}  // namespace detail

template <class Derived, counting_policy Counting = atomic_counting>
class ref_counted : public pooled_object {
public:
    // Returns: the number of owners at some moment of the call.
    [[nodiscard]] long use_count() const noexcept { return count_.value(); }

    // Effects: adds an owner. Found by argument-dependent lookup from intrusive_ptr.
    friend void intrusive_ptr_add_ref(const ref_counted* object) noexcept { object->count_.acquire(); }

    // Effects: removes an owner; the last one deletes the object as a Derived.
    // Requires: there is an owner. Derived, or a class derived from it with a virtual destructor, was made by `new`. An
    // object must not make and release an owner of itself in its constructor: that would be the last release.
    friend void intrusive_ptr_release(const ref_counted* object) noexcept {
        object->count_.release([object]() noexcept { finish_last(object); });
    }

protected:
    constexpr ref_counted() noexcept = default;

    // The count belongs to the object's place, not to its value: a copy starts with no owner and keeps its own.
    constexpr ref_counted(const ref_counted&) noexcept : pooled_object() {}
    constexpr ref_counted& operator=(const ref_counted&) noexcept { return *this; }

    ~ref_counted() = default;

private:
    friend class detail::pending_objects<ref_counted>;

    // Kept out of line, so that a release is small where it is inlined.
    FREEHOLD_NOINLINE static void finish_last(const ref_counted* object) noexcept {
        if constexpr (std::is_trivially_destructible_v<Derived>) {
            destroy_now(object);
        } else {
            detail::destruction_depth<detail::pending_objects<ref_counted>>::run(object, destroy_now);
        }
    }

    static void destroy_now(const ref_counted* object) noexcept {
        object->count_.expire();
        delete static_cast<const Derived*>(object);
    }

    mutable reference_count<Counting> count_;
};

}  // namespace freehold
