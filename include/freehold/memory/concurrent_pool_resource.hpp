#pragma once
// concurrent_pool_resource: pooled blocks of many sizes for many threads, each with free lists of its own.
//
// Requests of up to 8 KiB, or less if the options say so, are served from slabs of 64 KiB, each of blocks of one size.
// A thread has a heap of free blocks in each resource that it uses. A freed block goes home to the heap that owns its
// slab: at once if that is the thread's heap, else in a batch, which costs one compare-exchange. A thread that ends
// leaves its heaps to the next one. Larger requests go to the upstream one by one.
//
// Thread safety: any thread may call allocate, deallocate and flush; a thread may end while the resource is used or
// destroyed. No other thread may call anything during release() and the destructor.
// Exceptions: allocate passes on what the upstream throws; then nothing has changed. Freeing needs no memory.
// Complexity: constant; where a chunk is taken, linear in the free blocks of the thread's current slabs. Cost: no
// header in a block; no locked operation except one to receive batches when a list is empty, a few locks for a new
// slab, one for a block that goes to the upstream, and one where a thread uses more than 16 resources in turn. Memory
// is taken from the upstream, 64 KiB to 1 MiB at a time, and 9.6 KiB for each heap; release() and the destructor give
// it back. No mutex is held while the upstream is called. AddressSanitizer and Valgrind report a use of a freed block.

#include <bit>
#include <cstddef>
#include <limits>
#include <memory_resource>
#include <new>

#include "../core/alignment.hpp"
#include "../core/annotate.hpp"
#include "../core/assert.hpp"
#include "../core/config.hpp"
#include "../core/exceptions.hpp"
#include "detail/chained_resource.hpp"
#include "detail/end_of_use.hpp"
#include "detail/large_blocks.hpp"
#include "detail/pool_thread.hpp"
#include "detail/slab.hpp"
#include "detail/slab_cache.hpp"
#include "detail/slab_pool.hpp"
#include "detail/static_mutex.hpp"
#include "detail/thread_heap.hpp"
#include "detail/upstream.hpp"
#include "page_cache.hpp"
#include "pool_statistics.hpp"

namespace freehold::inline v0_2 {

class concurrent_pool_resource final : public detail::chained_resource<concurrent_pool_resource> {
public:
    // Effects: takes memory from *upstream, which must outlive the resource: by default the default resource if the
    // program has set one, else page_cache::shared(). The options are those of the standard's pools; see options().
    concurrent_pool_resource(const std::pmr::pool_options& options, std::pmr::memory_resource* upstream)
        : chained_resource(upstream),
          largest_(normalized(options.largest_required_pool_block)),
          pool_(detail::no_resource_id, detail::mutex_for(this),
                detail::slab_cache(detail::slab_bytes, chunk_bytes(options.max_blocks_per_chunk),
                                   detail::slab_cache::usually_kept)) {
        detail::survive_fork();
    }

    explicit concurrent_pool_resource(const std::pmr::pool_options& options)
        : concurrent_pool_resource(options, detail::default_upstream()) {}

    explicit concurrent_pool_resource(std::pmr::memory_resource* upstream)
        : concurrent_pool_resource(std::pmr::pool_options(), upstream) {}

    concurrent_pool_resource() : concurrent_pool_resource(detail::default_upstream()) {}

    // Effects: release().
    ~concurrent_pool_resource() override { release(); }

    // As std::pmr::memory_resource::allocate; 0 bytes have an address of their own. Throws: what the upstream throws;
    // std::bad_alloc if the address space is exhausted at a thread's or the resource's first block.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
        FREEHOLD_EXPECTS(std::has_single_bit(alignment), "the alignment is not a power of two",
                         "freehold::concurrent_pool_resource");
        const std::size_t padded = padded_size(bytes, alignment);
        if (padded > largest_fine()) [[unlikely]]
            return allocate_coarse(bytes, alignment);
        void* const block = take(slab_class::of_fine(padded), bytes);
        detail::begin_use<slab_class>(block, bytes);
        return block;
    }

    // Returns: the same, or null where allocate throws; without an exception if the upstream is page_cache::shared().
    [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        FREEHOLD_EXPECTS(std::has_single_bit(alignment), "the alignment is not a power of two",
                         "freehold::concurrent_pool_resource");
        const std::size_t padded = padded_size(bytes, alignment);
        detail::quiet_upstream upstream(*upstream_);
        if (padded > largest_) return allocate_large(bytes, alignment, upstream);
        const std::size_t block_class = slab_class::of(padded);
        void* block = nullptr;
        if (detail::thread_heap* const heap = pool_.heap_in_table()) [[likely]]
            block = heap->pop(block_class, bytes);
        if (block == nullptr) [[unlikely]]
            block = find(upstream, block_class, bytes);
        if (block != nullptr) [[likely]]
            detail::begin_use<slab_class>(block, bytes);
        return block;
    }

