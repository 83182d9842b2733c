#pragma once
// owner_less, owner_hash, owner_equal: order, hash and equality by ownership instead of by pointer, for keys that are
// owners or observers ([util.smartptr.ownerless]; the latter two are those of C++26).
//
// Thread safety: any thread. Exceptions: none. Complexity: constant. Cost: no locked operation.
// Two owners that share, or an owner and its observer, are equivalent whatever they point to; an observer keeps its
// place when the object has ended.

#include <cstddef>

#include "shared_ptr.hpp"
#include "weak_ptr.hpp"

namespace freehold {

// Compares owners and observers of any types, with one counting, and finds keys of other types in a set.
template <class Pointer = void>
struct owner_less;

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

template <class T, class Counting>
struct owner_less<shared_ptr<T, Counting>> : owner_less<> {};

template <class T, class Counting>
struct owner_less<weak_ptr<T, Counting>> : owner_less<> {};

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
