#pragma once
// failing_resource: serves so many allocations and no more, as if memory had run out. For tests.
//
// Thread safety: one thread at a time; a synchronized_resource before it makes it any thread.
// Exceptions: allocate throws std::bad_alloc when it fails, without asking the upstream, and passes on what the
// upstream throws. Complexity: constant. Cost: no header in a block; a comparison and an addition.

#include <cstddef>
#include <memory_resource>
#include <new>

#include "../core/exceptions.hpp"
#include "detail/adaptor.hpp"

namespace freehold {

class failing_resource final : public detail::adaptor<failing_resource> {
public:
    // Effects: the first `allowed` allocations will be served, and all that follow fail.
    explicit failing_resource(std::size_t allowed,
                              std::pmr::memory_resource* upstream = std::pmr::get_default_resource()) noexcept
        : adaptor(upstream), allowed_(allowed) {}

    failing_resource(const failing_resource&) = delete;
    failing_resource& operator=(const failing_resource&) = delete;

    // Returns: what upstream_resource()->allocate(bytes, alignment) does.
    // Throws: std::bad_alloc if no allocation is allowed any more; what the upstream throws, and then an allocation as
    // well is used up.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
        if (allowed_ == 0) {
            has_failed_ = true;
            detail::raise<std::bad_alloc>();
        }
        --allowed_;
        return upstream_->allocate(bytes, alignment);
    }

    // Effects: frees the block. Requires: allocate(bytes, alignment) returned it, and it was not freed since.
    void deallocate(void* block, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        upstream_->deallocate(block, bytes, alignment);
    }

    // Effects: the next `allowed` allocations will be served, and all that follow fail.
    void allow(std::size_t allowed) noexcept { allowed_ = allowed; }

    // Returns: whether an allocation was refused here, also if the exception went no further.
    [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }

private:
    std::size_t allowed_;
    bool has_failed_ = false;
};

}  // namespace freehold
