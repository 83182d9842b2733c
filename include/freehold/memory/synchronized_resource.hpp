#pragma once
// synchronized_resource: lets many threads use an upstream that only one thread at a time may.
//
// A mutex is held while the upstream is called, and never longer than that. An upstream that uses this resource from
// within its call gets through, since its thread holds the mutex already, and is itself called within its call, as it
// would be without this resource. An upstream that waits for another thread that uses this resource waits for ever.
//
// Thread safety: any thread may call any function, but no other way to the upstream may be used meanwhile.
// Exceptions: allocate passes on what the upstream throws, with the mutex released.
// Complexity: that of the upstream. Cost: no header in a block; a mutex locked and unlocked. For a pool that threads
// share, a concurrent_pool_resource does without.

#include <cstddef>
#include <memory_resource>
#include <mutex>

#include "detail/adaptor.hpp"

namespace freehold {

class synchronized_resource final : public detail::adaptor<synchronized_resource> {
public:
    explicit synchronized_resource(std::pmr::memory_resource* upstream = std::pmr::get_default_resource()) noexcept
        : adaptor(upstream) {}

    synchronized_resource(const synchronized_resource&) = delete;
    synchronized_resource& operator=(const synchronized_resource&) = delete;

    // Returns: what upstream_resource()->allocate(bytes, alignment) does.
    // Throws: what the upstream throws.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
        const std::lock_guard held(mutex_);
        return upstream_->allocate(bytes, alignment);
    }

    // Effects: frees the block. Requires: allocate(bytes, alignment) returned it, and it was not freed since.
    void deallocate(void* block, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        const std::lock_guard held(mutex_);
        upstream_->deallocate(block, bytes, alignment);
    }

private:
    std::recursive_mutex mutex_;
};

}  // namespace freehold
