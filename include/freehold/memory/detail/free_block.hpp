#pragma once
// The links that a block of a pool for many threads holds while it is free, and is marked as such.

#include <new>

#include "../../core/annotate.hpp"

namespace freehold::detail {

struct free_block {
    free_block* next;
    free_block* next_batch;  // meaningful in the last block of a batch that lies in an inbox
};

// Effects: turns the first bytes of a free block into a link before `next`. Returns: the link.
inline free_block* set_next(void* memory, free_block* next) noexcept {
    annotate_allocated(memory, sizeof(free_block));
    free_block* const block = ::new (memory) free_block;  // next_batch is not worth a store here
    block->next = next;
    annotate_free(memory, sizeof(free_block));
    return block;
}

// Effects: puts the batch that `block` stands for before another. Its `next` remains.
inline void set_next_batch(free_block* block, free_block* next_batch) noexcept {
    annotate_allocated(block, sizeof(free_block));
    block->next_batch = next_batch;
    annotate_free(block, sizeof(free_block));
}

}  // namespace freehold::detail
