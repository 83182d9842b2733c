#pragma once
// sharded_shared_ptr<T>: a shared_ptr for an object that many threads copy owners of at once: they count in different
// cache lines. sharded_weak_ptr<T> with it.
//
// The owners that make_sharded_shared, a constructor from a raw pointer, a weak pointer or anchor() returns are
// anchors; copies that are made while threads count apart are not. Threads count apart while there is an anchor: keep
// one where the threads copy from. When the last anchor is released, all threads count in one word again, as shared_ptr
// does. See counting/sharded_counting.hpp.
//
// Thread safety, exceptions, complexity: those of shared_ptr. The release of the last anchor is linear in the number of
// processors. Cost: the control block is 24 bytes beside an object. Once threads have taken turns in copying an object,
// it has 64 bytes more for each processor, at most 64 of them, rounded up to a power of two. A copy or a release is one
// locked operation, on a cache line that hardly any other thread uses. An object is destroyed by the release of its
// last owner, as by shared_ptr.
//
// Both are declared in ../fwd.hpp.

#include "../counting/sharded_counting.hpp"
#include "detail/access.hpp"
#include "make_shared.hpp"
#include "shared_ptr.hpp"
#include "weak_ptr.hpp"

namespace freehold::inline v0_2 {

// Returns: an owner that shares with `owner` and is an anchor, whether or not that is one.
// Cost: one locked operation, on the line that all threads share.
template <class T>
[[nodiscard]] sharded_shared_ptr<T> anchor(const sharded_shared_ptr<T>& owner) noexcept {
    const auto handle = detail::access::handle(owner).anchor();
    if (auto* const block = handle.block()) block->acquire();
    return detail::access::adopt<T, sharded_counting>(owner.get(), handle);
}

// Effects: lets threads count apart from now on, without waiting for them to take turns in copying. Has no effect while
// the process has one thread, or after the last anchor was released once. Requires: `owner` is an anchor.
// Returns: whether they do.
template <class T>
bool open_shards(const sharded_shared_ptr<T>& owner) noexcept {
    auto* const block = detail::access::handle(owner).block();
    return block != nullptr && block->open();
}

}  // namespace freehold

// Effects, Returns, Throws: those of make_shared and its siblings. The owners that they return are anchors.
// Each overload, with its contract, is in detail/make_family.hpp.
#define FREEHOLD_MAKE make_sharded_shared
#define FREEHOLD_MAKE_FOR_OVERWRITE make_sharded_shared_for_overwrite
#define FREEHOLD_ALLOCATE allocate_sharded_shared
#define FREEHOLD_ALLOCATE_FOR_OVERWRITE allocate_sharded_shared_for_overwrite
#define FREEHOLD_COUNTING sharded_counting
#include "detail/make_family.hpp"
