#pragma once
// The classes of small blocks, and the links that a block holds while it is free.

#include <cstddef>
#include <new>

#include "../../core/annotate.hpp"

namespace freehold::detail {

inline constexpr std::size_t block_granularity = 16;  // bytes
inline constexpr std::size_t block_classes = 16;
inline constexpr int batch_length = 32;  // blocks that move between a thread and the depot at once

struct free_block {
    free_block* next;
    free_block* next_batch;  // meaningful in the first block of a batch that lies in the depot
};

[[nodiscard]] constexpr std::size_t class_of(std::size_t bytes) noexcept { return (bytes - 1) / block_granularity; }

[[nodiscard]] constexpr std::size_t bytes_of(std::size_t block_class) noexcept {
    return (block_class + 1) * block_granularity;
}

// Returns: the links of a block that is free, which AddressSanitizer holds to be nobody's.
#if defined(FREEHOLD_ADDRESS_SANITIZER) && defined(__clang__)
[[gnu::no_sanitize_address, gnu::noinline]]
#elif defined(FREEHOLD_ADDRESS_SANITIZER)
[[gnu::no_sanitize_address, gnu::noipa]]  // g++ would move the load into the caller, which is checked
#endif
inline free_block link_of(const free_block* block) noexcept {
    annotate_readable(block, sizeof(free_block));
    return *block;
}

// Effects: turns the memory of a block into a link before `next`. Returns: the link.
inline free_block* make_free(void* memory, std::size_t block_class, free_block* next) noexcept {
    annotate_allocated(memory, sizeof(free_block));
    free_block* const block = ::new (memory) free_block;  // next_batch is not worth a store here
    block->next = next;
    annotate_free(memory, bytes_of(block_class));
    return block;
}

// Effects: turns the memory of a block into the first of a batch. Returns: it.
inline free_block* make_batch(void* memory, std::size_t block_class, free_block* next,
                              free_block* next_batch) noexcept {
    free_block* const block = make_free(memory, block_class, next);
    annotate_allocated(memory, sizeof(free_block));
    block->next_batch = next_batch;
    annotate_free(memory, bytes_of(block_class));
    return block;
}

}  // namespace freehold::detail
