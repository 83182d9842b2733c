#pragma once
// Finds the blocks of a slab that are in use: those that were cut and are in no list. For heap walks: it is slow.
//
// Thread safety: no other thread uses the slab meanwhile. Exceptions: what the visitor throws.

#include <cstddef>
#include <cstdint>

#include "../../core/annotate.hpp"
#include "../../core/block_arithmetic.hpp"
#include "block_batch.hpp"
#include "block_canary.hpp"
#include "slab.hpp"
#include "slab_pages.hpp"

namespace freehold::inline v0_2::detail {

// Sizes is the table of the slab's class.
template <class Sizes>
class slab_walk {
public:
    // Requires: the blocks of the slab that are free are in its own list or its batches.
    // At most `most_blocks` of its blocks were ever in a list.
    explicit slab_walk(slab& walked, std::size_t most_blocks = slab_bytes) noexcept
        : slab_(walked),
          block_bytes_(Sizes::bytes_of(walked.block_class)),
          layout_(detail::layout_of_class<Sizes>(walked.block_class)),
          count_(detail::smaller(layout_.count, most_blocks)) {
        for (const free_block* each = walked.free; each != nullptr; each = next_of(each)) note_free(each);
        for (block_batch* each = walked.batches; each != nullptr; each = each->following()) note_batch(*each);
    }

    // Returns: whether the block is in one of these lists, or begins in a page that was discarded.
    [[nodiscard]] bool is_free(const void* block) const noexcept {
        return is_free(index_of(block)) || slab_.is_uncut(block);
    }

    [[nodiscard]] bool is_free(std::size_t index) const noexcept { return (free_[index / 64] >> index % 64 & 1) != 0; }

    // Effects: calls visit(block, bytes) for each block in use, in the order of addresses. A hardened program aborts if
    // one was written to behind its end.
    template <class Visit>
    void visit_blocks_in_use(Visit& visit) {
        const slab_pages pages({layout_.first, count_}, block_bytes_);
        for (std::size_t i = 0; i < count_; ++i) {
            if (is_free(i) || slab_pages::is_in(slab_.uncut, pages.page_of(i))) continue;
            void* const block = slab_.memory() + pages.offset_of(i);
            if constexpr (has_canaries) block_canary<Sizes>::expect_intact_in_use(block, block_bytes_);
            visit(block, block_bytes_);
        }
    }

private:
    [[nodiscard]] std::size_t index_of(const void* block) const noexcept {
        const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(block) - slab_.memory());
        return (offset - layout_.first) / block_bytes_;
    }

    void note_free(const void* block) noexcept {
        const std::size_t index = index_of(block);
        free_[index / 64] |= std::uint64_t{1} << index % 64;
    }

    // A batch in a batch has none in turn.
    void note_batch(block_batch& batch) noexcept {
        note_free(&batch);
        const std::size_t length = read_free(&batch).length;
        for (std::size_t i = 0; i < length; ++i) {
            const place_in_slab place = read_free(batch.address_of_place(i));
            if ((place & block_batch::holds_batch) != 0) {
                note_batch(*batch.block_at(place));
            } else {
                note_free(slab_.block_at(place));
            }
        }
    }

    slab& slab_;
    std::size_t block_bytes_;
    block_layout layout_;
    std::size_t count_;
    // A bit for each index of a block: <bitset> would be a tenth of what shared_ptr.hpp costs beside <memory>.
    std::uint64_t free_[slab_bytes / sizeof(free_block) / 64] = {};
};

}  // namespace freehold::detail