    // Effects: frees the block, eventually for any thread.
    // Requires: allocate(bytes, alignment) returned `block`, in any thread, and it was not freed since.
    inline void deallocate(void* block, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        FREEHOLD_EXPECTS(block != nullptr && std::has_single_bit(alignment),
                         "a null pointer is freed, or the alignment is not a power of two",
                         "freehold::concurrent_pool_resource");
        const std::size_t padded = padded_size(bytes, alignment);
        if (padded > largest_fine()) [[unlikely]]
            return deallocate_coarse(block, bytes, alignment);
        detail::expect_allocated(block, bytes);
        give(block, slab_class::of_fine(padded));
    }

    // Effects: sends home the blocks of other threads that the calling thread has freed. Without a call that happens
    // after 256 of them, when the thread needs a slab, and when it ends. Call it before the thread stays idle.
    void flush() noexcept { pool_.flush(); }

    // Effects: flush(); gives the upstream what is free in the calling thread's heap, in those of threads that have
    // ended and in no heap, and trims the upstream if it is page_cache::shared(). Not what is free in the heap of
    // another thread, nor the blocks that came back to that since it last needed memory. Without a call, a chunk
    // goes back when all its blocks were freed, but for 256 KiB of such chunks, or one that is larger. The slabs of 64
    // KiB that a thread used last are kept too: four for each size of up to 128 bytes, else one. Complexity: linear in
    // the free blocks of these slabs.
    void trim() noexcept {
        pool_.trim(*upstream_);
        detail::trim_shared_cache(upstream_);
    }

    // Returns: where the memory is, at some moment during the call. Only the threads know how many blocks of their
    // slabs are free, so these are not counted. Complexity: linear in the slabs; a lock.
    [[nodiscard]] pool_statistics statistics() const noexcept { return with_large_blocks(pool_.statistics()); }

    // Returns: the same, and the blocks are counted, except under memcheck.
    // Requires: no other thread uses the resource meanwhile.
    // Complexity: linear in the slabs, and in the free blocks of those that sizes used last.
    [[nodiscard]] pool_statistics quiet_statistics() noexcept { return with_large_blocks(pool_.quiet_statistics()); }

    // Effects: calls visit(block, bytes) for each block in use, where `bytes` is the size of its class, or what was
    // asked for if that is more than largest_required_pool_block. Under memcheck only these are visited. Requires: no
    // other thread uses the resource meanwhile; `visit` does not use the resource. Throws: what `visit` throws.
    template <class Visit>
    void walk(Visit visit) {
        pool_.walk(visit);
        large_.visit(visit);
    }

    // Effects: gives all memory back to the upstream, also that of blocks that were not freed.
    // Requires: no other thread calls anything of this resource meanwhile; threads may end.
    void release() noexcept {
        pool_.release(*upstream_);
        large_.release(*upstream_);
    }

    // Returns: the options in effect. Blocks of up to largest_required_pool_block bytes are pooled: the requested value
    // rounded up to a block size, at most 8 KiB. No chunk has room for more than max_blocks_per_chunk blocks of the
    // smallest size: the requested value rounded down to whole slabs of 4096, at most 16 of them, and by default 1.
    [[nodiscard]] std::pmr::pool_options options() const noexcept {
        std::pmr::pool_options result;
        result.max_blocks_per_chunk = pool_.largest_chunk() / slab_class::granularity;
        result.largest_required_pool_block = largest_;
        return result;
    }

private:
    using slab = detail::slab;
    using slab_class = detail::slab_class;

    [[nodiscard]] pool_statistics with_large_blocks(pool_statistics found) const noexcept {
        const detail::static_lock held(pool_.mutex());
        found.large = large_.bytes();
        found.large_blocks = large_.count();
        return found;
    }

    [[nodiscard]] static std::size_t normalized(std::size_t largest) noexcept {
        if (largest == 0 || largest > slab_class::largest) return slab_class::largest;
        return slab_class::bytes_of(slab_class::of(largest));
    }

    [[nodiscard]] static std::size_t chunk_bytes(std::size_t max_blocks) noexcept {
        if (max_blocks == 0) return detail::slab_bytes;
        constexpr std::size_t blocks_in_slab = detail::slab_bytes / slab_class::granularity;
        constexpr std::size_t max_slabs = detail::slab_cache::largest_chunk / detail::slab_bytes;
        return detail::clamp(max_blocks / blocks_in_slab, std::size_t{1}, max_slabs) * detail::slab_bytes;
    }

    // Returns: the size of the largest requests whose class is found at once.
    [[nodiscard]] std::size_t largest_fine() const noexcept {
        // Without this g++ warns about requests of a constant size that has no list.
        if (largest_fine_ > slab_class::largest_fine) FREEHOLD_UNREACHABLE();
        return largest_fine_;
    }

