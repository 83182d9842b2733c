#pragma once
// atomic_shared_ptr<T>, atomic_weak_ptr<T>: a shared_ptr or weak_ptr that several threads read and write at once
// ([util.smartptr.atomic]). std::atomic<freehold::shared_ptr<T>> is the same type.
//
// snapshot() reads without touching the count. The release of a value that was replaced is deferred until no reader
// uses it; at most 32,768 references of each thread wait (docs/pointers/deferred_releases.md says for what).
//
// Thread safety: any thread may call any function but constructor and destructor at any time. Lock-free, except
// at a thread's first use and where memory is exhausted.
// Exceptions: none. A value that does not fit into one word takes a record of 32 bytes; if there is no memory for it
// (the first 64 need none) the program is aborted. Complexity: constant, but compare_exchange and loads may repeat
// while others write. Cost: three words. A load is one locked operation (the count), a snapshot none, a store one and
// the release of the old value.

#include <atomic>
#include <cstddef>

#include "deferred_releases.hpp"
#include "detail/atomic_pointer.hpp"
#include "shared_ptr.hpp"
#include "snapshot_ptr.hpp"
#include "weak_ptr.hpp"

namespace freehold::inline v0_2 {

template <class T>
using atomic_shared_ptr = std::atomic<shared_ptr<T>>;

template <class T>
using atomic_weak_ptr = std::atomic<weak_ptr<T>>;

}  // namespace freehold

template <class T>
struct std::atomic<freehold::shared_ptr<T>> : freehold::detail::atomic_pointer<freehold::shared_ptr<T>> {
    using freehold::detail::atomic_pointer<freehold::shared_ptr<T>>::atomic_pointer;
    using freehold::detail::atomic_pointer<freehold::shared_ptr<T>>::operator=;
};

template <class T>
struct std::atomic<freehold::weak_ptr<T>> : freehold::detail::atomic_pointer<freehold::weak_ptr<T>> {
    using freehold::detail::atomic_pointer<freehold::weak_ptr<T>>::atomic_pointer;
    using freehold::detail::atomic_pointer<freehold::weak_ptr<T>>::operator=;
};
