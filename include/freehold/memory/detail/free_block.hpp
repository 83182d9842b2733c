#pragma once
// The link that a block of a pool for many threads holds while it is free, and is marked as such.

#include <new>

#include "../../core/annotate.hpp"

namespace freehold::detail {

struct free_block {
    free_block* next;
};

// Effects: turns the first bytes of a free block into a link before `next`. Returns: the link.
inline free_block* set_next(void* memory, free_block* next) noexcept {
    annotate_allocated(memory, sizeof(free_block));
    free_block* const block = ::new (memory) free_block{next};
    annotate_free(memory, sizeof(free_block));
    return block;
}

}  // namespace freehold::detail
