#pragma once
// local_shared_ptr<T>: a shared_ptr for one thread, which counts with plain instructions. local_weak_ptr<T> with it.
//
// Thread safety: all owners and weak pointers of one object must be in one thread at a time; a group of objects may
// move from thread to thread as a whole.
// Exceptions, complexity: those of shared_ptr. Cost: the same, but no function executes a locked operation.

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "../counting/plain_counting.hpp"
#include "../memory/small_block_allocator.hpp"
#include "make_shared.hpp"
#include "shared_ptr.hpp"
#include "weak_ptr.hpp"

namespace freehold {

template <class T>
using local_shared_ptr = shared_ptr<T, plain_counting>;

template <class T>
using local_weak_ptr = weak_ptr<T, plain_counting>;

// allocate_shared, make_shared and their siblings for this way of counting: see make_shared.hpp.

// Returns: the first owner of a new T(arguments...), or of a new T[N] of value-initialized elements. The memory comes
// from a rebound copy of the allocator, which also constructs and destroys.
template <class T, class Allocator, class... Arguments>
    requires detail::constructed_from<T, Arguments...>
local_shared_ptr<T> allocate_local_shared(const Allocator& allocator, Arguments&&... arguments) {
    return detail::create<T, plain_counting>(allocator, std::forward<Arguments>(arguments)...);
}

// Returns: the first owner of an array whose elements are value-initialized, or copies of `initial`.
template <detail::unbounded_array T, class Allocator>
local_shared_ptr<T> allocate_local_shared(const Allocator& allocator, std::size_t length) {
    return detail::create<T, plain_counting>(allocator, length);
}

template <detail::unbounded_array T, class Allocator>
local_shared_ptr<T> allocate_local_shared(const Allocator& allocator, std::size_t length,
                                          const std::remove_extent_t<T>& initial) {
    return detail::create<T, plain_counting>(allocator, length, initial);
}

template <detail::bounded_array T, class Allocator>
local_shared_ptr<T> allocate_local_shared(const Allocator& allocator, const std::remove_extent_t<T>& initial) {
    return detail::create<T, plain_counting>(allocator, initial);
}

// Returns: the first owner of an object or array that is default-initialized: trivial types have no value yet.
template <detail::sized T, class Allocator>
local_shared_ptr<T> allocate_local_shared_for_overwrite(const Allocator& allocator) {
    return detail::create<T, plain_counting, detail::for_overwrite>(allocator);
}

template <detail::unbounded_array T, class Allocator>
local_shared_ptr<T> allocate_local_shared_for_overwrite(const Allocator& allocator, std::size_t length) {
    return detail::create<T, plain_counting, detail::for_overwrite>(allocator, length);
}

// The same without an allocator: the memory comes from the pool of small blocks.

template <class T, class... Arguments>
    requires detail::constructed_from<T, Arguments...>
local_shared_ptr<T> make_local_shared(Arguments&&... arguments) {
    return detail::create<T, plain_counting>(detail::default_allocator<T>(), std::forward<Arguments>(arguments)...);
}

// Returns: the same, or an empty pointer when out of memory.
// Throws: what the constructor throws.
template <class T, class... Arguments>
    requires(!std::is_array_v<T> && !std::is_constructible_v<T, const std::nothrow_t&, Arguments...>)
local_shared_ptr<T> make_local_shared(const std::nothrow_t&, Arguments&&... arguments) noexcept(
    std::is_nothrow_constructible_v<T, Arguments...>) {
    return detail::try_create_object<T, plain_counting>(std::forward<Arguments>(arguments)...);
}

template <detail::unbounded_array T>
local_shared_ptr<T> make_local_shared(std::size_t length) {
    return detail::create<T, plain_counting>(detail::default_allocator<T>(), length);
}

template <detail::unbounded_array T>
local_shared_ptr<T> make_local_shared(std::size_t length, const std::remove_extent_t<T>& initial) {
    return detail::create<T, plain_counting>(detail::default_allocator<T>(), length, initial);
}

template <detail::bounded_array T>
local_shared_ptr<T> make_local_shared(const std::remove_extent_t<T>& initial) {
    return detail::create<T, plain_counting>(detail::default_allocator<T>(), initial);
}

template <detail::sized T>
local_shared_ptr<T> make_local_shared_for_overwrite() {
    return detail::create<T, plain_counting, detail::for_overwrite>(detail::default_allocator<T>());
}

template <detail::unbounded_array T>
local_shared_ptr<T> make_local_shared_for_overwrite(std::size_t length) {
    return detail::create<T, plain_counting, detail::for_overwrite>(detail::default_allocator<T>(), length);
}

}  // namespace freehold
