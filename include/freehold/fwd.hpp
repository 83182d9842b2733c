#pragma once
// Declarations of what programs name before they need it: the pointers, what they count and collect by, and the memory
// resources.
//
// Include this rather than declare them: they lie in an inline namespace that has the version's name, and so a
// declaration outside it would be of another class. A header that declares a function of shared_ptr<widget>, or has
// such a member in a class that it does not define, needs no more. Default template arguments stand here alone.

namespace freehold::inline v0_2 {

// Counting policies
struct atomic_counting;
struct plain_counting;
struct biased_counting;
struct sharded_counting;

// Pointers
template <class T, class Counting = atomic_counting>
class shared_ptr;
template <class T, class Counting = atomic_counting>
class weak_ptr;
template <class T, class Counting = atomic_counting>
class enable_shared_from_this;
template <class T, class Counting = atomic_counting>
class thin_ptr;
template <class T>
class intrusive_ptr;
template <class T>
class linked_ptr;
template <class T>
class managed_ptr;
template <class T>
class borrowed_ptr;
template <class T, class Pointer = shared_ptr<T>>
class snapshot_ptr;
template <class T, class Pointer = shared_ptr<T>>
class cached_snapshot;

template <class T>
using local_shared_ptr = shared_ptr<T, plain_counting>;
template <class T>
using local_weak_ptr = weak_ptr<T, plain_counting>;
template <class T>
using biased_shared_ptr = shared_ptr<T, biased_counting>;
template <class T>
using biased_weak_ptr = weak_ptr<T, biased_counting>;
template <class T>
using sharded_shared_ptr = shared_ptr<T, sharded_counting>;
template <class T>
using sharded_weak_ptr = weak_ptr<T, sharded_counting>;
template <class T>
using local_thin_ptr = thin_ptr<T, plain_counting>;
template <class T>
using biased_thin_ptr = thin_ptr<T, biased_counting>;

// Pointers to objects that a collector frees
namespace detail {
struct process_threading;
template <class Threading>
class basic_heap_domain;
class thread_domain;
}  // namespace detail
using detail::basic_heap_domain;
using detail::thread_domain;
using heap_domain = detail::basic_heap_domain<detail::process_threading>;
template <class T, class Domain = thread_domain>
class cyclic_ptr;
template <class T, class Domain = thread_domain>
class cyclic_weak_ptr;
template <class T>
using concurrent_cyclic_ptr = cyclic_ptr<T, heap_domain>;
template <class T>
using concurrent_cyclic_weak_ptr = cyclic_weak_ptr<T, heap_domain>;
template <class T>
class parent_ptr;
class cycle_collector;
template <class Threading>
class basic_cyclic_heap;
using cyclic_heap = basic_cyclic_heap<detail::process_threading>;

class traced_heap;
class shared_traced_heap;
class traced_frame;
template <class Promise>
class traced_promise;
template <class T>
class traced_ptr;
template <class T>
class atomic_traced_ptr;
template <class T>
class traced_local;
template <class T>
class traced_root;
template <class T>
class traced_root_vector;
template <class T>
class traced_view;
template <class T>
class traced_weak_ptr;

// Memory
class aligned_resource;
class concurrent_pool_resource;
class counting_resource;
class failing_resource;
class guard_resource;
class limiting_resource;
class logging_resource;
class monotonic_resource;
class new_delete_resource;
class null_resource;
class page_cache;
class pool_resource;
class region_resource;
class run_length_resource;
class stack_resource;
class synchronized_resource;
template <class T, class Resource>
class resource_allocator;

}  // namespace freehold
