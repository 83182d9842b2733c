#pragma once
// small_block_pool: memory for control blocks and small objects, from a cache in each thread.
//
// Blocks of up to 256 bytes, in classes 16 bytes apart, each a multiple of 16 bytes long and aligned to 16 bytes. A
// thread allocates from and frees to lists of its own; lists that run empty or grow long are exchanged with a common
// depot, a batch at a time. A block may be freed by any thread.
//
// Thread safety: any thread may call any function.
// Exceptions: allocate throws std::bad_alloc; then nothing has changed.
// Complexity: constant. Cost: no header in a block; no locked operation unless a batch is exchanged (one mutex for 32
// blocks). Memory is taken from malloc, 64 KiB at a time, and is reused but not given back before the end.
// AddressSanitizer reports a use of a freed block.

#include <cstddef>
#include <new>

#include "../core/annotate.hpp"
#include "../core/assert.hpp"
#include "../core/exceptions.hpp"
#include "detail/block_depot.hpp"
#include "detail/thread_cache.hpp"

namespace freehold {

class small_block_pool {
public:
    // The size of the largest block and the alignment of every block, in bytes.
    static constexpr std::size_t largest = detail::block_classes * detail::block_granularity;
    static constexpr std::size_t alignment = detail::block_granularity;

    // Returns: `bytes` bytes aligned to `alignment`.
    // Requires: 0 < bytes <= largest.
    // Throws: std::bad_alloc when there is no memory.
    [[nodiscard]] static void* allocate(std::size_t bytes) {
        void* const block = try_allocate(bytes);
        if (block == nullptr) [[unlikely]]
            detail::raise<std::bad_alloc>();
        return block;
    }

    // Returns: the same, or a null pointer when there is no memory.
    [[nodiscard]] static void* try_allocate(std::size_t bytes) noexcept {
        FREEHOLD_EXPECTS(bytes > 0 && bytes <= largest);
        const std::size_t block_class = detail::class_of(bytes);
        detail::cached_list& list = detail::thread_cache.lists[block_class];
        detail::free_block* block = list.head;
        if (block == nullptr) [[unlikely]] {
            block = detail::refill(block_class);
            if (block == nullptr) return nullptr;
        }
        list.head = detail::link_of(block).next;
        ++list.room;
        annotate_allocated(block, bytes);
        return block;
    }

    // Effects: makes the block available again, to any thread in time.
    // Requires: allocate(bytes) returned `block`, in any thread, and it was not freed since.
    static void deallocate(void* block, std::size_t bytes) noexcept {
        FREEHOLD_EXPECTS(block != nullptr && bytes > 0 && bytes <= largest);
        const std::size_t block_class = detail::class_of(bytes);
        detail::cached_list& list = detail::thread_cache.lists[block_class];
        list.head = detail::make_free(block, block_class, list.head);
        if (--list.room < 0) [[unlikely]]
            detail::trim(block_class);
    }
};

}  // namespace freehold
