#pragma once
// pool_resource: size-class free lists over chunks, for one thread. Blocks are freed one by one or all at once.
//
// A request is rounded up to its alignment and to one of 52 sizes: 8 bytes apart up to 256, then four to each doubling,
// up to 8 KiB. Each size has a list of free blocks, last in first out; an empty list is refilled from a slab of 64 KiB
// in the order of addresses. Larger requests go to the upstream one by one.
//
// Memory comes back: a slab whose blocks are all free serves any size, and goes back with its chunk of 1 to 16 slabs.
// The slab that a size used last is kept, for blocks of up to 128 bytes the last four, and one chunk; trim() gives all
// back that is not in use.
//
// Thread safety: one thread at a time. Exceptions: allocate passes on what the upstream throws; then nothing has
// changed, and free blocks may still be allocated.
// Complexity: constant; a call that takes a chunk from the upstream is linear in the free blocks of the slabs that are
// kept. Cost: no header in a block, 128 bytes in a slab; the resource itself has 3.1 KiB. The chunks
// double from 64 KiB to 1 MiB. release() and the destructor give them back. AddressSanitizer and Valgrind report a use
// of a free block.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <new>

#include "../core/alignment.hpp"
#include "../core/annotate.hpp"
#include "../core/assert.hpp"
#include "../core/block_arithmetic.hpp"
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

namespace freehold {

class pool_resource final : public detail::chained_resource<pool_resource> {
public:
    // Effects: takes memory from the default resource if the program has set one, else from the shared page cache.
    pool_resource() noexcept : pool_resource(detail::default_upstream()) {}

    explicit pool_resource(std::pmr::memory_resource* upstream) noexcept
        : pool_resource(std::pmr::pool_options(), upstream) {}

    // Effects: limits chunks to max_blocks_per_chunk blocks; requests larger than largest_required_pool_block go to the
    // upstream. 0 is the default; other values are rounded to what options() returns.
    explicit pool_resource(const std::pmr::pool_options& options,
                           std::pmr::memory_resource* upstream = detail::default_upstream()) noexcept
        : chained_resource(upstream),
          largest_(normalized(options.largest_required_pool_block)),
          most_blocks_(most_blocks(options)),
          heap_(most_blocks_),
          slabs_(chunk_bytes(options)) {
        if (detail::is_memcheck()) largest_fine_ = 0;
    }

    pool_resource(const pool_resource&) = delete;
    pool_resource& operator=(const pool_resource&) = delete;

    ~pool_resource() override { give_back(); }

    // Returns: `bytes` bytes aligned to `alignment`. The address is unique even if `bytes` is 0.
    // Requires: `alignment` is a power of two.
    // Throws: what the upstream throws.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
        const std::size_t size = size_class::rounded(bytes, alignment);
        if (is_fine(size)) [[likely]] {
            if (void* const block = heap_.pop(size_class::of_fine(size))) [[likely]] {
                detail::annotate_allocated(block, bytes);
                detail::unmark_freed(block, bytes);
                return block;
            }
        }
        return allocate_slowly(bytes, alignment);
    }

    // Returns: the same, or null where allocate throws; without an exception if the upstream is page_cache::shared().
    [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        const std::size_t size = size_class::rounded(bytes, alignment);
        if (is_fine(size)) [[likely]] {
            if (void* const block = heap_.pop(size_class::of_fine(size))) [[likely]] {
                detail::annotate_allocated(block, bytes);
                detail::unmark_freed(block, bytes);
                return block;
            }
        }
        return try_allocate_slowly(bytes, alignment);
    }

    // Effects: makes the block available again.
    // Requires: allocate(bytes, alignment) returned `block`, and it was not freed since.
    void deallocate(void* block, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        const std::size_t size = size_class::rounded(bytes, alignment);
        if (is_fine(size)) [[likely]] {
            detail::expect_allocated(block, bytes);
            give(block, size_class::of_fine(size));
        } else {
            deallocate_slowly(block, bytes, alignment);
        }
    }

    // Effects: gives the upstream all memory that is not in use, and trims it if it is page_cache::shared().
    // Complexity: linear in the free blocks.
    void trim() noexcept {
        reclaim();
        slabs_.trim(*upstream_);
        detail::trim_shared_cache(upstream_);
    }

    // Returns: where the memory is. Under memcheck blocks are not counted, except large ones.
    // Complexity: linear in the slabs, and in the free blocks of those that sizes used last.
    [[nodiscard]] pool_statistics statistics() const noexcept {
        pool_statistics found = slabs_.statistics(large_);
        slabs_.cache().visit_taken([&](const detail::slab& each) {
            if (found.is_counted) heap_.tally(each, found);
        });
        return found;
    }

    // Effects: calls visit(block, bytes) for each block in use, where `bytes` is the size of its class, or what was
    // asked for if that is more than largest_required_pool_block. Under memcheck only these are visited. Requires:
    // `visit` does not use the resource. Throws: what `visit` throws. Complexity: linear in the blocks.
    template <class Visit>
    void walk(Visit visit) {
        if (!detail::is_memcheck()) {
            reclaim();
            slabs_.cache().visit_taken(
                [&](detail::slab& each) { detail::slab_walk<size_class>(each).visit_blocks_in_use(visit); });
        }
        large_.visit(visit);
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

    static constexpr std::size_t blocks_in_slab = detail::slab_bytes / detail::free_list::granularity;
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
        return detail::larger(most_blocks(options) / blocks_in_slab, std::size_t{1}) * detail::slab_bytes;
    }

