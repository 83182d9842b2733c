#pragma once
// to_std(p), from_std(p): owners cross between Freehold and std. One that comes back shares with the one that crossed.
//
//     std::shared_ptr<T> theirs = freehold::to_std(ours);
//     freehold::shared_ptr<T> back = freehold::from_std(theirs);  // shares with `ours`, as a copy would
//
// A crossing makes a control block of the other library, which is one owner in its own: use_count() counts the owners
// of one library. Cross once and copy the result: two crossings make two blocks, whose owners do not share.
//
// Thread safety: that of the owners. A local_shared_ptr does not cross to std, whose owners any thread may release.
// Exceptions: only a crossing that makes a block throws; strong guarantee. Complexity: constant.
// Cost: a block of 48 bytes from the small-block pool; none for an owner that is empty, sole or comes back. A copy
// costs what it costs in its library. Needs run-time type information, by which std::get_deleter recognizes a block.

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "../memory/small_block_allocator.hpp"
#include "../pointers/managed_ptr.hpp"
#include "../pointers/shared_ptr.hpp"
#include "../pointers/weak_ptr.hpp"

#ifndef __cpp_rtti
#error "freehold/interop/std_bridge.hpp needs run-time type information: compile without -fno-rtti"
#endif

namespace freehold::inline v0_2 {

namespace detail {

using std_share = std::shared_ptr<void>;
template <class Counting>
using own_share = shared_ptr<void, Counting>;

// The deleter of a block that keeps an owner of the other library. It takes that owner when the block is allocated and
// no other thread can reach it: an owner that could not cross is unchanged. The block points to null, so that it is not
// introduced to an object with enable_shared_from_this: two threads that cross at once would both write there.
template <class Share>
struct bridge {
    void operator()(std::nullptr_t) noexcept { share.reset(); }

    Share share = nullptr;
};

template <class Counting>
concept counts_in_one_thread = requires { requires !Counting::concurrent; };

}  // namespace detail

// Effects: takes `owner` over, or shares with it.
// Returns: an owner that points where `owner` did, and shares with the std::shared_ptr from which `owner` came, if any;
// empty if `owner` was empty. Throws: std::bad_alloc; then `owner` is unchanged.
template <class T, class Counting>
    requires(!detail::counts_in_one_thread<Counting>)
[[nodiscard]] std::shared_ptr<T> to_std(shared_ptr<T, Counting>&& owner) {
    using bridge = detail::bridge<detail::own_share<Counting>>;
    auto* const object = owner.get();
    detail::std_share share;
    if (const auto* const origin = freehold::get_deleter<detail::bridge<detail::std_share>>(owner)) {
        share = origin->share;
    } else if (!owner.owner_equal(detail::own_share<Counting>())) {  // not use_count(), which may add up shards
        share = detail::std_share(nullptr, bridge(), small_block_allocator<std::byte>());
        std::get_deleter<bridge>(share)->share = detail::own_share<Counting>(std::move(owner), nullptr);
    }
    owner.reset();
    return std::shared_ptr<T>(std::move(share), object);
}

template <class T, class Counting>
    requires(!detail::counts_in_one_thread<Counting>)
[[nodiscard]] std::shared_ptr<T> to_std(const shared_ptr<T, Counting>& owner) {
    return freehold::to_std(shared_ptr<T, Counting>(owner));
}

// Effects, Returns, Throws: as to_std, in the other direction. from_std<biased_counting>(p) returns a
// biased_shared_ptr, which shares with the biased_shared_ptr from which p came, if any.
template <class Counting = atomic_counting, class T>
[[nodiscard]] shared_ptr<T, Counting> from_std(std::shared_ptr<T>&& owner) {
    using bridge = detail::bridge<detail::std_share>;
    auto* const object = owner.get();
    detail::own_share<Counting> share;
    if (const auto* const origin = std::get_deleter<detail::bridge<detail::own_share<Counting>>>(owner)) {
        share = origin->share;
    } else if (owner.use_count() != 0) {
        share = detail::own_share<Counting>(nullptr, bridge());
        freehold::get_deleter<bridge>(share)->share = detail::std_share(std::move(owner), nullptr);
    }
    owner.reset();
    return shared_ptr<T, Counting>(std::move(share), object);
}

template <class Counting = atomic_counting, class T>
[[nodiscard]] shared_ptr<T, Counting> from_std(const std::shared_ptr<T>& owner) {
    return freehold::from_std<Counting>(std::shared_ptr<T>(owner));
}

// Returns: a weak pointer that refers to what the std::shared_ptr owns from which the object came; empty if the object
// did not come from std, or `weak` is expired.
template <class T, class Counting>
[[nodiscard]] std::weak_ptr<T> weak_to_std(const weak_ptr<T, Counting>& weak) noexcept {
    const auto owner = weak.lock();
    const auto* const origin = freehold::get_deleter<detail::bridge<detail::std_share>>(owner);
    return origin != nullptr ? std::shared_ptr<T>(origin->share, owner.get()) : nullptr;
}

// Returns: as weak_to_std, in the other direction.
template <class Counting = atomic_counting, class T>
[[nodiscard]] weak_ptr<T, Counting> weak_from_std(const std::weak_ptr<T>& weak) noexcept {
    const auto owner = weak.lock();
    const auto* const origin = std::get_deleter<detail::bridge<detail::own_share<Counting>>>(owner);
    return origin != nullptr ? shared_ptr<T, Counting>(origin->share, owner.get()) : nullptr;
}

// Sole owners cross without a block. A unique_ptr is std's on both sides, and is passed on as it is.
template <class T, class Deleter>
[[nodiscard]] std::unique_ptr<T, Deleter> to_std(std::unique_ptr<T, Deleter> owner) noexcept {
    return owner;
}

template <class T, class Deleter>
[[nodiscard]] std::unique_ptr<T, Deleter> from_std(std::unique_ptr<T, Deleter> owner) noexcept {
    return owner;
}

// Keeps a managed_ptr that has crossed, and destroys its object.
template <class T>
struct managed_deleter {
    constexpr managed_deleter() noexcept = default;
    explicit managed_deleter(managed_ptr<T> crossing) noexcept : owner(std::move(crossing)) {}

