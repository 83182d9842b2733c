#pragma once
// aligned_resource: aligns every block at least to a given alignment: a cache line, or for vector instructions.
//
// Thread safety: that of the upstream. Exceptions: allocate passes on what the upstream throws; then nothing has
// changed. Complexity: constant. Cost: no header in a block, but what the upstream needs to align it.

#include <bit>
#include <cstddef>
#include <memory_resource>

#include "../core/alignment.hpp"
#include "../core/assert.hpp"
#include "detail/chained_resource.hpp"

namespace freehold::inline v0_2 {

class aligned_resource final : public detail::chained_resource<aligned_resource> {
public:
    // Requires: `min_alignment` is a power of two.
    explicit aligned_resource(std::size_t min_alignment,
                              std::pmr::memory_resource* upstream = std::pmr::get_default_resource()) noexcept
        : chained_resource(upstream), min_alignment_(min_alignment) {
        FREEHOLD_EXPECTS(std::has_single_bit(min_alignment), "the alignment is not a power of two",
                         "freehold::aligned_resource");
    }

    // Returns: `bytes` bytes aligned to `alignment` and to min_alignment().
    // Throws: what the upstream throws.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
        return upstream_->allocate(bytes, detail::larger(alignment, min_alignment_));
    }

    // As std::pmr::memory_resource::deallocate.
    void deallocate(void* block, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        upstream_->deallocate(block, bytes, detail::larger(alignment, min_alignment_));
    }

    [[nodiscard]] std::size_t min_alignment() const noexcept { return min_alignment_; }

private:
    std::size_t min_alignment_;
};

}  // namespace freehold
