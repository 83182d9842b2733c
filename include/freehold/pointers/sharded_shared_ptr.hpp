#pragma once
// sharded_shared_ptr<T>: a shared_ptr for an object that many threads copy owners of at once: they count in different
// cache lines. sharded_weak_ptr<T> with it.
//
// The owners that make_sharded_shared, a constructor from a raw pointer, a weak pointer or anchor() returns are
// anchors; copies that are made while threads count apart are not. Threads count apart while there is an anchor: keep
// one where the threads copy from. When the last anchor is released, all threads count in one word again, as shared_ptr
// does. See counting/sharded_counting.hpp.
//
// Thread safety, exceptions, complexity: those of shared_ptr. The release of the last anchor is linear in the number of
// processors. Cost: the control block is 24 bytes beside an object. Once threads have taken turns in copying an object,
// it has 64 bytes more for each processor, at most 64 of them, rounded up to a power of two. A copy or a release is one
// locked operation, on a cache line that hardly any other thread uses. An object is destroyed by the release of its
// last owner, as by shared_ptr.

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "../counting/sharded_counting.hpp"
#include "../memory/small_block_allocator.hpp"
#include "detail/access.hpp"
#include "make_shared.hpp"
#include "shared_ptr.hpp"
#include "weak_ptr.hpp"

namespace freehold {

template <class T>
using sharded_shared_ptr = shared_ptr<T, sharded_counting>;

template <class T>
using sharded_weak_ptr = weak_ptr<T, sharded_counting>;

// Returns: an owner that shares with `owner` and is an anchor, whether or not that is one.
// Cost: one locked operation, on the line that all threads share.
template <class T>
[[nodiscard]] sharded_shared_ptr<T> anchor(const sharded_shared_ptr<T>& owner) noexcept {
    const auto handle = detail::access::handle(owner).anchor();
    if (auto* const block = handle.block()) block->acquire();
    return detail::access::adopt<T, sharded_counting>(owner.get(), handle);
}

// Effects: lets threads count apart from now on, without waiting for them to take turns in copying. Has no effect while
// the process has one thread, or after the last anchor was released once. Requires: `owner` is an anchor.
// Returns: whether they do.
template <class T>
bool open_shards(const sharded_shared_ptr<T>& owner) noexcept {
    auto* const block = detail::access::handle(owner).block();
    return block != nullptr && block->open();
}

// allocate_shared, make_shared and their siblings for this way of counting: see make_shared.hpp.

// Returns: the first owner of a new T(arguments...), or of a new T[N] of value-initialized elements. The memory comes
// from a rebound copy of the allocator, which also constructs and destroys.
template <class T, class Allocator, class... Arguments>
    requires detail::constructed_from<T, Arguments...>
sharded_shared_ptr<T> allocate_sharded_shared(const Allocator& allocator, Arguments&&... arguments) {
    return detail::create<T, sharded_counting>(allocator, std::forward<Arguments>(arguments)...);
}

// Returns: the first owner of an array whose elements are value-initialized, or copies of `initial`.
template <detail::unbounded_array T, class Allocator>
sharded_shared_ptr<T> allocate_sharded_shared(const Allocator& allocator, std::size_t length) {
    return detail::create<T, sharded_counting>(allocator, length);
}

template <detail::unbounded_array T, class Allocator>
sharded_shared_ptr<T> allocate_sharded_shared(const Allocator& allocator, std::size_t length,
                                              const std::remove_extent_t<T>& initial) {
    return detail::create<T, sharded_counting>(allocator, length, initial);
}

template <detail::bounded_array T, class Allocator>
sharded_shared_ptr<T> allocate_sharded_shared(const Allocator& allocator, const std::remove_extent_t<T>& initial) {
    return detail::create<T, sharded_counting>(allocator, initial);
}

// Returns: the first owner of an object or array that is default-initialized: trivial types have no value yet.
template <detail::sized T, class Allocator>
sharded_shared_ptr<T> allocate_sharded_shared_for_overwrite(const Allocator& allocator) {
    return detail::create<T, sharded_counting, detail::for_overwrite>(allocator);
}

template <detail::unbounded_array T, class Allocator>
sharded_shared_ptr<T> allocate_sharded_shared_for_overwrite(const Allocator& allocator, std::size_t length) {
    return detail::create<T, sharded_counting, detail::for_overwrite>(allocator, length);
}

// The same without an allocator: the memory comes from the pool of small blocks.

template <class T, class... Arguments>
    requires detail::constructed_from<T, Arguments...>
sharded_shared_ptr<T> make_sharded_shared(Arguments&&... arguments) {
    return detail::create<T, sharded_counting>(detail::default_allocator<T>(), std::forward<Arguments>(arguments)...);
}

// Returns: the same, or an empty pointer when out of memory.
// Throws: what the constructor throws.
template <class T, class... Arguments>
    requires(!std::is_array_v<T> && !std::is_constructible_v<T, const std::nothrow_t&, Arguments...>)
sharded_shared_ptr<T> make_sharded_shared(const std::nothrow_t&, Arguments&&... arguments) noexcept(
    std::is_nothrow_constructible_v<T, Arguments...>) {
    return detail::try_create_object<T, sharded_counting>(std::forward<Arguments>(arguments)...);
}

template <detail::unbounded_array T>
sharded_shared_ptr<T> make_sharded_shared(std::size_t length) {
    return detail::create<T, sharded_counting>(detail::default_allocator<T>(), length);
}

template <detail::unbounded_array T>
sharded_shared_ptr<T> make_sharded_shared(std::size_t length, const std::remove_extent_t<T>& initial) {
    return detail::create<T, sharded_counting>(detail::default_allocator<T>(), length, initial);
}

template <detail::bounded_array T>
sharded_shared_ptr<T> make_sharded_shared(const std::remove_extent_t<T>& initial) {
    return detail::create<T, sharded_counting>(detail::default_allocator<T>(), initial);
}

template <detail::sized T>
sharded_shared_ptr<T> make_sharded_shared_for_overwrite() {
    return detail::create<T, sharded_counting, detail::for_overwrite>(detail::default_allocator<T>());
}

template <detail::unbounded_array T>
sharded_shared_ptr<T> make_sharded_shared_for_overwrite(std::size_t length) {
    return detail::create<T, sharded_counting, detail::for_overwrite>(detail::default_allocator<T>(), length);
}

}  // namespace freehold
