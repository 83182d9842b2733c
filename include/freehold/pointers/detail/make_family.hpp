// make_shared and its siblings, for one way of counting and by the names that the includer defines. Included once for
// each family, behind make_shared.hpp; hence there is no #pragma once.

#ifdef FREEHOLD_MAKE

namespace freehold::inline v0_2 {

// Returns: the first owner of a new T(arguments...), or of a new T[N] of value-initialized elements. The memory comes
// from a rebound copy of the allocator, which also constructs and destroys.
template <class T, class Allocator, class... Arguments>
    requires detail::constructed_from<T, Arguments...>
shared_ptr<T, FREEHOLD_COUNTING> FREEHOLD_ALLOCATE(const Allocator& allocator, Arguments&&... arguments) {
    return detail::create<T, FREEHOLD_COUNTING>(allocator, std::forward<Arguments>(arguments)...);
}

// Returns: the first owner of an array whose elements are value-initialized, or copies of `initial`.
template <detail::unbounded_array T, class Allocator>
shared_ptr<T, FREEHOLD_COUNTING> FREEHOLD_ALLOCATE(const Allocator& allocator, std::size_t length) {
    return detail::create<T, FREEHOLD_COUNTING>(allocator, length);
}

template <detail::unbounded_array T, class Allocator>
shared_ptr<T, FREEHOLD_COUNTING> FREEHOLD_ALLOCATE(const Allocator& allocator, std::size_t length,
                                                   const std::remove_extent_t<T>& initial) {
    return detail::create<T, FREEHOLD_COUNTING>(allocator, length, initial);
}

template <detail::bounded_array T, class Allocator>
shared_ptr<T, FREEHOLD_COUNTING> FREEHOLD_ALLOCATE(const Allocator& allocator, const std::remove_extent_t<T>& initial) {
    return detail::create<T, FREEHOLD_COUNTING>(allocator, initial);
}

// Returns: the first owner of an object or array that is default-initialized: trivial types have no value yet.
template <detail::sized T, class Allocator>
shared_ptr<T, FREEHOLD_COUNTING> FREEHOLD_ALLOCATE_FOR_OVERWRITE(const Allocator& allocator) {
    return detail::create<T, FREEHOLD_COUNTING, detail::for_overwrite>(allocator);
}

template <detail::unbounded_array T, class Allocator>
shared_ptr<T, FREEHOLD_COUNTING> FREEHOLD_ALLOCATE_FOR_OVERWRITE(const Allocator& allocator, std::size_t length) {
    return detail::create<T, FREEHOLD_COUNTING, detail::for_overwrite>(allocator, length);
}

// The same without an allocator: the memory comes from the pool of small blocks.

template <class T, class... Arguments>
    requires detail::constructed_from<T, Arguments...>
shared_ptr<T, FREEHOLD_COUNTING> FREEHOLD_MAKE(Arguments&&... arguments) {
    return detail::create<T, FREEHOLD_COUNTING>(detail::default_allocator<T>(), std::forward<Arguments>(arguments)...);
}

// Returns: the same, or an empty pointer when out of memory.
// Throws: what the constructor throws.
template <class T, class... Arguments>
    requires(!std::is_array_v<T> && !std::is_constructible_v<T, const std::nothrow_t&, Arguments...>)
shared_ptr<T, FREEHOLD_COUNTING> FREEHOLD_MAKE(const std::nothrow_t&, Arguments&&... arguments) noexcept(
    std::is_nothrow_constructible_v<T, Arguments...>) {
    return detail::try_create_object<T, FREEHOLD_COUNTING>(std::forward<Arguments>(arguments)...);
}

template <detail::unbounded_array T>
shared_ptr<T, FREEHOLD_COUNTING> FREEHOLD_MAKE(std::size_t length) {
    return detail::create<T, FREEHOLD_COUNTING>(detail::default_allocator<T>(), length);
}

template <detail::unbounded_array T>
shared_ptr<T, FREEHOLD_COUNTING> FREEHOLD_MAKE(std::size_t length, const std::remove_extent_t<T>& initial) {
    return detail::create<T, FREEHOLD_COUNTING>(detail::default_allocator<T>(), length, initial);
}

template <detail::bounded_array T>
shared_ptr<T, FREEHOLD_COUNTING> FREEHOLD_MAKE(const std::remove_extent_t<T>& initial) {
    return detail::create<T, FREEHOLD_COUNTING>(detail::default_allocator<T>(), initial);
}

template <detail::sized T>
shared_ptr<T, FREEHOLD_COUNTING> FREEHOLD_MAKE_FOR_OVERWRITE() {
    return detail::create<T, FREEHOLD_COUNTING, detail::for_overwrite>(detail::default_allocator<T>());
}

template <detail::unbounded_array T>
shared_ptr<T, FREEHOLD_COUNTING> FREEHOLD_MAKE_FOR_OVERWRITE(std::size_t length) {
    return detail::create<T, FREEHOLD_COUNTING, detail::for_overwrite>(detail::default_allocator<T>(), length);
}

}  // namespace freehold

#undef FREEHOLD_MAKE
#undef FREEHOLD_MAKE_FOR_OVERWRITE
#undef FREEHOLD_ALLOCATE
#undef FREEHOLD_ALLOCATE_FOR_OVERWRITE
#undef FREEHOLD_COUNTING

#endif
