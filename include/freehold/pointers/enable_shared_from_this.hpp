#pragma once
// enable_shared_from_this<T, Counting>: a base class by which an object makes owners of itself
// ([util.smartptr.enab]).
//
// Thread safety: that of weak_ptr. Exceptions: shared_from_this throws std::bad_weak_ptr if the object has no owner.
// Complexity: constant. Cost: two words in the object, and a weak pointer for its lifetime: the last release is one
// more locked operation.

#include "../counting/biased_counting.hpp"
#include "../counting/plain_counting.hpp"
#include "../counting/sharded_counting.hpp"
#include "shared_ptr.hpp"
#include "weak_ptr.hpp"

namespace freehold::inline v0_2 {

template <class T, class Counting>
class enable_shared_from_this {
public:
    // Returns: an owner of *this that shares with the others.
    // Throws: std::bad_weak_ptr if it has no owner, as in its constructor or on the stack.
    [[nodiscard]] shared_ptr<T, Counting> shared_from_this() { return detail::access::owner_of(weak_); }
    [[nodiscard]] shared_ptr<const T, Counting> shared_from_this() const { return detail::access::owner_of(weak_); }

    // Returns: a weak pointer of *this, empty if there never was an owner.
    [[nodiscard]] weak_ptr<T, Counting> weak_from_this() noexcept { return weak_; }
    [[nodiscard]] weak_ptr<const T, Counting> weak_from_this() const noexcept { return weak_; }

protected:
    constexpr enable_shared_from_this() noexcept = default;

    // Ownership is not part of an object's value.
    constexpr enable_shared_from_this(const enable_shared_from_this&) noexcept {}
    constexpr enable_shared_from_this& operator=(const enable_shared_from_this&) noexcept { return *this; }

    ~enable_shared_from_this() = default;

private:
    friend struct detail::access;

    // Kept from the first owner. An alias does not replace it; a new first owner of an object without owners does.
    // Requires: at most one of several owners deletes the object.
    void keep_weak(detail::block_handle<Counting> handle, T* object) const noexcept {
        if (!weak_.expired()) {
            [[maybe_unused]] const auto earlier = detail::access::handle(weak_);
            FREEHOLD_EXPECTS(!(handle.deletes(object) && earlier.deletes(object)),
                             "an object that has an owner is given to another one, and would be deleted twice: call "
                             "shared_from_this()",
                             detail::type_name<T>);
            return;
        }
        handle.acquire_weak();
        weak_ = detail::access::adopt_weak<T, Counting>(object, handle);
    }

    mutable weak_ptr<T, Counting> weak_;
};

template <class T>
using enable_local_shared_from_this = enable_shared_from_this<T, plain_counting>;

template <class T>
using enable_biased_shared_from_this = enable_shared_from_this<T, biased_counting>;

template <class T>
using enable_sharded_shared_from_this = enable_shared_from_this<T, sharded_counting>;

}  // namespace freehold
