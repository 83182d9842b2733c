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

#include "../memory/small_block_allocator.hpp"
#include "detail/access.hpp"
#include "detail/array_block.hpp"
#include "detail/object_block.hpp"
#include "shared_ptr.hpp"

namespace freehold {

namespace detail {

// AddressSanitizer keeps freed memory apart by itself.
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

// Returns: the first owner of a new object or array. Unless T states an array's length, it is the first argument.
template <class T, class Counting, class Construction = through_allocator, class Allocator, class... Arguments>
[[nodiscard]] shared_ptr<T, Counting> create(const Allocator& allocator, Arguments&&... arguments) {
    if constexpr (std::is_unbounded_array_v<T>) {
        return detail::create_array<T, Counting, Construction>(allocator, arguments...);
    } else if constexpr (std::is_bounded_array_v<T>) {
        return detail::create_array<T, Counting, Construction>(allocator, std::extent_v<T>, arguments...);
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
    using block_type = housing_block<T, Counting, allocator>;
    block_type* const place = rebound<allocator, block_type>().try_allocate();
    if (place == nullptr) return {};
    block_allocation<block_type, allocator> memory(allocator(), place);
    auto* const block = ::new (memory.get()) block_type(allocator(), std::forward<Arguments>(arguments)...);
    memory.release();
    access::introduce<Counting>(block, block->object());
    return access::adopt<T, Counting>(block->object(), block);
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

}  // namespace detail

// Returns: the first owner of a new T(arguments...), or of a new T[N] of value-initialized elements. The memory comes
// from a rebound copy of the allocator, which also constructs and destroys.
template <class T, class Allocator, class... Arguments>
    requires detail::constructed_from<T, Arguments...>
shared_ptr<T> allocate_shared(const Allocator& allocator, Arguments&&... arguments) {
    return detail::create<T, atomic_counting>(allocator, std::forward<Arguments>(arguments)...);
}

// Returns: the first owner of an array whose elements are value-initialized, or copies of `initial`.
template <detail::unbounded_array T, class Allocator>
shared_ptr<T> allocate_shared(const Allocator& allocator, std::size_t length) {
    return detail::create<T, atomic_counting>(allocator, length);
}

template <detail::unbounded_array T, class Allocator>
shared_ptr<T> allocate_shared(const Allocator& allocator, std::size_t length, const std::remove_extent_t<T>& initial) {
    return detail::create<T, atomic_counting>(allocator, length, initial);
}

template <detail::bounded_array T, class Allocator>
shared_ptr<T> allocate_shared(const Allocator& allocator, const std::remove_extent_t<T>& initial) {
    return detail::create<T, atomic_counting>(allocator, initial);
}

// Returns: the first owner of an object or array that is default-initialized: trivial types have no value yet.
template <detail::sized T, class Allocator>
shared_ptr<T> allocate_shared_for_overwrite(const Allocator& allocator) {
    return detail::create<T, atomic_counting, detail::for_overwrite>(allocator);
}

template <detail::unbounded_array T, class Allocator>
shared_ptr<T> allocate_shared_for_overwrite(const Allocator& allocator, std::size_t length) {
    return detail::create<T, atomic_counting, detail::for_overwrite>(allocator, length);
}

// The same without an allocator: the memory comes from the pool of small blocks.

template <class T, class... Arguments>
    requires detail::constructed_from<T, Arguments...>
shared_ptr<T> make_shared(Arguments&&... arguments) {
    return detail::create<T, atomic_counting>(detail::default_allocator<T>(), std::forward<Arguments>(arguments)...);
}

// Returns: the same, or an empty pointer when out of memory.
// Throws: what the constructor throws.
template <class T, class... Arguments>
    requires(!std::is_array_v<T> && !std::is_constructible_v<T, const std::nothrow_t&, Arguments...>)
shared_ptr<T> make_shared(const std::nothrow_t&,
                          Arguments&&... arguments) noexcept(std::is_nothrow_constructible_v<T, Arguments...>) {
    return detail::try_create_object<T, atomic_counting>(std::forward<Arguments>(arguments)...);
}

template <detail::unbounded_array T>
shared_ptr<T> make_shared(std::size_t length) {
    return detail::create<T, atomic_counting>(detail::default_allocator<T>(), length);
}

template <detail::unbounded_array T>
shared_ptr<T> make_shared(std::size_t length, const std::remove_extent_t<T>& initial) {
    return detail::create<T, atomic_counting>(detail::default_allocator<T>(), length, initial);
}

template <detail::bounded_array T>
shared_ptr<T> make_shared(const std::remove_extent_t<T>& initial) {
    return detail::create<T, atomic_counting>(detail::default_allocator<T>(), initial);
}

template <detail::sized T>
shared_ptr<T> make_shared_for_overwrite() {
    return detail::create<T, atomic_counting, detail::for_overwrite>(detail::default_allocator<T>());
}

template <detail::unbounded_array T>
shared_ptr<T> make_shared_for_overwrite(std::size_t length) {
    return detail::create<T, atomic_counting, detail::for_overwrite>(detail::default_allocator<T>(), length);
}

}  // namespace freehold
