#pragma once
// A pool that takes no lock, because every thread has its own: what N1851 calls a non-threaded pool.

#include <memory_resource>

namespace lab {

// Returns an allocator of the calling thread's pool. Its blocks must be freed by that thread.
template <class T>
std::pmr::polymorphic_allocator<T> thread_pool() {
    thread_local std::pmr::unsynchronized_pool_resource pool;
    return &pool;
}

}  // namespace lab
