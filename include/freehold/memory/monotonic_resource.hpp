#pragma once
// monotonic_resource: a bump allocator, whose memory is given back all at once.
//
// Blocks are cut one after the other from a buffer of the caller's, then from chunks of growing size. deallocate does
// nothing. unwind(marker) frees the blocks allocated since the marker, rewind() all; both keep the chunks. release()
// gives them back. A request larger than the next chunk goes to the upstream by itself; the current chunk stays in use.
//
// Thread safety: one thread at a time. Exceptions: allocate passes on what the upstream throws; then nothing has
// changed, and smaller requests may still be served.
// Complexity: constant, plus a search among the kept chunks when the current one is used up.
// Cost: no header in a block; 32 bytes in a chunk. AddressSanitizer and Valgrind report a use of freed memory; Valgrind
// not in a buffer of the caller's.

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>

#include "../core/alignment.hpp"
#include "../core/annotate.hpp"
#include "../core/assert.hpp"
#include "../core/config.hpp"
#include "../core/memcheck.hpp"
#include "detail/chained_resource.hpp"
#include "detail/chunk.hpp"
#include "detail/large_blocks.hpp"
#include "detail/upstream.hpp"

namespace freehold::inline v0_2 {

// How the chunks of a monotonic_resource grow: each is `factor` times as large as the one before, up to the largest. By
// default they take, with their records, 1 KiB to slightly less than 4 MiB.
struct monotonic_growth {
    std::size_t first_chunk = 992;  // bytes
    std::size_t factor = 2;
    std::size_t largest_chunk = std::size_t{992} << 12;
};

class monotonic_resource final : public detail::chained_resource<monotonic_resource> {
public:
    // A point in the sequence of allocations, for unwind.
    class marker {
        friend monotonic_resource;

        marker(detail::chunk* newest, std::size_t large_blocks, std::byte* cursor) noexcept
            : newest_(newest), large_blocks_(large_blocks), cursor_(cursor) {}

        detail::chunk* newest_;
        std::size_t large_blocks_;
        std::byte* cursor_;
    };

    // Its destructor unwinds to the point of its construction.
    class scope {
    public:
        explicit scope(monotonic_resource& resource) noexcept : resource_(resource), begin_(resource.mark()) {}
        scope(const scope&) = delete;
        scope& operator=(const scope&) = delete;
        ~scope() { resource_.unwind(begin_); }

    private:
        monotonic_resource& resource_;
        marker begin_;
    };

    // Effects: takes memory from the default resource if the program has set one, else from the shared page cache.
    monotonic_resource() noexcept : monotonic_resource(monotonic_growth()) {}

    explicit monotonic_resource(std::pmr::memory_resource* upstream) noexcept
        : monotonic_resource(monotonic_growth(), upstream) {}

    // Effects: makes the first chunk `first_chunk` bytes long.
    explicit monotonic_resource(std::size_t first_chunk,
                                std::pmr::memory_resource* upstream = detail::default_upstream()) noexcept
        : monotonic_resource(monotonic_growth{.first_chunk = first_chunk}, upstream) {}

    explicit monotonic_resource(monotonic_growth growth,
                                std::pmr::memory_resource* upstream = detail::default_upstream()) noexcept
        : monotonic_resource(nullptr, 0, growth, upstream) {}

    // Effects: cuts the first blocks from the buffer, which must outlive them. Chunks are larger than the buffer.
    monotonic_resource(void* buffer, std::size_t bytes,
                       std::pmr::memory_resource* upstream = detail::default_upstream()) noexcept
        : monotonic_resource(buffer, bytes, growth_after(bytes), upstream) {}

    monotonic_resource(void* buffer, std::size_t bytes, monotonic_growth growth,
                       std::pmr::memory_resource* upstream) noexcept
        : chained_resource(upstream),
          cursor_(static_cast<std::byte*>(buffer)),
          end_(cursor_ + bytes),
          buffer_(cursor_),
          buffer_end_(end_),
          growth_(growth),
          next_chunk_(growth.first_chunk) {
        FREEHOLD_EXPECTS(growth.first_chunk > 0, "the first chunk has no bytes", "freehold::monotonic_resource");
        FREEHOLD_EXPECTS(growth.factor > 0, "chunks grow by a factor of 0", "freehold::monotonic_resource");
        detail::annotate_free(buffer_, bytes);
    }

    ~monotonic_resource() override {
        release();
        detail::annotate_allocated(buffer_, bytes_between(buffer_, buffer_end_));
    }

    // As std::pmr::memory_resource::allocate; 0 bytes have an address of their own. Throws: what the upstream throws.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
        bytes += bytes == 0;
        const std::size_t padding = padding_for(alignment);
        const std::size_t left = bytes_between(cursor_, end_);
        if (padding > left || bytes > left - padding) [[unlikely]]
            return allocate_from_another_chunk(bytes, alignment);
        return cut(padding, bytes);
    }

    // Effects: none, except that AddressSanitizer and Valgrind report a use of the block.
    // Requires: allocate(bytes, alignment) returned `block`, and it was not freed since.
    static void deallocate(void* block, std::size_t bytes, std::size_t = alignof(std::max_align_t)) noexcept {
        detail::annotate_free(block, bytes);
        detail::tell_fast_free(block, bytes);
    }