    // Returns: the size whose class has the alignment, or one that is too large for every class.
    [[nodiscard]] std::size_t padded_size(std::size_t bytes, std::size_t alignment) const noexcept {
        if (alignment <= slab_class::granularity) [[likely]]
            return detail::with_canary(bytes);
        if (bytes > largest_ || alignment > largest_) return (std::numeric_limits<std::size_t>::max)();
        return detail::round_up(detail::larger(bytes + detail::least_canary, std::size_t{1}), alignment);
    }

    [[nodiscard]] void* take(std::size_t block_class, std::size_t bytes) {
        if (detail::thread_heap* const heap = pool_.heap_in_table()) [[likely]] {
            if (void* const block = heap->pop(block_class, bytes)) [[likely]]
                return block;
        }
        return find_or_throw(block_class, bytes);
    }

    // `inline`, here and before deallocate(), makes clang inline them: eleven instructions less in a pair.
    inline void give(void* block, std::size_t block_class) noexcept {
        slab* const origin = slab::of(block);
        if (!detail::end_use<slab_class>(block)) return;
        FREEHOLD_HEAP_EXPECTS(origin->block_class == block_class, detail::freed_otherwise,
                              "freehold::concurrent_pool_resource");
        const std::size_t block_bytes = slab_class::bytes_of(block_class);
        detail::thread_heap* const heap = pool_.heap_in_table();
        FREEHOLD_EXPECTS(heap == nullptr || !detail::is_marked_freed(block, block_bytes) || !heap->has_free(block),
                         "a block is freed twice", "freehold::concurrent_pool_resource");
        detail::mark_freed(block, block_bytes);
        if (heap != nullptr) [[likely]] {
            if (origin->is_current_of(heap)) [[likely]]
                return heap->push(block, block_class);
            if (origin->home == heap) [[likely]] {
                if (origin->push(block)) [[unlikely]]
                    finish_free(origin);
                return;
            }
        }
        send_home(block, origin);
    }

    FREEHOLD_NOINLINE void finish_free(slab* counted) noexcept { pool_.finish_free(*upstream_, counted); }

    FREEHOLD_NOINLINE void* allocate_coarse(std::size_t bytes, std::size_t alignment) {
        const std::size_t padded = padded_size(bytes, alignment);
        if (padded > largest_) return allocate_large(bytes, alignment, *upstream_);
        void* const block = take(slab_class::of(padded), bytes);
        detail::begin_use<slab_class>(block, bytes);
        return block;
    }

    FREEHOLD_NOINLINE void deallocate_coarse(void* block, std::size_t bytes, std::size_t alignment) noexcept {
        const std::size_t padded = padded_size(bytes, alignment);
        if (padded > largest_) {
            detail::slab_pool::remove_sampled(block);
            return large_.deallocate(block, bytes, *upstream_, pool_.mutex());
        }
        detail::expect_allocated(block, bytes);
        give(block, slab_class::of(padded));
    }

    // Inline even in builds without optimization: Valgrind prints 12 callers, and the program's should be among them.
    template <class Upstream>
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE void* allocate_large(std::size_t bytes, std::size_t alignment,
                                                              Upstream& upstream) {
        void* const block = large_.allocate(bytes, alignment, upstream, pool_.mutex());
        pool_.count_large(block, bytes);
        return block;
    }

    // Returns: a block of the class, when the list of the thread's heap is empty or the heap is not known.
    [[nodiscard]] FREEHOLD_NOINLINE void* find_or_throw(std::size_t block_class, std::size_t bytes) {
        void* const block = find(*upstream_, block_class, bytes);
        if (block == nullptr) [[unlikely]]
            detail::raise<std::bad_alloc>();
        return block;
    }

    // Returns: the same, or null.
    template <class Upstream>
    [[nodiscard]] void* find(Upstream& upstream, std::size_t block_class, std::size_t bytes) {
        detail::thread_heap* const heap = pool_.heap_in_table();
        if (heap != nullptr) [[likely]] {
            if (void* const block = pool_.find_counted(upstream, *heap, block_class, bytes)) return block;
        }
        for (bool is_second = false;; is_second = true) {
            const bool upstream_is_pages = detail::is_memcheck() && upstream_ == &page_cache::shared();
            void* const block =
                pool_.find(upstream, block_class, bytes, upstream_is_pages, is_second || heap != nullptr);
            if (block != nullptr || is_second || upstream_ != &page_cache::shared()) return block;
            // The pool's id takes memory of the system, all of which may be idle in the cache.
            page_cache::shared().trim();
        }
    }

    // Effects: frees a block of another heap, or when the thread's heap is not known.
    FREEHOLD_NOINLINE void send_home(void* block, slab* origin) noexcept {
        if (detail::thread_heap* const heap = pool_.heap_in_table()) [[likely]]
            return pool_.free_remote(*upstream_, *heap, block, origin);
        pool_.send_home(*upstream_, block);
    }

    std::size_t largest_;
    std::size_t largest_fine_ = detail::smaller(largest_, slab_class::largest_fine);
    detail::slab_pool pool_;
    detail::large_blocks large_;
};

}  // namespace freehold
