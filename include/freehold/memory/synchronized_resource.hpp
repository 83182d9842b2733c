#pragma once
// synchronized_resource: lets several threads share an upstream that is for one thread at a time.
//
// A mutex is held while the upstream is called, and no longer. An upstream may use this resource during its own call:
// its thread already holds the mutex, and the upstream is then called within its call, as without this resource. An
// upstream that waits for another thread that uses this resource deadlocks.
//
// Thread safety: any thread may call any function; nothing else may use the upstream meanwhile.
// Exceptions: allocate passes on what the upstream throws, with the mutex released.
// Complexity: that of the upstream. Cost: no header in a block; a mutex locked and unlocked. Threads that share a pool
// use a concurrent_pool_resource, which needs no lock.

#include <cstddef>
#include <memory_resource>
#include <mutex>

#include "detail/chained_resource.hpp"

namespace freehold::inline v0_2 {

class synchronized_resource final : public detail::chained_resource<synchronized_resource> {
public:
    explicit synchronized_resource(std::pmr::memory_resource* upstream = std::pmr::get_default_resource()) noexcept
        : chained_resource(upstream) {}

    // Returns: what upstream_resource()->allocate(bytes, alignment) does.
    // Throws: what the upstream throws.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
        const std::lock_guard held(mutex_);
        return upstream_->allocate(bytes, alignment);
    }

    // As std::pmr::memory_resource::deallocate.
    void deallocate(void* block, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        const std::lock_guard held(mutex_);
        upstream_->deallocate(block, bytes, alignment);
    }

private:
    std::recursive_mutex mutex_;
};

}  // namespace freehold
