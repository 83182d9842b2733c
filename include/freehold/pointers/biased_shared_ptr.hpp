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
//
// Both are declared in ../fwd.hpp.

#include "../counting/biased_counting.hpp"
#include "detail/access.hpp"
#include "make_shared.hpp"
#include "shared_ptr.hpp"
#include "weak_ptr.hpp"

namespace freehold::inline v0_2 {

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

}  // namespace freehold

// Effects, Returns, Throws: those of make_shared and its siblings, for objects that the caller counts plainly.
// Each overload, with its contract, is in detail/make_family.hpp.
#define FREEHOLD_MAKE make_biased_shared
#define FREEHOLD_MAKE_FOR_OVERWRITE make_biased_shared_for_overwrite
#define FREEHOLD_ALLOCATE allocate_biased_shared
#define FREEHOLD_ALLOCATE_FOR_OVERWRITE allocate_biased_shared_for_overwrite
#define FREEHOLD_COUNTING biased_counting
#include "detail/make_family.hpp"
