#pragma once
// biased_shared_ptr<T>: a shared_ptr whose objects are counted with plain instructions in the thread that made them,
// and with atomic ones in all others. biased_weak_ptr<T> with it.
//
// For objects that one thread, their maker, uses most and others now and then. If another thread releases the last
// owner, the maker merges the two counts and destroys the object when it next makes such an object, calls
// merge_biased_counts() or leave_biased_counts(), or exits. After the merge any thread may destroy it. See
// counting/biased_counting.hpp.
//
// Thread safety: that of shared_ptr. Exceptions, complexity: those of shared_ptr, except that making an object destroys
// those that other threads have queued to the maker. Cost: the control block is 32 bytes beside an object, 48 beside
// one that was made elsewhere or an array. A copy or a release is no locked operation in the maker and one in any other
// thread.

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "../counting/biased_counting.hpp"
#include "../memory/small_block_allocator.hpp"
#include "detail/access.hpp"
#include "make_shared.hpp"
#include "shared_ptr.hpp"
#include "weak_ptr.hpp"

namespace freehold {

template <class T>
using biased_shared_ptr = shared_ptr<T, biased_counting>;

template <class T>
using biased_weak_ptr = weak_ptr<T, biased_counting>;

// Effects: merges the counts of all objects that other threads have queued to the calling thread, and destroys those
// without owner. For a thread that makes no such objects for a while.
// Complexity: linear in their number, apart from the objects' destructors. Cost: one load if there are none.
inline void merge_biased_counts() noexcept { shared_count<biased_counting>::merge_queued(); }

// Effects: merges them, and leaves all objects of the calling thread. A thread that releases the last owner of one then
// destroys it at once, until another thread makes its first object and takes over the rest. For a thread that is going
// to sleep or has made its last object. If it makes another, that one is counted with plain instructions again.
inline void leave_biased_counts() noexcept { shared_count<biased_counting>::leave_thread(); }

// Effects: merges the counts of the object that `owner` owns, if the calling thread made it. From then on all threads
// count it with atomic instructions, and the release of the last owner destroys it at once, in any thread.
template <class T>
void merge_biased_count(const biased_shared_ptr<T>& owner) noexcept {
    if (auto* const block = detail::access::handle(owner).block()) block->merge();
}

// allocate_shared, make_shared and their siblings for this way of counting: see make_shared.hpp.

// Returns: the first owner of a new T(arguments...), or of a new T[N] of value-initialized elements. The memory comes
// from a rebound copy of the allocator, which also constructs and destroys.
template <class T, class Allocator, class... Arguments>
    requires detail::constructed_from<T, Arguments...>
biased_shared_ptr<T> allocate_biased_shared(const Allocator& allocator, Arguments&&... arguments) {
    return detail::create<T, biased_counting>(allocator, std::forward<Arguments>(arguments)...);
}

// Returns: the first owner of an array whose elements are value-initialized, or copies of `initial`.
template <detail::unbounded_array T, class Allocator>
biased_shared_ptr<T> allocate_biased_shared(const Allocator& allocator, std::size_t length) {
    return detail::create<T, biased_counting>(allocator, length);
}

template <detail::unbounded_array T, class Allocator>
biased_shared_ptr<T> allocate_biased_shared(const Allocator& allocator, std::size_t length,
                                            const std::remove_extent_t<T>& initial) {
    return detail::create<T, biased_counting>(allocator, length, initial);
}

template <detail::bounded_array T, class Allocator>
biased_shared_ptr<T> allocate_biased_shared(const Allocator& allocator, const std::remove_extent_t<T>& initial) {
    return detail::create<T, biased_counting>(allocator, initial);
}

// Returns: the first owner of an object or array that is default-initialized: trivial types have no value yet.
template <detail::sized T, class Allocator>
biased_shared_ptr<T> allocate_biased_shared_for_overwrite(const Allocator& allocator) {
    return detail::create<T, biased_counting, detail::for_overwrite>(allocator);
}

template <detail::unbounded_array T, class Allocator>
biased_shared_ptr<T> allocate_biased_shared_for_overwrite(const Allocator& allocator, std::size_t length) {
    return detail::create<T, biased_counting, detail::for_overwrite>(allocator, length);
}

// The same without an allocator: the memory comes from the pool of small blocks.

template <class T, class... Arguments>
    requires detail::constructed_from<T, Arguments...>
biased_shared_ptr<T> make_biased_shared(Arguments&&... arguments) {
    return detail::create<T, biased_counting>(detail::default_allocator<T>(), std::forward<Arguments>(arguments)...);
}

// Returns: the same, or an empty pointer when out of memory.
// Throws: what the constructor throws.
template <class T, class... Arguments>
    requires(!std::is_array_v<T> && !std::is_constructible_v<T, const std::nothrow_t&, Arguments...>)
biased_shared_ptr<T> make_biased_shared(const std::nothrow_t&, Arguments&&... arguments) noexcept(
    std::is_nothrow_constructible_v<T, Arguments...>) {
    return detail::try_create_object<T, biased_counting>(std::forward<Arguments>(arguments)...);
}

template <detail::unbounded_array T>
biased_shared_ptr<T> make_biased_shared(std::size_t length) {
    return detail::create<T, biased_counting>(detail::default_allocator<T>(), length);
}

template <detail::unbounded_array T>
biased_shared_ptr<T> make_biased_shared(std::size_t length, const std::remove_extent_t<T>& initial) {
    return detail::create<T, biased_counting>(detail::default_allocator<T>(), length, initial);
}

template <detail::bounded_array T>
biased_shared_ptr<T> make_biased_shared(const std::remove_extent_t<T>& initial) {
    return detail::create<T, biased_counting>(detail::default_allocator<T>(), initial);
}

template <detail::sized T>
biased_shared_ptr<T> make_biased_shared_for_overwrite() {
    return detail::create<T, biased_counting, detail::for_overwrite>(detail::default_allocator<T>());
}

template <detail::unbounded_array T>
biased_shared_ptr<T> make_biased_shared_for_overwrite(std::size_t length) {
    return detail::create<T, biased_counting, detail::for_overwrite>(detail::default_allocator<T>(), length);
}

}  // namespace freehold
