#pragma once
// make_shared, allocate_shared, and both for_overwrite: an object or array and its control block in one allocation
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

#include "../core/complete_type.hpp"
#include "../memory/small_block_allocator.hpp"
#include "detail/access.hpp"
#include "detail/array_block.hpp"
#include "detail/object_block.hpp"
#include "shared_ptr.hpp"

namespace freehold::inline v0_2::detail {

// Only a hardened program has typed_allocator. AddressSanitizer keeps freed memory apart by itself.
#if defined(FREEHOLD_HARDENED) && !defined(FREEHOLD_ADDRESS_SANITIZER) && !defined(FREEHOLD_WITHOUT_POOL)
template <class T>
using default_allocator = typed_allocator<std::remove_cv_t<std::remove_all_extents_t<T>>>;
#else
template <class T>
using default_allocator = small_block_allocator<std::remove_cv_t<std::remove_all_extents_t<T>>>;
#endif

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

// Whether a T can be constructed from the arguments. An allocator that constructs by itself may do so in its own way.
template <class T, class Allocator, class... Arguments>
concept makes_from = std::is_constructible_v<std::remove_cv_t<T>, Arguments...> ||
                     requires(rebound<Allocator, std::remove_cv_t<T>>& allocator, std::remove_cv_t<T>* place) {
                         allocator.construct(place, std::declval<Arguments>()...);
                     };

// Returns: the first owner of a new object or array. Unless T states an array's length, it is the first argument.
template <class T, class Counting, class Construction = through_allocator, class Allocator, class... Arguments>
[[nodiscard]] shared_ptr<T, Counting> create(const Allocator& allocator, Arguments&&... arguments) {
    if constexpr (std::is_unbounded_array_v<T>) {
        return detail::create_array<T, Counting, Construction>(allocator, arguments...);
    } else if constexpr (std::is_bounded_array_v<T>) {
        return detail::create_array<T, Counting, Construction>(allocator, std::extent_v<T>, arguments...);
    } else if constexpr (constexpr bool is_known = is_complete<T>; !is_known) {
        static_assert(is_known, "freehold: T must be complete where an object is made: include its definition");
        return {};
    } else if constexpr (constexpr bool makes = makes_from<T, Allocator, Arguments...>; !makes) {
        static_assert(makes, "freehold: T has no public constructor that takes these arguments");
        return {};
    } else {
        auto* const block =
            detail::create_block<T, Counting, Construction>(allocator, std::forward<Arguments>(arguments)...);
        return access::adopt<T, Counting>(block->object(), block);
    }
}

// Returns: as above for an object in memory from the pool, or an empty shared_ptr when out of memory.
// Throws: what the constructor throws; then nothing is left behind.
template <class T, class Counting, class... Arguments>
[[nodiscard]] shared_ptr<T, Counting> try_create_object(Arguments&&... arguments) {
    using allocator = default_allocator<T>;
    constexpr bool makes = makes_from<T, allocator, Arguments...>;
    static_assert(makes, "freehold: T has no public constructor that takes these arguments");
    if constexpr (makes) {
        using block_type = housing_block<T, Counting, allocator>;
        block_type* const place = rebound<allocator, block_type>().try_allocate();
        if (place == nullptr) return {};
        block_allocation<block_type, allocator> memory(allocator(), place);
        auto* const block = ::new (memory.get()) block_type(allocator(), std::forward<Arguments>(arguments)...);
        memory.release();
        access::introduce<Counting>(block, block->object());
        return access::adopt<T, Counting>(block->object(), block);
    } else {
        return {};
    }
}

template <class T>
concept unbounded_array = std::is_unbounded_array_v<T>;

template <class T>
concept bounded_array = std::is_bounded_array_v<T>;

// An object, or an array whose length T states.
template <class T>
concept sized = !std::is_unbounded_array_v<T>;

// An object with any arguments for its constructor, or an array with none.
template <class T, class... Arguments>
concept constructed_from = !std::is_array_v<T> || (bounded_array<T> && sizeof...(Arguments) == 0);

}  // namespace freehold::detail

// Their contracts, one overload after the other, are in detail/make_family.hpp, for each way of counting alike.
#define FREEHOLD_MAKE make_shared
#define FREEHOLD_MAKE_FOR_OVERWRITE make_shared_for_overwrite
#define FREEHOLD_ALLOCATE allocate_shared
#define FREEHOLD_ALLOCATE_FOR_OVERWRITE allocate_shared_for_overwrite
#define FREEHOLD_COUNTING atomic_counting
#include "detail/make_family.hpp"
