#pragma once
// pool_resource: size-class free lists over chunks, for one thread. Blocks are freed one by one or all at once.
//
// A request is rounded up to its alignment and to one of 52 sizes: 8 bytes apart up to 256, then four to each doubling,
// up to 8 KiB. Each size has a list of free blocks, last in first out; an empty list is refilled from a slab of 64 KiB
// in the order of addresses. Larger requests go to the upstream one by one.
//
// Memory comes back: a slab whose blocks are all free serves any size, and goes back with its chunk of 1 to 16 slabs.
// Each size keeps its last slab, up to 128 bytes its last four, and the resource one chunk; trim() gives these back.
//
// Thread safety: one thread at a time. Exceptions: allocate passes on what the upstream throws; then nothing has
// changed, and free blocks may still be allocated.
// Complexity: constant; a call that takes a chunk is linear in the free blocks of the slabs that are kept. Cost: no
// header in a block, 128 bytes in a slab, 3.1 KiB in the resource. The chunks double from 64 KiB to 1 MiB; release()
// and the destructor give them back. AddressSanitizer and Valgrind report a use of a free block.

#include <cstddef>
#include <memory_resource>
#include <new>

#include "../core/alignment.hpp"
#include "../core/annotate.hpp"
#include "../core/assert.hpp"
#include "../core/block_arithmetic.hpp"
#include "../core/config.hpp"
#include "../core/memcheck.hpp"
#include "detail/chained_resource.hpp"
#include "detail/end_of_use.hpp"
#include "detail/large_blocks.hpp"
#include "detail/size_class.hpp"
#include "detail/slab.hpp"
#include "detail/slab_heap.hpp"
#include "detail/slab_source.hpp"
#include "detail/slab_walk.hpp"
#include "detail/upstream.hpp"
#include "pool_statistics.hpp"

namespace freehold::inline v0_2 {

class pool_resource final : public detail::slab_resource<pool_resource, detail::slab> {
    friend slab_resource;

public:
    // Effects: takes memory from the default resource if the program has set one, else from the shared page cache.
    pool_resource() noexcept : pool_resource(detail::default_upstream()) {}

    explicit pool_resource(std::pmr::memory_resource* upstream) noexcept
        : pool_resource(std::pmr::pool_options(), upstream) {}

    // Effects: limits chunks to max_blocks_per_chunk blocks; requests larger than largest_required_pool_block go to the
    // upstream. 0 is the default; other values are rounded to what options() returns.
    explicit pool_resource(const std::pmr::pool_options& options,
                           std::pmr::memory_resource* upstream = detail::default_upstream()) noexcept
        : slab_resource(upstream),
          largest_(normalized(options.largest_required_pool_block)),
          most_blocks_(most_blocks(options)),
          heap_(most_blocks_),
          source_(chunk_bytes(options)) {
        if (detail::is_memcheck()) largest_fine_ = 0;
    }

    ~pool_resource() override { give_back(); }

    // As std::pmr::memory_resource::allocate; 0 bytes have an address of their own. Throws: what the upstream throws.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
        void* const block = take(bytes, alignment);
        return block != nullptr ? block : allocate_slowly(bytes, alignment);
    }

    // Returns: the same, or null where allocate throws; without an exception if the upstream is page_cache::shared().
    [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        void* const block = take(bytes, alignment);
        return block != nullptr ? block : try_allocate_slowly(bytes, alignment);
    }

    // As std::pmr::memory_resource::deallocate.
    void deallocate(void* block, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        const std::size_t size = size_class::rounded(detail::with_canary(bytes), alignment);
        if (is_fine(size)) [[likely]] {
            detail::expect_allocated(block, bytes);
            give(block, size_class::of_fine(size));
        } else {
            deallocate_slowly(block, bytes, alignment);
        }
    }

    // Effects: as slab_resource::walk. Sorts the free blocks into their slabs.
    template <class Visit>
    void walk(Visit visit) {
        give_back_idle();
        slab_resource::walk(visit);
    }

    // Effects: frees all blocks and gives all chunks back.
    void release() noexcept {
        give_back();
        heap_.~slab_heap();
        ::new (&heap_) detail::slab_heap<size_class>(most_blocks_);
    }

    // Returns: the options in effect.
    [[nodiscard]] std::pmr::pool_options options() const noexcept {
        std::pmr::pool_options options;
        options.max_blocks_per_chunk = most_blocks_;
        options.largest_required_pool_block = largest_;
        return options;
    }

private:
    using size_class = detail::size_class;

    static constexpr std::size_t blocks_in_slab = detail::slab_bytes / size_class::granularity;
    static constexpr std::size_t slabs_in_chunk = detail::slab_cache::largest_chunk / detail::slab_bytes;

    [[nodiscard]] static std::size_t normalized(std::size_t largest) noexcept {
        if (largest == 0 || largest > size_class::largest) return size_class::largest;
        return size_class::bytes_of(size_class::of(largest));
    }

    [[nodiscard]] static std::size_t most_blocks(const std::pmr::pool_options& options) noexcept {
        constexpr std::size_t most = slabs_in_chunk * blocks_in_slab;
        return options.max_blocks_per_chunk == 0 ? most : detail::smaller(options.max_blocks_per_chunk, most);
    }

    [[nodiscard]] static std::size_t chunk_bytes(const std::pmr::pool_options& options) noexcept {
        if (options.max_blocks_per_chunk == 0) return detail::slab_bytes;
        return detail::larger(most_blocks(options) / blocks_in_slab, std::size_t{1}) * detail::slab_bytes;
    }

