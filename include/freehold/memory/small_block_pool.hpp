#pragma once
// small_block_pool: memory for control blocks and small objects, from a cache in each thread.
//
// Blocks of up to 256 bytes, in classes 16 bytes apart, each a multiple of 16 bytes long and aligned to 16 bytes. It is
// the machinery of concurrent_pool_resource in one instance for the process, which every thread has at hand: a thread
// allocates from a heap of its own, a block goes home to the heap that its slab belongs to, and a thread that ends
// leaves its heap to the next one. A block may be freed by any thread.
//
// Thread safety: any thread may call any function.
// Exceptions: allocate throws std::bad_alloc; then nothing has changed.
// Complexity: constant, but for a step for each other thread's heap when a slab or heap is needed.
// Cost: no header in a block; no locked operation but for batches of blocks that other threads have freed, and for a
// new slab or heap. Memory is taken from the system in pages, 1 MiB at a time and touched as it is used, and is reused
// but not given back before the end. AddressSanitizer and Valgrind report a use of a freed block.

#include <cstddef>
#include <new>

#include "../core/annotate.hpp"
#include "../core/assert.hpp"
#include "../core/exceptions.hpp"
#include "detail/process_pool.hpp"
#include "detail/slab.hpp"
#include "detail/slab_class.hpp"
#include "detail/thread_heap.hpp"
#include "detail/thread_heaps.hpp"

namespace freehold {

class small_block_pool {
public:
    // The size of the largest block and the alignment of every block, in bytes.
    static constexpr std::size_t largest = 256;
    static constexpr std::size_t alignment = detail::slab_class::granularity;

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
        FREEHOLD_EXPECTS(bytes > 0 && bytes <= largest, "the size is 0, or more than small_block_pool::largest",
                         "freehold::small_block_pool");
        const std::size_t block_class = detail::slab_class::of_fine(bytes);
        detail::thread_heap* const heap = detail::this_pool_thread.in_process_pool;
        void* block = heap != nullptr ? heap->pop(block_class) : nullptr;
        if (block == nullptr) [[unlikely]] {
            block = detail::find_in_process_pool(bytes);
            if (block == nullptr) return nullptr;
        }
        detail::annotate_allocated(block, bytes);
        return block;
    }

    // Effects: makes the block available again, to any thread in time.
    // Requires: allocate(bytes) returned `block`, in any thread, and it was not freed since.
    static void deallocate(void* block, std::size_t bytes) noexcept {
        FREEHOLD_EXPECTS(block != nullptr && bytes > 0 && bytes <= largest,
                         "a null pointer is freed, or the size is 0 or more than small_block_pool::largest",
                         "freehold::small_block_pool");
        const std::size_t block_class = detail::slab_class::of_fine(bytes);
        const auto* const origin = detail::thread_heap::slab_type::of(block);
        FREEHOLD_EXPECTS(origin->block_class == block_class,
                         "a block is freed with another size than it was allocated with, or comes from elsewhere",
                         "freehold::small_block_pool");
        detail::annotate_free(block, detail::slab_class::bytes_of(block_class));
        detail::thread_heap* const heap = detail::this_pool_thread.in_process_pool;
        if (origin->owner != heap) [[unlikely]]
            return detail::send_home_in_process_pool(block);
        heap->push(block, block_class);
    }
};

}  // namespace freehold
