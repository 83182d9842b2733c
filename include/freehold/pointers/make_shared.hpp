#pragma once
// make_shared, allocate_shared and their kin: an object or array and its control block in one allocation
// ([util.smartptr.shared.create]; N1851 calls it housing an object in the pointer).
//
// Thread safety: any thread may call them. Exceptions: what the allocation or a constructor throws, and
// std::bad_array_new_length if the size of an array is not representable; then nothing is left behind.
// Complexity: that of the constructors. Cost: one block of 16 bytes more than the object (32 more than an array), from
// the thread's cache of small blocks or the given allocator; no locked operation.

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "../memory/small_block_allocator.hpp"
#include "detail/creation.hpp"
#include "shared_ptr.hpp"

namespace freehold {

// Returns: the first owner of a new T(arguments...), constructed and destroyed through a rebound copy of the
// allocator, which also gives the memory.
template <class T, class Allocator, class... Arguments>
    requires(!std::is_array_v<T>)
shared_ptr<T> allocate_shared(const Allocator& allocator, Arguments&&... arguments) {
    return detail::create_object<T, atomic_counting, detail::through_allocator>(allocator,
                                                                                std::forward<Arguments>(arguments)...);
}

// Returns: the first owner of an array of `length` elements, value-initialised or copies of `initial`.
template <class T, class Allocator>
    requires std::is_unbounded_array_v<T>
shared_ptr<T> allocate_shared(const Allocator& allocator, std::size_t length) {
    return detail::create_array<T, atomic_counting, detail::through_allocator>(allocator, length);
}

template <class T, class Allocator>
    requires std::is_unbounded_array_v<T>
shared_ptr<T> allocate_shared(const Allocator& allocator, std::size_t length, const std::remove_extent_t<T>& initial) {
    return detail::create_array<T, atomic_counting, detail::through_allocator>(allocator, length, initial);
}

// Returns: as above, with the length that T says.
template <class T, class Allocator>
    requires std::is_bounded_array_v<T>
shared_ptr<T> allocate_shared(const Allocator& allocator) {
    return detail::create_array<T, atomic_counting, detail::through_allocator>(allocator, std::extent_v<T>);
}

template <class T, class Allocator>
    requires std::is_bounded_array_v<T>
shared_ptr<T> allocate_shared(const Allocator& allocator, const std::remove_extent_t<T>& initial) {
    return detail::create_array<T, atomic_counting, detail::through_allocator>(allocator, std::extent_v<T>, initial);
}

// Returns: the first owner of an object or array that is default-initialised: what is trivial has no value yet.
template <class T, class Allocator>
    requires(!std::is_array_v<T>)
shared_ptr<T> allocate_shared_for_overwrite(const Allocator& allocator) {
    return detail::create_object<T, atomic_counting, detail::for_overwrite>(allocator);
}

template <class T, class Allocator>
    requires std::is_bounded_array_v<T>
shared_ptr<T> allocate_shared_for_overwrite(const Allocator& allocator) {
    return detail::create_array<T, atomic_counting, detail::for_overwrite>(allocator, std::extent_v<T>);
}

template <class T, class Allocator>
    requires std::is_unbounded_array_v<T>
shared_ptr<T> allocate_shared_for_overwrite(const Allocator& allocator, std::size_t length) {
    return detail::create_array<T, atomic_counting, detail::for_overwrite>(allocator, length);
}

// The same without an allocator: the memory comes from the pool of small blocks.

template <class T, class... Arguments>
    requires(!std::is_array_v<T>)
shared_ptr<T> make_shared(Arguments&&... arguments) {
    return freehold::allocate_shared<T>(detail::default_allocator<T>(), std::forward<Arguments>(arguments)...);
}

// Returns: the same, or an empty pointer when there is no memory.
// Throws: what the constructor throws.
template <class T, class... Arguments>
    requires(!std::is_array_v<T> && !std::is_constructible_v<T, const std::nothrow_t&, Arguments...>)
shared_ptr<T> make_shared(const std::nothrow_t&,
                          Arguments&&... arguments) noexcept(std::is_nothrow_constructible_v<T, Arguments...>) {
    return detail::try_create_object<T, atomic_counting>(std::forward<Arguments>(arguments)...);
}

template <class T>
    requires std::is_unbounded_array_v<T>
shared_ptr<T> make_shared(std::size_t length) {
    return freehold::allocate_shared<T>(detail::default_allocator<T>(), length);
}

template <class T>
    requires std::is_unbounded_array_v<T>
shared_ptr<T> make_shared(std::size_t length, const std::remove_extent_t<T>& initial) {
    return freehold::allocate_shared<T>(detail::default_allocator<T>(), length, initial);
}

template <class T>
    requires std::is_bounded_array_v<T>
shared_ptr<T> make_shared() {
    return freehold::allocate_shared<T>(detail::default_allocator<T>());
}

template <class T>
    requires std::is_bounded_array_v<T>
shared_ptr<T> make_shared(const std::remove_extent_t<T>& initial) {
    return freehold::allocate_shared<T>(detail::default_allocator<T>(), initial);
}

template <class T>
    requires(!std::is_unbounded_array_v<T>)
shared_ptr<T> make_shared_for_overwrite() {
    return freehold::allocate_shared_for_overwrite<T>(detail::default_allocator<T>());
}

template <class T>
    requires std::is_unbounded_array_v<T>
shared_ptr<T> make_shared_for_overwrite(std::size_t length) {
    return freehold::allocate_shared_for_overwrite<T>(detail::default_allocator<T>(), length);
}

}  // namespace freehold
