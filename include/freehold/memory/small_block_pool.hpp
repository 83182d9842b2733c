#pragma once
// small_block_pool: memory for control blocks and small objects, from a cache in each thread.
//
// Blocks of up to 256 bytes, in classes 16 bytes apart, aligned to 16 bytes. It is a concurrent_pool_resource for the
// process: a thread allocates from a heap of its own, a freed block goes home to the heap that owns its slab, and a
// thread that ends leaves its heap to the next one. Any thread may free a block.
//
// Thread safety: any thread may call any function.
// Exceptions: allocate throws std::bad_alloc; then nothing has changed.
// Complexity: constant; where pages are taken from the system, linear in the free blocks of the thread's current slabs.
// Cost: no header in a block; no locked operation except for batches of blocks that other threads have freed, and for a
// new slab or heap. Memory is taken from the system in pages, 1 MiB at a time, and touched as it is used. The pages of
// a slab of 64 KiB go back when all its blocks are free, but for 1 MiB. AddressSanitizer and Valgrind report a use of a
// freed block.
//
// A warm call is in this header and in detail/slab.hpp. The slow path runs when a list is empty, a block belongs
// to another thread, or the thread holds no heap yet. With freehold::compiled it is not compiled in each file.

#include <cstddef>

#include "../core/annotate.hpp"
#include "../core/assert.hpp"
#include "../core/config.hpp"
#include "detail/end_of_use.hpp"
#include "detail/slab.hpp"
#include "pool_statistics.hpp"

namespace freehold::inline v0_2 {

namespace detail {

// NOLINTBEGIN(readability-redundant-declaration): they are redundant where process_pool.hpp comes first

// Returns: a block when the list of the thread's heap is empty; or null. Requires: bytes <= small_block_pool::largest.
[[nodiscard]] void* find_in_process_pool(std::size_t bytes) noexcept;

// Returns: the same, but never null. Throws: std::bad_alloc. Cold, so that the call is out of the way of its user.
[[nodiscard]] FREEHOLD_COLD void* allocate_in_process_pool(std::size_t bytes);

// Effects: frees a block that does not belong to the calling thread's heap.
void send_home_in_process_pool(void* block) noexcept;

// Returns: where the memory of the pool is. Requires: if it is quiet, no other thread uses the pool meanwhile.
[[nodiscard]] pool_statistics process_pool_statistics(bool is_quiet) noexcept;

// Effects: calls visit(context, block, bytes) for each block in use. Requires: no other thread uses the pool meanwhile.
void trim_process_pool() noexcept;
void walk_process_pool(void (*visit)(void*, void*, std::size_t), void* context);

// Effects: does what is due when slab::push() has returned true, for the calling thread's heap.
void finish_free_in_process_pool(slab* counted) noexcept;

// Returns: whether the block is in a list of the thread's heap. For checks.
[[nodiscard]] bool is_free_in_process_pool(void* block) noexcept;

// NOLINTEND(readability-redundant-declaration)

}  // namespace detail

class small_block_pool {
public:
    // The size of the largest block and the alignment of every block, in bytes.
    static constexpr std::size_t largest = 256;
    static constexpr std::size_t alignment = detail::slab_class::granularity;

    // Returns: `bytes` bytes aligned to `alignment`.
    // Requires: 0 < bytes <= largest.
    // Throws: std::bad_alloc when there is no memory.
    [[nodiscard]] static void* allocate(std::size_t bytes) {
        void* const block = take(bytes);
        return block != nullptr ? block : detail::allocate_in_process_pool(bytes);
    }

    // Returns: the same, or a null pointer when there is no memory.
    [[nodiscard]] static void* try_allocate(std::size_t bytes) noexcept {
        void* const block = take(bytes);
        return block != nullptr ? block : detail::find_in_process_pool(bytes);
    }

    // Effects: makes the block available again, eventually to any thread.
    // Requires: allocate(bytes) returned `block`, in any thread, and it was not freed since.
    static void deallocate(void* block, std::size_t bytes) noexcept {
        FREEHOLD_EXPECTS(block != nullptr && bytes > 0 && bytes <= largest,
                         "a null pointer is freed, or the size is 0 or more than small_block_pool::largest",
                         "freehold::small_block_pool");
        const std::size_t block_class = detail::slab_class::of_fine(bytes + detail::least_canary);
        auto* const origin = detail::slab::of(block);
        detail::expect_allocated(block, bytes);
        if (!detail::end_use<detail::slab_class>(block)) return;
        FREEHOLD_HEAP_EXPECTS(origin->block_class == block_class,
                              "a block is freed with another size than it was allocated with, or comes from elsewhere",
                              "freehold::small_block_pool");
        const std::size_t block_bytes = detail::slab_class::bytes_of(block_class);
        FREEHOLD_EXPECTS(!(detail::may_be_freed(block, origin) && detail::is_free_in_process_pool(block)),
                         "a block is freed twice", "freehold::small_block_pool");
        detail::mark_freed(block, block_bytes);
        detail::block_lists* const heap = detail::this_heap_in_process_pool();
        if (origin->is_current_of(heap)) [[likely]]
            return heap->push(block, block_class);
        if (origin->home != heap) [[unlikely]]
            return detail::send_home_in_process_pool(block);
        if (origin->push(block)) [[unlikely]]
            detail::finish_free_in_process_pool(origin);
    }

    // Effects: gives the system what is free in the calling thread's heap, in those of threads that have ended and in
    // no heap, also pages of slabs of which other blocks are in use. Complexity: linear in the blocks of these slabs.
    static void trim() noexcept { detail::trim_process_pool(); }

    // As those of concurrent_pool_resource, also of what replace_new serves from the pool.

    [[nodiscard]] static pool_statistics statistics() noexcept { return detail::process_pool_statistics(false); }

    [[nodiscard]] static pool_statistics quiet_statistics() noexcept { return detail::process_pool_statistics(true); }

    template <class Visit>
    static void walk(Visit visit) {
        const auto call = [](void* context, void* block, std::size_t bytes) {
            (*static_cast<Visit*>(context))(block, bytes);
        };
        detail::walk_process_pool(call, &visit);
    }

private:
    // Returns: a block from the list of the thread's heap, or null.
    [[nodiscard]] static void* take(std::size_t bytes) noexcept {
        FREEHOLD_EXPECTS(bytes > 0 && bytes <= largest, "the size is 0, or more than small_block_pool::largest",
                         "freehold::small_block_pool");
        void* const block =
            detail::this_heap_in_process_pool()->pop(detail::slab_class::of_fine(bytes + detail::least_canary), bytes);
        if (block != nullptr) [[likely]]
            detail::begin_use<detail::slab_class>(block, bytes);
        return block;
    }
};

}  // namespace freehold

#ifndef FREEHOLD_COMPILED
#include "detail/process_pool.hpp"
#endif
