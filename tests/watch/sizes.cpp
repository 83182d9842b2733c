// Compiled, never linked: the bytes of each symbol are watched. An array has as many as the type, a function as many as
// what an operation leaves in its user.

#include <freehold/freehold.hpp>

#include <memory>
#include <new>
#include <utility>

using freehold::shared_ptr;
using freehold::weak_ptr;

struct node : freehold::enable_shared_from_this<node> {};

extern "C" {

// Types.
char sizeof_shared_ptr[sizeof(shared_ptr<int>)];
char sizeof_weak_ptr[sizeof(weak_ptr<int>)];
char sizeof_local_shared_ptr[sizeof(freehold::local_shared_ptr<int>)];
char sizeof_biased_shared_ptr[sizeof(freehold::biased_shared_ptr<int>)];
char sizeof_sharded_shared_ptr[sizeof(freehold::sharded_shared_ptr<int>)];
char sizeof_enable_shared_from_this[sizeof(node)];
char sizeof_thin_ptr[sizeof(freehold::thin_ptr<int>)];
char sizeof_intrusive_ptr[sizeof(freehold::intrusive_ptr<int>)];
char sizeof_ref_counted[sizeof(freehold::ref_counted<int>)];
char sizeof_linked_ptr[sizeof(freehold::linked_ptr<int>)];
char sizeof_managed_ptr[sizeof(freehold::managed_ptr<int>)];
char sizeof_atomic_shared_ptr[sizeof(freehold::atomic_shared_ptr<int>)];
char sizeof_snapshot_ptr[sizeof(freehold::snapshot_ptr<int>)];
char sizeof_cached_snapshot[sizeof(freehold::cached_snapshot<int>)];
char sizeof_hazard_pointer[sizeof(freehold::hazard_pointer)];
char sizeof_cyclic_ptr[sizeof(freehold::cyclic_ptr<int>)];
char sizeof_concurrent_cyclic_ptr[sizeof(freehold::concurrent_cyclic_ptr<int>)];
char sizeof_cyclic_heap[sizeof(freehold::cyclic_heap)];
char sizeof_traced_ptr[sizeof(freehold::traced_ptr<int>)];
char sizeof_traced_local[sizeof(freehold::traced_local<int>)];
char sizeof_traced_root[sizeof(freehold::traced_root<int>)];
char sizeof_traced_heap[sizeof(freehold::traced_heap)];
char sizeof_pool_resource[sizeof(freehold::pool_resource)];
char sizeof_concurrent_pool_resource[sizeof(freehold::concurrent_pool_resource)];
char sizeof_monotonic_resource[sizeof(freehold::monotonic_resource)];
char sizeof_stack_resource[sizeof(freehold::stack_resource)];
char sizeof_region_resource[sizeof(freehold::region_resource)];
char sizeof_run_length_resource[sizeof(freehold::run_length_resource)];
char sizeof_page_cache[sizeof(freehold::page_cache)];

// Operations.
void make_shared(void* place) { ::new (place) shared_ptr<int>(freehold::make_shared<int>(1)); }
void copy_shared(void* place, const shared_ptr<int>& from) { ::new (place) shared_ptr<int>(from); }
void assign_shared(shared_ptr<int>& to, const shared_ptr<int>& from) { to = from; }
void move_shared(shared_ptr<int>& to, shared_ptr<int>& from) { to = std::move(from); }
void release_shared(shared_ptr<int>* from) { std::destroy_at(from); }
void lock_weak(void* place, const weak_ptr<int>& from) { ::new (place) shared_ptr<int>(from.lock()); }
void release_weak(weak_ptr<int>* from) { std::destroy_at(from); }
void shared_from_this(void* place, node& object) { ::new (place) shared_ptr<node>(object.shared_from_this()); }
void copy_local(void* place, const freehold::local_shared_ptr<int>& from) {
    ::new (place) freehold::local_shared_ptr<int>(from);
}
void release_local(freehold::local_shared_ptr<int>* from) { std::destroy_at(from); }
void copy_thin(void* place, const freehold::thin_ptr<int>& from) { ::new (place) freehold::thin_ptr<int>(from); }
void release_thin(freehold::thin_ptr<int>* from) { std::destroy_at(from); }
int snapshot(const freehold::atomic_shared_ptr<int>& from) { return *from.snapshot(); }
void store(freehold::atomic_shared_ptr<int>& to, shared_ptr<int>& from) { to.store(std::move(from)); }
void copy_cyclic(void* place, const freehold::cyclic_ptr<int>& from) { ::new (place) freehold::cyclic_ptr<int>(from); }
void release_cyclic(freehold::cyclic_ptr<int>* from) { std::destroy_at(from); }
void store_traced(freehold::traced_ptr<int>& to, const freehold::traced_ptr<int>& from) { to = from; }
void make_traced(freehold::traced_heap& heap, int*& to) { to = heap.make_unrooted<int>(1).get(); }
void* allocate_pool(freehold::pool_resource& pool) { return pool.allocate(48); }
void deallocate_pool(freehold::pool_resource& pool, void* p) { pool.deallocate(p, 48); }
void* allocate_concurrent_pool(freehold::concurrent_pool_resource& pool) { return pool.allocate(48); }
void deallocate_concurrent_pool(freehold::concurrent_pool_resource& pool, void* p) { pool.deallocate(p, 48); }

}  // extern "C"
