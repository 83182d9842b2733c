#pragma once
// make_shared_object, make_shared_array: N1851's names of make_shared, from before the standard had one.
//
// Thread safety, exceptions, complexity, cost: those of make_shared and allocate_shared. An array is handed out as a
// pointer to its first element, as in the paper; shared_ptr<T[]> also has operator[].

#include <cstddef>
#include <utility>

#include "make_shared.hpp"

namespace freehold::inline v0_2 {

// Returns: make_shared<T>(arguments...).
template <class T, class... Arguments>
[[nodiscard]] shared_ptr<T> make_shared_object(Arguments&&... arguments) {
    return freehold::make_shared<T>(std::forward<Arguments>(arguments)...);
}

// Returns: allocate_shared<T>(allocator, arguments...).
template <class T, class Allocator, class... Arguments>
[[nodiscard]] shared_ptr<T> make_shared_object_with_alloc(const Allocator& allocator, Arguments&&... arguments) {
    return freehold::allocate_shared<T>(allocator, std::forward<Arguments>(arguments)...);
}

// Returns: an owner of an array of `length` value-initialized elements that points to the first.
template <class T>
[[nodiscard]] shared_ptr<T> make_shared_array(std::size_t length) {
    shared_ptr<T[]> array = freehold::make_shared<T[]>(length);
    T* const first = array.get();
    return shared_ptr<T>(std::move(array), first);
}

// Returns: the same, in memory from `allocator`.
template <class T, class Allocator>
[[nodiscard]] shared_ptr<T> make_shared_array_with_alloc(const Allocator& allocator, std::size_t length) {
    shared_ptr<T[]> array = freehold::allocate_shared<T[]>(allocator, length);
    T* const first = array.get();
    return shared_ptr<T>(std::move(array), first);
}

}  // namespace freehold
