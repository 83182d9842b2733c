#pragma once
// limiting_resource: limits the bytes that are allocated at a time.
//
// Bytes are counted as requested; what the upstream adds is not counted.
//
// Thread safety: one thread at a time; behind a synchronized_resource, any thread.
// Exceptions: allocate throws std::bad_alloc beyond the limit, without calling the upstream, and passes on what the
// upstream throws. Either way nothing has changed, and smaller requests may still be served.
// Complexity: constant. Cost: no header in a block; a comparison and an addition.

#include <cstddef>
#include <memory_resource>
#include <new>

#include "../core/assert.hpp"
#include "../core/exceptions.hpp"
#include "detail/chained_resource.hpp"

namespace freehold::inline v0_2 {

class limiting_resource final : public detail::chained_resource<limiting_resource> {
public:
    explicit limiting_resource(std::size_t limit,
                               std::pmr::memory_resource* upstream = std::pmr::get_default_resource()) noexcept
        : chained_resource(upstream), limit_(limit) {}

    // Returns: what upstream_resource()->allocate(bytes, alignment) does.
    // Throws: std::bad_alloc if allocated() + bytes > limit(); what the upstream throws.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
        if (bytes > limit_ - allocated_) detail::raise<std::bad_alloc>();
        allocated_ += bytes;
        reservation reserved{allocated_, bytes};
        void* const block = upstream_->allocate(bytes, alignment);
        reserved.bytes = 0;
        return block;
    }

    // As std::pmr::memory_resource::deallocate.
    void deallocate(void* block, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        FREEHOLD_EXPECTS(bytes <= allocated_, "more is freed than was allocated", "freehold::limiting_resource");
        upstream_->deallocate(block, bytes, alignment);
        allocated_ -= bytes;
    }

    // Returns: the maximum of bytes allocated at a time.
    [[nodiscard]] std::size_t limit() const noexcept { return limit_; }

    // Returns: the bytes of all live blocks.
    [[nodiscard]] std::size_t allocated() const noexcept { return allocated_; }

private:
    // Bytes are counted before the upstream is called, so that an upstream that allocates from this resource meanwhile
    // does not get them as well. The destructor takes them back if the upstream throws.
    struct reservation {
        std::size_t& allocated;
        std::size_t bytes;

        ~reservation() { allocated -= bytes; }
    };

    std::size_t limit_;
    std::size_t allocated_ = 0;  // never more than the limit
};

}  // namespace freehold
