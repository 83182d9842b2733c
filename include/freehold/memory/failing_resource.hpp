#pragma once
// failing_resource: serves n allocations and then fails, as if memory had run out. For tests.
//
// Thread safety: one thread at a time; behind a synchronized_resource, any thread.
// Exceptions: allocate throws std::bad_alloc when it fails, without calling the upstream, and passes on what the
// upstream throws. Complexity: constant. Cost: no header in a block; a comparison and an addition.

#include <cstddef>
#include <memory_resource>
#include <new>

#include "../core/exceptions.hpp"
#include "detail/chained_resource.hpp"

namespace freehold::inline v0_2 {

class failing_resource final : public detail::chained_resource<failing_resource> {
public:
    // Effects: lets the first `allowed` allocations pass; all later ones fail.
    explicit failing_resource(std::size_t allowed,
                              std::pmr::memory_resource* upstream = std::pmr::get_default_resource()) noexcept
        : chained_resource(upstream), allowed_(allowed) {}

    // Returns: what upstream_resource()->allocate(bytes, alignment) does.
    // Throws: std::bad_alloc if no allocation is left; what the upstream throws, which uses one up as well.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
        if (allowed_ == 0) {
            has_failed_ = true;
            detail::raise<std::bad_alloc>();
        }
        --allowed_;
        return upstream_->allocate(bytes, alignment);
    }

    // As std::pmr::memory_resource::deallocate.
    void deallocate(void* block, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        upstream_->deallocate(block, bytes, alignment);
    }

    // Effects: lets the next `allowed` allocations pass; all later ones fail.
    void allow(std::size_t allowed) noexcept { allowed_ = allowed; }

    // Returns: whether an allocation has failed here, also if the exception was caught.
    [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }

private:
    std::size_t allowed_;
    bool has_failed_ = false;
};

}  // namespace freehold
