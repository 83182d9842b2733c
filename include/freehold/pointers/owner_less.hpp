#pragma once
// owner_less, owner_hash, owner_equal: order, hash and equality by ownership instead of by pointer, for keys that are
// owners or weak pointers ([util.smartptr.ownerless]; the latter two are those of C++26).
//
// Thread safety: any thread. Exceptions: none. Complexity: constant. Cost: no locked operation.
// Two owners that share, or an owner and its weak pointer, are equivalent whatever they point to; a weak pointer keeps
// its place when the object is destroyed.

#include <cstddef>

#include "shared_ptr.hpp"
#include "weak_ptr.hpp"

namespace freehold::inline v0_2 {

template <class Pointer = void>
struct owner_less;

// Compares owners and weak pointers of any types, with one counting, and finds keys of other types in a set.
template <>
struct owner_less<void> {
    using is_transparent = void;

    template <class A, class B>
    [[nodiscard]] bool operator()(const A& a, const B& b) const noexcept
        requires requires { a.owner_before(b); }
    {
        return a.owner_before(b);
    }
};

namespace detail {

// Pointer and Other: an owner and a weak pointer of one type, or the other way round.
template <class Pointer, class Other>
struct owner_less_of {
    [[nodiscard]] bool operator()(const Pointer& a, const Pointer& b) const noexcept { return a.owner_before(b); }
    [[nodiscard]] bool operator()(const Pointer& a, const Other& b) const noexcept { return a.owner_before(b); }
    [[nodiscard]] bool operator()(const Other& a, const Pointer& b) const noexcept { return a.owner_before(b); }
};

}  // namespace detail

// Compare the one type, its counterpart, and whatever converts to either, so that a set can be asked for a key to be
// made, such as nullptr. They are not transparent.
template <class T, class Counting>
struct owner_less<shared_ptr<T, Counting>> : detail::owner_less_of<shared_ptr<T, Counting>, weak_ptr<T, Counting>> {};

template <class T, class Counting>
struct owner_less<weak_ptr<T, Counting>> : detail::owner_less_of<weak_ptr<T, Counting>, shared_ptr<T, Counting>> {};

struct owner_hash {
    using is_transparent = void;

    template <class Pointer>
    [[nodiscard]] std::size_t operator()(const Pointer& pointer) const noexcept {
        return pointer.owner_hash();
    }
};

struct owner_equal {
    using is_transparent = void;

    template <class A, class B>
    [[nodiscard]] bool operator()(const A& a, const B& b) const noexcept {
        return a.owner_equal(b);
    }
};

}  // namespace freehold
