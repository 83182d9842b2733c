#pragma once
// biased_shared_ptr<T>: a shared_ptr whose objects are counted with plain instructions in the thread that made them,
// and with atomic ones in all others. biased_weak_ptr<T> with it.
//
// For objects that one thread uses most and others now and then. The object ends in its own thread, or after the two
// counts were merged in any: when the last owner leaves in another thread, the object's own merges them, and ends it,
// when it next makes such an object, calls merge_biased_counts() or leave_biased_counts(), or ends. See
// counting/biased_counting.hpp.
//
// Thread safety: that of shared_ptr. Exceptions, complexity: those of shared_ptr, but that making an object ends those
// which others have sent. Cost: the control block is 32 bytes beside an object, 48 beside one that was made elsewhere
// or an array. A copy or a release is no locked operation in the object's thread and one in any other.

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "../counting/biased_counting.hpp"
#include "../memory/small_block_allocator.hpp"
#include "detail/control_block.hpp"
#include "make_shared.hpp"
#include "shared_ptr.hpp"
#include "weak_ptr.hpp"

namespace freehold {

template <class T>
using biased_shared_ptr = shared_ptr<T, biased_counting>;

template <class T>
using biased_weak_ptr = weak_ptr<T, biased_counting>;

// Effects: merges the counts of all objects of the calling thread that others have let go, and ends those that nobody
// owns. For a thread that makes no such objects for a while, but passes by now and then.
// Complexity: linear in their number, apart from the objects' own destruction. Cost: one load where there are none.
inline void merge_biased_counts() noexcept { shared_count<biased_counting>::merge_sent(); }

// Effects: merges them, and leaves all objects of the calling thread to whoever comes: the threads that let them go end
// them at once, until another thread makes its first object. For a thread that is going to sleep or has made its last
// object; if it makes another, that is counted with plain instructions again.
inline void leave_biased_counts() noexcept { shared_count<biased_counting>::leave_thread(); }

// Effects: merges the counts of the object that `owner` owns, if the calling thread made it. From then on all threads
// count it with atomic instructions, and its last owner ends it at once, wherever that is.
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