    // Returns: whether the size, which may be 0, has one of the fine classes.
    [[nodiscard]] bool is_fine(std::size_t size) const noexcept {
        if (largest_fine_ > size_class::largest_fine) __builtin_unreachable();  // without this compilers warn
        return size - 1 < largest_fine_;
    }

    // Returns: whether a block of the size is a request of its own. Under memcheck every block is.
    [[nodiscard]] bool is_alone(std::size_t size) const noexcept { return size > largest_ || largest_fine_ == 0; }

    [[gnu::noinline]] void* allocate_slowly(std::size_t bytes, std::size_t alignment) {
        return serve(*upstream_, bytes, alignment);
    }

    [[gnu::noinline]] void* try_allocate_slowly(std::size_t bytes, std::size_t alignment) noexcept {
        detail::quiet_upstream upstream(*upstream_);
        return serve(upstream, bytes, alignment);
    }

    // Returns: a block, or null if the upstream returned null. Throws: what the upstream throws. Inline, so that
    // memcheck shows the user's calls.
    template <class Upstream>
    [[nodiscard, gnu::always_inline]] void* serve(Upstream& upstream, std::size_t bytes, std::size_t alignment) {
        const std::size_t size = detail::larger(size_class::rounded(bytes, alignment), alignment);
        if (is_alone(size) || size < bytes) return large_.allocate(upstream, bytes, alignment);
        const std::size_t index = size_class::of(size);
        void* block = heap_.find(index);
        while (block == nullptr) {
            detail::slab* const taken = take_slab(upstream);
            if (taken == nullptr) return nullptr;
            block = heap_.find(index);  // the upstream may have used this resource in turn
            if (block != nullptr) {
                slabs_.give_back(*upstream_, taken);
                break;
            }
            heap_.open(taken, index);
            block = heap_.find(index);
        }
        detail::annotate_allocated(block, bytes);
        detail::unmark_freed(block, bytes);
        return block;
    }

    [[gnu::noinline]] void deallocate_slowly(void* block, std::size_t bytes, std::size_t alignment) noexcept {
        const std::size_t size = detail::larger(size_class::rounded(bytes, alignment), alignment);
        if (is_alone(size)) {
            large_.deallocate(*upstream_, block, bytes);
        } else {
            detail::expect_allocated(block, bytes);
            give(block, size_class::of(size));
        }
    }

    void give(void* block, std::size_t index) noexcept {
        detail::slab* const origin = detail::slab::of(block);
        if (!detail::end_use<size_class>(block)) return;
        FREEHOLD_HEAP_EXPECTS(
            origin->block_class == index,
            "a block is freed with another size or alignment than it was allocated with, or comes from "
            "another resource",
            "freehold::pool_resource");
        const std::size_t block_bytes = size_class::bytes_of(index);
        FREEHOLD_EXPECTS(!(detail::is_marked_freed(block, block_bytes) && heap_.has_free(block, nullptr)),
                         "a block is freed twice", "freehold::pool_resource");
        detail::mark_freed(block, block_bytes);
        detail::annotate_free(block, block_bytes);
        if (origin->is_current_of(&heap_)) [[likely]]
            return heap_.push(block, index);
        origin->expect_genuine();
        if (origin->push(block)) [[unlikely]]
            finish_free(origin);
    }

    [[gnu::noinline]] void finish_free(detail::slab* counted) noexcept {
        heap_.requeue(counted);
        give_back_empty();
    }

    // Returns: a slab that is in use nowhere, or null. Before the pool grows, the slabs that sizes used last are looked
    // through.
    [[nodiscard]] detail::slab* take_slab(detail::quiet_upstream& upstream) noexcept {
        if (detail::slab* const spare = slabs_.take_spare()) return spare;
        if (heap_.is_worth_sorting()) reclaim();
        if (detail::slab* const taken = slabs_.try_take(upstream)) return taken;
        reclaim();
        return slabs_.take_spare();
    }

    // Returns: the same, but never null. Throws: what the upstream throws.
    [[nodiscard]] detail::slab* take_slab(std::pmr::memory_resource& upstream) {
        detail::quiet_upstream quiet(upstream);
        detail::slab* const found = take_slab(quiet);
        return found != nullptr ? found : slabs_.take(upstream);
    }

    // Effects: makes all slabs spare of which no block is in use.
    void reclaim() noexcept {
        heap_.put_all_aside([](void*) {});  // there are no blocks of other heaps
        give_back_empty();
    }

    void give_back_empty() noexcept {
        while (detail::slab* const empty = heap_.pop_empty()) slabs_.give_back(*upstream_, empty);
    }

    void give_back() noexcept {
        large_.release(*upstream_);
        slabs_.release(*upstream_);
    }

    std::size_t largest_;
    std::size_t most_blocks_;
    std::size_t largest_fine_ = detail::smaller(largest_, size_class::largest_fine);  // 0 under memcheck
    detail::slab_heap<size_class> heap_;
    detail::slab_source<detail::slab> slabs_;
    detail::large_blocks large_;
};

}  // namespace freehold