    // Returns: whether the size, which may be 0, has one of the fine classes.
    [[nodiscard]] bool is_fine(std::size_t size) const noexcept {
        if (largest_fine_ > size_class::largest_fine) FREEHOLD_UNREACHABLE();  // without this compilers warn
        return size - 1 < largest_fine_;
    }

    // Returns: whether a block of the size is a request of its own. Under memcheck every block is.
    [[nodiscard]] bool is_alone(std::size_t size) const noexcept { return size > largest_ || largest_fine_ == 0; }

    // Returns: a block from the list of its size, if that is fine and the list is not empty; else null.
    [[nodiscard]] void* take(std::size_t bytes, std::size_t alignment) noexcept {
        const std::size_t size = size_class::rounded(detail::with_canary(bytes), alignment);
        if (!is_fine(size)) [[unlikely]]
            return nullptr;
        void* const block = heap_.pop(size_class::of_fine(size));
        if (block != nullptr) [[likely]]
            detail::begin_use<size_class>(block, bytes);
        return block;
    }

    FREEHOLD_NOINLINE void* allocate_slowly(std::size_t bytes, std::size_t alignment) {
        return serve(*upstream_, bytes, alignment);
    }

    FREEHOLD_NOINLINE void* try_allocate_slowly(std::size_t bytes, std::size_t alignment) noexcept {
        detail::quiet_upstream upstream(*upstream_);
        return serve(upstream, bytes, alignment);
    }

    // Returns: a block, or null if the upstream returned null. Throws: what the upstream throws. Inline, so that
    // memcheck shows the user's calls.
    template <class Upstream>
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE void* serve(Upstream& upstream, std::size_t bytes, std::size_t alignment) {
        const std::size_t size = detail::larger(size_class::rounded(detail::with_canary(bytes), alignment), alignment);
        if (is_alone(size) || size < bytes) return large_.allocate(bytes, alignment, upstream);
        const std::size_t index = size_class::of(size);
        void* block = heap_.find(index);
        while (block == nullptr) {
            detail::slab* taken = find_slab();
            if (taken == nullptr) taken = source_.take(upstream);
            if (taken == nullptr) return nullptr;
            block = heap_.find(index);  // the upstream may have used this resource in turn
            if (block != nullptr) {
                source_.give_back(*upstream_, taken);
                break;
            }
            heap_.open(taken, index);
            block = heap_.find(index);
        }
        detail::begin_use<size_class>(block, bytes);
        return block;
    }

    FREEHOLD_NOINLINE void deallocate_slowly(void* block, std::size_t bytes, std::size_t alignment) noexcept {
        const std::size_t size = detail::larger(size_class::rounded(detail::with_canary(bytes), alignment), alignment);
        if (is_alone(size)) {
            large_.deallocate(block, bytes, *upstream_);
        } else {
            detail::expect_allocated(block, bytes);
            give(block, size_class::of(size));
        }
    }

    void give(void* block, std::size_t index) noexcept {
        detail::slab* const origin = detail::slab::of(block);
        if (!detail::end_use<size_class>(block)) return;
        FREEHOLD_HEAP_EXPECTS(origin->block_class == index, detail::freed_otherwise, "freehold::pool_resource");
        const std::size_t block_bytes = size_class::bytes_of(index);
        FREEHOLD_EXPECTS(!(detail::is_marked_freed(block, block_bytes) && heap_.has_free(block, nullptr)),
                         "a block is freed twice", "freehold::pool_resource");
        detail::mark_freed(block, block_bytes);
        if (origin->is_current_of(&heap_)) [[likely]]
            return heap_.push(block, index);
        origin->expect_genuine();
        if (origin->push(block)) [[unlikely]]
            finish_free(origin);
    }

    FREEHOLD_NOINLINE void finish_free(detail::slab* counted) noexcept {
        heap_.requeue(counted);
        give_back_empty();
    }

    // Returns: a spare slab, or null. Before the pool grows, it looks through the slabs that sizes used last.
    [[nodiscard]] detail::slab* find_slab() noexcept {
        if (detail::slab* const spare = source_.take_spare()) return spare;
        if (heap_.is_worth_sorting()) give_back_idle();
        if (detail::slab* const taken = source_.try_take(*upstream_)) return taken;
        give_back_idle();
        return source_.take_spare();
    }

    // Effects: makes all slabs spare of which no block is in use.
    void give_back_idle() noexcept {
        heap_.put_all_aside(nullptr, [](void*) {});  // there are no blocks of other heaps
        give_back_empty();
    }

    void give_back_empty() noexcept {
        while (detail::slab* const empty = heap_.pop_empty()) source_.give_back(*upstream_, empty);
    }

    void tally(const detail::slab& counted, pool_statistics& found) const noexcept { heap_.tally(counted, found); }

    template <class Visit>
    void visit_slab(detail::slab& visited, Visit& visit) {
        detail::slab_walk<size_class>(visited, most_blocks_).visit_blocks_in_use(visit);
    }

    void give_back() noexcept {
        large_.release(*upstream_);
        source_.release(*upstream_);
    }

    std::size_t largest_;
    std::size_t most_blocks_;
    std::size_t largest_fine_ = detail::smaller(largest_, size_class::largest_fine);  // 0 under memcheck
    detail::slab_heap<size_class> heap_;
    detail::slab_source<detail::slab> source_;
    detail::large_blocks large_;
};

}  // namespace freehold
