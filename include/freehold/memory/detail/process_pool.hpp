#pragma once
// The pool of the process, where small blocks come from: a slab_pool over pages of the system.
//
// It is constant-initialised and never destroyed, and so are a thread's room for the pointer to its heap and what ends
// that: objects with static storage may use the pool before and after everything, and threads until their last
// instruction.

#include <cstddef>
#include <type_traits>

#include "../../core/alignment.hpp"
#include "pages.hpp"
#include "resource_id.hpp"
#include "slab.hpp"
#include "slab_class.hpp"
#include "slab_pool.hpp"
#include "slab_supply.hpp"
#include "static_mutex.hpp"
#include "thread_heap.hpp"
#include "thread_heaps.hpp"

namespace freehold::detail {

// Not operator new: a program that replaces it to count would take what the pool keeps for a leak.
struct page_upstream {
    // Returns: memory that is never given back, or null.
    [[nodiscard]] static void* allocate(std::size_t bytes, [[maybe_unused]] std::size_t alignment) noexcept {
        // No system has larger pages than a slab, but for huge ones.
        return map_pages(round_up(bytes, slab_bytes), slab_bytes);
    }
};

// Untouched pages cost nothing: the first chunk has a slab for each size of blocks already.
inline constinit slab_pool process_pool(process_pool_id, pool_mutexes.front(),
                                        slab_supply(slab_supply::largest_chunk, slab_supply::largest_chunk));

static_assert(std::is_trivially_destructible_v<slab_pool>);

// Returns: a block for so many bytes, when the list of the thread's heap is empty or it has none yet; or null.
[[nodiscard, gnu::noinline]] inline void* find_in_process_pool(std::size_t bytes) noexcept {
    survive_fork();
    page_upstream upstream;
    return process_pool.find(upstream, slab_class::of_fine(bytes), bytes, true);
}

// Effects: frees a block of another heap, or when the thread has none yet.
[[gnu::noinline]] inline void send_home_in_process_pool(void* block) noexcept {
    if (thread_heap* const heap = this_pool_thread.in_process_pool) {
        return heap->free_remote(block, slab_pool::slab::of(block));
    }
    survive_fork();
    page_upstream upstream;
    process_pool.send_home(upstream, block);
}

}  // namespace freehold::detail