    template <class Y>
        requires std::convertible_to<Y*, T*>
    managed_deleter(managed_deleter<Y>&& other) noexcept : owner(std::move(other.owner)) {}

    void operator()(T*) noexcept { owner.reset(); }

    managed_ptr<T> owner;
};

// Requires: where the managed_ptr shares with a local_shared_ptr, what is returned stays in that thread as well.
template <class T>
[[nodiscard]] std::unique_ptr<T, managed_deleter<T>> to_std(managed_ptr<T> owner) noexcept {
    T* const object = owner.get();
    return {object, managed_deleter<T>(std::move(owner))};
}

// Returns: the managed_ptr that had crossed.
template <class T>
[[nodiscard]] managed_ptr<T> from_std(std::unique_ptr<T, managed_deleter<T>> owner) noexcept {
    static_cast<void>(owner.release());
    return std::move(owner.get_deleter().owner);
}

// What does not cross. Not deleted functions, which give no reason before C++26.

template <class T, detail::counts_in_one_thread Counting>
auto to_std(const shared_ptr<T, Counting>&) {
    static_assert(!std::is_same_v<T, T>,
                  "freehold: a local_shared_ptr does not cross to std, whose owners any thread may release: make the "
                  "object with make_shared");
    return std::shared_ptr<T>();
}

// The block that a weak pointer would refer to has no owner, so it would be expired at once.
template <class T, class Counting>
auto to_std(const weak_ptr<T, Counting>&) {
    static_assert(!std::is_same_v<T, T>,
                  "freehold: a weak_ptr does not cross to std: lock() it first, pass the owner to to_std and keep what "
                  "that returns; if the object came from std, weak_to_std(p) recovers its std::weak_ptr");
    return std::weak_ptr<T>();
}

template <class Counting = atomic_counting, class T>
auto from_std(const std::weak_ptr<T>&) {
    static_assert(!std::is_same_v<T, T>,
                  "freehold: a std::weak_ptr does not cross: lock() it first, pass the owner to from_std and keep what "
                  "that returns; if the object came from Freehold, weak_from_std(p) recovers its weak_ptr");
    return weak_ptr<T, Counting>();
}

}  // namespace freehold
