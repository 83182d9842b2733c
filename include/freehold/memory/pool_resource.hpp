#pragma once
// pool_resource: size-class free lists over chunks, for one thread. Blocks are freed one by one or all at once.
//
// A request is rounded up to its alignment and to one of 64 sizes: 8 bytes apart up to 256, then four to each
// doubling. Each size has a list of free blocks, last in first out; an empty list is refilled from a chunk in the order
// of addresses. Requests larger than the largest size go to the upstream one by one.
//
// Thread safety: one thread at a time. Exceptions: allocate passes on what the upstream throws; then nothing has
// changed, and free blocks may still be allocated.
// Complexity: constant. Cost: no header in a block, 32 bytes in a chunk; the resource itself has 2 KiB. The
// chunks of a size double from 4 KiB to 4 MiB, so that it takes at most about twice what it uses. release() and the
// destructor give them back. AddressSanitizer and Valgrind report a use of a free block.

#include <cstddef>
#include <memory_resource>

#include "../core/alignment.hpp"
#include "../core/annotate.hpp"
#include "../core/block_arithmetic.hpp"
#include "../core/memcheck.hpp"
#include "detail/chained_resource.hpp"
#include "detail/chunk.hpp"
#include "detail/large_blocks.hpp"
#include "detail/size_class.hpp"
#include "page_cache.hpp"

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
        : chained_resource(upstream) {
        using detail::size_class;
        if (options.max_blocks_per_chunk != 0) max_blocks_ = detail::min(options.max_blocks_per_chunk, max_blocks_);
        if (options.largest_required_pool_block != 0) {
            const std::size_t largest = detail::min(options.largest_required_pool_block, size_class::largest);
            largest_ = size_class::bytes_of(size_class::of(largest));
            largest_fine_ = detail::min(largest_, size_class::largest_fine);
        }
        if (detail::is_memcheck()) largest_fine_ = 0;
    }

    pool_resource(const pool_resource&) = delete;
    pool_resource& operator=(const pool_resource&) = delete;

    ~pool_resource() override { give_back(); }

    // Returns: `bytes` bytes aligned to `alignment`. The address is unique even if `bytes` is 0.
    // Requires: `alignment` is a power of two.
    // Throws: what the upstream throws.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
        const std::size_t size = detail::size_class::rounded(bytes, alignment);
        if (is_fine(size)) [[likely]] {
            detail::free_list& list = free_[detail::size_class::of_fine(size)];
            if (!list.empty()) [[likely]] {
                void* const block = list.pop();
                detail::annotate_allocated(block, bytes);
                return block;
            }
        }
        return allocate_slowly(bytes, alignment);
    }

    // Effects: makes the block available again.
    // Requires: allocate(bytes, alignment) returned `block`, and it was not freed since.
    void deallocate(void* block, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        const std::size_t size = detail::size_class::rounded(bytes, alignment);
        if (is_fine(size)) [[likely]] {
            free_[detail::size_class::of_fine(size)].push(block, size);
        } else {
            deallocate_slowly(block, bytes, alignment);
        }
    }

    // Effects: frees all blocks and gives all chunks back.
    void release() noexcept {
        give_back();
        for (detail::free_list& each : free_) each = {};
        for (bump_range& each : uncut_) each = {};
    }

    // Returns: the options in effect.
    [[nodiscard]] std::pmr::pool_options options() const noexcept {
        std::pmr::pool_options options;
        options.max_blocks_per_chunk = max_blocks_;
        options.largest_required_pool_block = largest_;
        return options;
    }

private:
    static constexpr std::size_t first_chunk = 4096;  // bytes, including its record
    static constexpr std::size_t largest_chunk = std::size_t{4} * 1024 * 1024;
    static constexpr std::size_t max_cut = 32;  // blocks: few enough to be used before they leave the cache

    // The part of a class's newest chunk that was never handed out.
    struct bump_range {
        std::byte* begin = nullptr;
        std::size_t blocks = 0;
        std::size_t chunk_bytes = first_chunk;  // of the next chunk
    };

    // Returns: whether the size, which may be 0, has one of the fine classes.
    [[nodiscard]] bool is_fine(std::size_t size) const noexcept {
        if (largest_fine_ > detail::size_class::largest_fine) __builtin_unreachable();  // without this compilers warn
        return size - 1 < largest_fine_;
    }

    // Returns: whether a block of the size is a request of its own. Under memcheck every block is.
    [[nodiscard]] bool is_alone(std::size_t size) const noexcept { return size > largest_ || largest_fine_ == 0; }

    [[gnu::noinline]] void* allocate_slowly(std::size_t bytes, std::size_t alignment) {
        const std::size_t size = detail::max(detail::size_class::rounded(bytes, alignment), alignment);
        if (is_alone(size) || size < bytes) return large_.allocate(*upstream_, bytes, alignment);
        const std::size_t index = detail::size_class::of(size);
        if (free_[index].empty()) cut(index);
        void* const block = free_[index].pop();
        detail::annotate_allocated(block, bytes);
        return block;
    }

    [[gnu::noinline]] void deallocate_slowly(void* block, std::size_t bytes, std::size_t alignment) noexcept {
        const std::size_t size = detail::max(detail::size_class::rounded(bytes, alignment), alignment);
        if (is_alone(size)) {
            large_.deallocate(*upstream_, block, bytes);
        } else {
            const std::size_t index = detail::size_class::of(size);
            free_[index].push(block, detail::size_class::bytes_of(index));
        }
    }

    // Effects: fills the empty list of the class from its bump range, the lowest address first.
    void cut(std::size_t index) {
        const std::size_t bytes = detail::size_class::bytes_of(index);
        bump_range& from = uncut_[index];
        if (from.blocks == 0) replenish(from, bytes);
        const std::size_t blocks =
            detail::min(from.blocks, detail::clamp(first_chunk / bytes, std::size_t{1}, max_cut));
        std::byte* const begin = from.begin;
        from.begin += blocks * bytes;
        from.blocks -= blocks;
        for (std::size_t i = blocks; i > 0; --i) free_[index].push(begin + (i - 1) * bytes, bytes);
    }

    void replenish(bump_range& to, std::size_t bytes) {
        const std::size_t fitting = (to.chunk_bytes - sizeof(detail::chunk)) / bytes;
        const std::size_t blocks = detail::clamp(fitting, std::size_t{1}, max_blocks_);
        // The largest alignment that a request of this size may have.
        const std::size_t alignment = detail::max(detail::alignment_of_blocks(bytes), detail::chunk_alignment);
        detail::chunk* const chunk = detail::allocate_chunk(*upstream_, blocks * bytes, alignment);
        chunks_.push(chunk);
        to = {chunk->begin(), blocks, detail::min(2 * to.chunk_bytes, largest_chunk)};
    }

    void give_back() noexcept {
        large_.release(*upstream_);
        chunks_.release(*upstream_);
    }

    std::size_t largest_fine_ = detail::size_class::largest_fine;  // 0 under memcheck
    detail::free_list free_[detail::size_class::count];
    bump_range uncut_[detail::size_class::count];
    detail::chunk_list chunks_;
    detail::large_blocks large_;
    std::size_t largest_ = std::size_t{16} * 1024;
    std::size_t max_blocks_ = largest_chunk / detail::free_list::granularity;
};

}  // namespace freehold