    [[nodiscard]] marker mark() const noexcept { return {chunks_.newest(), large_.count(), cursor_}; }

    // Effects: frees all blocks that were allocated since the marker. Keeps their chunks; gives large requests back.
    // Requires: the marker is of this resource, which was not unwound to an earlier marker, rewound or released since.
    // Complexity: linear in the number of chunks that were taken since.
    void unwind(marker begin) noexcept {
        while (chunks_.newest() != begin.newest_) {
            FREEHOLD_EXPECTS(chunks_.newest() != nullptr,
                             "the marker is of another resource, or later than a rewind or release",
                             "freehold::monotonic_resource");
            detail::chunk* const kept = chunks_.remove(chunks_.newest());
            detail::annotate_free(kept->begin(), kept->capacity);
            spare_chunks_.push(kept);
        }
        FREEHOLD_EXPECTS(large_.count() >= begin.large_blocks_,
                         "the marker is of another resource, or later than a rewind or release",
                         "freehold::monotonic_resource");
        while (large_.count() > begin.large_blocks_) {
            if (watched_ != nullptr) watched_ = *static_cast<void**>(watched_);
            large_.pop(*upstream_);
        }
        cursor_ = begin.cursor_;
        end_ = begin.newest_ != nullptr ? begin.newest_->end() : buffer_end_;
        detail::tell_allocated(cursor_, bytes_between(cursor_, end_));  // memcheck does not see blocks in a buffer
        detail::annotate_free(cursor_, bytes_between(cursor_, end_));
    }

    // Effects: frees all blocks. Keeps the chunks, except those of large requests, which it gives back.
    void rewind() noexcept { unwind({nullptr, 0, buffer_}); }

    // Effects: frees all blocks and gives all chunks back. The next chunks start small again.
    void release() noexcept {
        rewind();
        spare_chunks_.release(*upstream_);
        next_chunk_ = growth_.first_chunk;
    }

private:
    [[nodiscard]] static std::size_t bytes_between(const std::byte* begin, const std::byte* end) noexcept {
        return static_cast<std::size_t>(end - begin);
    }

    // Returns: the default growth, where the first chunk has twice the size of the buffer.
    [[nodiscard]] static monotonic_growth growth_after(std::size_t buffer_bytes) noexcept {
        monotonic_growth growth;
        growth.first_chunk = detail::clamp(buffer_bytes, growth.first_chunk / 2, growth.largest_chunk / 2) * 2;
        return growth;
    }

    // Returns: the bytes from the cursor to the next place with the alignment.
    [[nodiscard]] std::size_t padding_for(std::size_t alignment) const noexcept {
        return (0 - reinterpret_cast<std::uintptr_t>(cursor_)) & (alignment - 1);
    }

    // Returns: the block. Requires: padding + bytes are left.
    void* cut(std::size_t padding, std::size_t bytes) noexcept {
        std::byte* const block = cursor_ + padding;
        cursor_ = block + bytes;
        detail::annotate_allocated(block, bytes);
        return block;
    }

    FREEHOLD_NOINLINE void* allocate_from_another_chunk(std::size_t bytes, std::size_t alignment) {
        detail::expect_representable(*upstream_, bytes, alignment);
        if (detail::is_memcheck()) return allocate_watched(bytes, alignment);
        const std::size_t boundary = detail::larger(alignment, detail::usual_alignment);
        const std::size_t needed = bytes + boundary - detail::usual_alignment;
        detail::chunk* chunk = spare_chunks_.take(needed);
        if (chunk == nullptr && needed > next_chunk_) {
            return large_.allocate(bytes, alignment, *upstream_);
        }
        if (chunk == nullptr) {
            chunk = detail::allocate_chunk(*upstream_, next_chunk_);
            next_chunk_ = next_chunk_ > growth_.largest_chunk / growth_.factor ? growth_.largest_chunk
                                                                               : next_chunk_ * growth_.factor;
        }
        chunks_.push(chunk);
        cursor_ = chunk->begin();
        end_ = chunk->end();
        return cut(padding_for(alignment), bytes);
    }

    // Returns: a block that is a request of its own, so that memcheck sees it. Its memory begins with the address of
    // the previous block: blocks that are not freed one by one are no leak while the resource exists.
    void* allocate_watched(std::size_t bytes, std::size_t alignment) {
        const std::size_t before = detail::larger(alignment, detail::usual_alignment);
        void* const memory = large_.allocate(before + bytes, alignment, *upstream_);
        auto* const link = ::new (memory) void*(watched_);
        watched_ = memory;
        detail::tell_free(link + 1, before - sizeof(*link));
        return static_cast<std::byte*>(memory) + before;
    }

    std::byte* cursor_;
    std::byte* end_;
    detail::chunk_list chunks_;        // the newest is the current one; none while the buffer is
    detail::chunk_list spare_chunks_;  // unwinding reverses their order: the newest is the smallest
    std::byte* buffer_;
    std::byte* buffer_end_;
    monotonic_growth growth_;
    std::size_t next_chunk_;
    detail::large_blocks large_;  // larger than a chunk; under memcheck all
    void* watched_ = nullptr;     // the memory of the newest block, under memcheck
};

}  // namespace freehold
