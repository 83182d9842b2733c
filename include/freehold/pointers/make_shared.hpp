#pragma once
// make_shared, allocate_shared and their kin: an object or array and its control block in one allocation
// ([util.smartptr.shared.create]; N1851 calls it housing an object in the pointer).
//
// Thread safety: any thread may call them. Exceptions: what the allocation or a constructor throws, and
// std::bad_array_new_length if the size of an array is not representable; then nothing is left behind.
// Complexity: that of the constructors. Cost: one block of 16 bytes more than the object (32 more than an array), from
// the thread's cache of small blocks or the given allocator; no locked operation.

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "../core/exceptions.hpp"
#include "../memory/small_block_allocator.hpp"
#include "detail/array_block.hpp"
#include "detail/control_block.hpp"
#include "detail/object_block.hpp"
#include "shared_ptr.hpp"

namespace freehold {

namespace detail {

template <class T>
using default_allocator = small_block_allocator<std::remove_cv_t<std::remove_all_extents_t<T>>>;

template <class T, class Counting, class Allocator, class Construction = through_allocator>
using housing_block = object_block<Counting, T, Allocator, Construction>;

// Returns: the block of a new object that is housed in it, with one owner.
template <class T, class Counting, class Construction, class Allocator, class... Arguments>
[[nodiscard]] auto* create_block(const Allocator& allocator, Arguments&&... arguments) {
    auto* const block = detail::make_block<housing_block<T, Counting, Allocator, Construction>>(
        allocator, std::forward<Arguments>(arguments)...);
    access::introduce<Counting>(block, block->object());
    return block;
}

// Returns: the first owner of a new object that is housed in its block.
template <class T, class Counting, class Construction, class Allocator, class... Arguments>
[[nodiscard]] shared_ptr<T, Counting> create_object(const Allocator& allocator, Arguments&&... arguments) {
    auto* const block =
        detail::create_block<T, Counting, Construction>(allocator, std::forward<Arguments>(arguments)...);
    return access::adopt<T, Counting>(block->object(), block);
}

// Returns: as above in memory from the pool, or an empty shared_ptr when there is none.
// Throws: what the constructor throws; then nothing is left behind.
template <class T, class Counting, class... Arguments>
[[nodiscard]] shared_ptr<T, Counting> try_create_object(Arguments&&... arguments) {
    using allocator = default_allocator<T>;
    using block_type = housing_block<T, Counting, allocator>;
    block_type* const place = rebound<allocator, block_type>().try_allocate();
    if (place == nullptr) return {};
    block_allocation<block_type, allocator> memory(allocator(), place);
    auto* const block = ::new (memory.get()) block_type(allocator(), std::forward<Arguments>(arguments)...);
    memory.release();
    access::introduce<Counting>(block, block->object());
    return access::adopt<T, Counting>(block->object(), block);
}

// The number of innermost elements in an array that counts its elements as T does.
template <class T>
inline constexpr std::size_t flat_extent = 1;

template <class T, std::size_t N>
inline constexpr std::size_t flat_extent<T[N]> = N * flat_extent<T>;

// Returns: the i-th innermost element of a possibly multidimensional array, or the object itself.
template <class T>
[[nodiscard]] const std::remove_all_extents_t<T>& flat(const T& object, std::size_t i) noexcept {
    if constexpr (std::is_array_v<T>) {
        constexpr std::size_t in_element = flat_extent<std::remove_extent_t<T>>;
        return detail::flat(object[i / in_element], i % in_element);
    } else {
        return object;
    }
}

// Returns: an owner of a new array of `length` elements, each of them a T[]'s or T[N]'s element, constructed from the
// corresponding innermost elements of `initial...`, which is one such element or nothing.
// Throws: std::bad_array_new_length if the size is not representable, or what allocation and construction throw.
template <class T, class Counting, class Construction, class Allocator, class... Initial>
[[nodiscard]] shared_ptr<T, Counting> create_array(const Allocator& allocator, std::size_t length,
                                                   const Initial&... initial) {
    using element = std::remove_extent_t<T>;
    using innermost = std::remove_cv_t<std::remove_all_extents_t<T>>;
    constexpr std::size_t in_element = flat_extent<element>;
    if (length > SIZE_MAX / in_element) raise<std::bad_array_new_length>();

    using block_type = array_block<Counting, innermost, Allocator, Construction>;
    block_type* const block = block_type::make(
        allocator, length * in_element, [&allocator, &initial...]([[maybe_unused]] innermost* place, std::size_t i) {
            Construction::construct(allocator, place, detail::flat(initial, i % in_element)...);
        });
    return access::adopt<T, Counting>(reinterpret_cast<element*>(block->elements()), block);
}

}  // namespace detail

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
    return detail::create_object<T, atomic_counting, detail::through_allocator>(detail::default_allocator<T>(),
                                                                                std::forward<Arguments>(arguments)...);
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
