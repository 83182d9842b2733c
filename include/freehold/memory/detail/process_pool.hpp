#pragma once
// The pool of the process, where small blocks come from: a slab_pool over pages of the system.
//
// It is constant-initialized and never destroyed, as a thread's pointer to its heap and what abandons that. Objects
// with static storage may use it in constructors and destructors, and a thread until its last instruction.

#include <atomic>
#include <cstddef>
#include <new>
#include <type_traits>

#include "../../core/alignment.hpp"
#include "../../core/annotate.hpp"
#include "../../core/config.hpp"
#include "../../core/exceptions.hpp"
#include "../pool_statistics.hpp"
#include "end_of_use.hpp"
#include "pages.hpp"
#include "pool_thread.hpp"
#include "slab.hpp"
#include "slab_cache.hpp"
#include "slab_pool.hpp"
#include "static_mutex.hpp"
#include "thread_heap.hpp"

// The functions that small_block_pool.hpp declares are compiled once in the library freehold::compiled, which defines
// FREEHOLD_COMPILED for its users; without it, in each file that may call them.
#ifdef FREEHOLD_COMPILED
#define FREEHOLD_SLOW_PATH
#else
#define FREEHOLD_SLOW_PATH inline
#endif

namespace freehold::inline v0_2::detail {

// Not operator new: a program that replaces it to count would take what the pool keeps for a leak.
struct page_upstream {
    // Returns: memory, or null. No system has larger pages than a slab, but for huge ones.
    [[nodiscard]] static void* allocate(std::size_t bytes, [[maybe_unused]] std::size_t alignment) noexcept {
        return map_pages(round_up(bytes, slab_bytes), slab_bytes);
    }

    static void deallocate(void* memory, std::size_t bytes, [[maybe_unused]] std::size_t alignment) noexcept {
        unmap_pages(memory, round_up(bytes, slab_bytes));
    }

    static void discard(void* begin, std::size_t bytes) noexcept { discard_part(begin, bytes); }
};

// Untouched pages cost nothing: the first chunk has a slab for each size of blocks already.
inline constinit slab_pool process_pool(process_pool_id, pool_mutexes[0],
                                        slab_cache(slab_cache::largest_chunk, slab_cache::largest_chunk,
                                                   slab_cache::largest_chunk));

static_assert(std::is_trivially_destructible_v<slab_pool>);

// The slow paths, for any upstream: what has come from one may go to another.

// Returns: a block of the class for `bytes` bytes, or null. `asked`: the bytes that a heap profile counts.
template <class Upstream>
[[nodiscard]] FREEHOLD_ALWAYS_INLINE inline void* find_in_process_pool(Upstream& upstream, std::size_t block_class,
                                                                       std::size_t bytes, std::size_t asked) noexcept {
    const bool has_heap = heap_in_process_pool != &no_blocks;
    if (has_heap) {
        auto* const heap = static_cast<thread_heap*>(heap_in_process_pool);
        if (void* const guarded = heap->find_guarded(block_class)) return guarded;
        if (void* const block = process_pool.find_counted(upstream, *heap, block_class, asked)) return block;
    }
    survive_fork();
    return process_pool.find(upstream, block_class, bytes, true, has_heap);
}

template <class Upstream>
FREEHOLD_ALWAYS_INLINE inline void send_home_in_process_pool(Upstream& upstream, void* block) noexcept {
    if (heap_in_process_pool != &no_blocks) {
        auto* const heap = static_cast<thread_heap*>(heap_in_process_pool);
        return process_pool.free_remote(upstream, *heap, block, slab::of(block));
    }
    survive_fork();
    process_pool.send_home(upstream, block);
}

// The functions that small_block_pool.hpp declares.

FREEHOLD_NOINLINE FREEHOLD_SLOW_PATH void* find_in_process_pool(std::size_t bytes) noexcept {
    page_upstream upstream;
    void* const block = find_in_process_pool(upstream, slab_class::of_fine(bytes + least_canary), bytes, bytes);
    if constexpr (has_canaries) return begin_use_of_found<slab_class>(block, bytes, slab_class::granularity);
    if (block != nullptr) annotate_allocated(block, bytes);
    return block;
}

FREEHOLD_NOINLINE FREEHOLD_SLOW_PATH void* allocate_in_process_pool(std::size_t bytes) {
    void* const block = find_in_process_pool(bytes);
    if (block == nullptr) raise<std::bad_alloc>();
    return block;
}

FREEHOLD_NOINLINE FREEHOLD_SLOW_PATH void send_home_in_process_pool(void* block) noexcept {
    page_upstream upstream;
    send_home_in_process_pool(upstream, block);
}

FREEHOLD_NOINLINE FREEHOLD_SLOW_PATH bool is_free_in_process_pool(void* block) noexcept {
    return heap_in_process_pool != &no_blocks && static_cast<thread_heap*>(heap_in_process_pool)->has_free(block);
}

// What process_heap has beside the pool, added to the statistics once there is some.
inline constinit std::atomic<void (*)(pool_statistics&) noexcept> add_process_heap = nullptr;

// What looks at the ends of its large blocks in a hardened program, likewise.
inline constinit std::atomic<void (*)() noexcept> check_process_heap = nullptr;

FREEHOLD_NOINLINE FREEHOLD_SLOW_PATH pool_statistics process_pool_statistics(bool is_quiet) noexcept {
    pool_statistics found = is_quiet ? process_pool.quiet_statistics() : process_pool.statistics();
    // relaxed: as in process_large, which stores it
    if (auto* const add = add_process_heap.load(std::memory_order_relaxed)) add(found);
    return found;
}

FREEHOLD_NOINLINE FREEHOLD_SLOW_PATH void trim_process_pool() noexcept {
    page_upstream upstream;
    process_pool.trim(upstream);
}

FREEHOLD_NOINLINE FREEHOLD_SLOW_PATH void walk_process_pool(void (*visit)(void*, void*, std::size_t), void* context) {
    const auto each = [=](void* block, std::size_t bytes) { visit(context, block, bytes); };
    process_pool.walk(each);
    if constexpr (has_canaries) {
        if (auto* const look = check_process_heap.load(std::memory_order_relaxed)) look();  // as add_process_heap
    }
}

FREEHOLD_NOINLINE FREEHOLD_SLOW_PATH void finish_free_in_process_pool(slab* counted) noexcept {
    page_upstream upstream;
    process_pool.finish_free(upstream, counted);
}

}  // namespace freehold::detail

#undef FREEHOLD_SLOW_PATH
