#pragma once
// How make_shared and its kin make a block with its object or array, for any counting.

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "../../core/exceptions.hpp"
#include "../../memory/small_block_allocator.hpp"
#include "access.hpp"
#include "array_block.hpp"
#include "block_allocation.hpp"
#include "construction.hpp"
#include "object_block.hpp"

namespace freehold::detail {

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

}  // namespace freehold::detail
