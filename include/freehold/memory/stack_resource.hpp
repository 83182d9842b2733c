#pragma once
// stack_resource: blocks are freed in the reverse order of their allocation, and their memory is reused at once.
//
// For memory with the lifetime of local variables: buffers, arrays, containers of a known size. A container that grows,
// or frees its nodes from the front, violates the order; builds with checked preconditions check it.
//
// Thread safety: one thread at a time. Exceptions: allocate passes on what the upstream throws; then nothing has
// changed, and smaller requests may still be served.
// Complexity: constant, plus a search among the kept chunks when the current one is used up.
// Cost: no header in a block, except one of 16 bytes if its alignment is above 16; blocks are multiples of 16 bytes. 48
// bytes in a chunk. Chunks double in size, from 4 KiB to 4 MiB, and are kept until release(). AddressSanitizer and
// Valgrind report a use of a freed block; Valgrind not in a buffer of the caller's.

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
#include "detail/upstream.hpp"

namespace freehold::inline v0_2 {

class stack_resource final : public detail::chained_resource<stack_resource> {
public:
    // Effects: takes memory from the default resource if the program has set one, else from the shared page cache.
    stack_resource() noexcept : stack_resource(detail::default_upstream()) {}

    explicit stack_resource(std::pmr::memory_resource* upstream) noexcept : stack_resource(nullptr, 0, upstream) {}

    // Effects: cuts the first blocks from the buffer, which must outlive them.
    stack_resource(void* buffer, std::size_t bytes,
                   std::pmr::memory_resource* upstream = detail::default_upstream()) noexcept
        : chained_resource(upstream), buffer_(static_cast<std::byte*>(buffer)), buffer_bytes_(bytes) {
        detail::annotate_free(buffer_, buffer_bytes_);
        enter_buffer();
    }

    ~stack_resource() override {
        release();
        detail::annotate_allocated(buffer_, buffer_bytes_);
    }

    // As std::pmr::memory_resource::allocate; 0 bytes have an address of their own. Throws: what the upstream throws.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
        if (alignment > granularity) [[unlikely]]
            return allocate_aligned(bytes, alignment);
        bytes += bytes == 0;
        if (bytes > left()) [[unlikely]]
            enter_another_chunk(bytes);
        return cut(bytes);
    }

    // Effects: frees the block.
    // Requires: allocate(bytes, alignment) returned `block`, and all blocks allocated since are freed.
    void deallocate(void* block, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        auto* begin = static_cast<std::byte*>(block);
        bytes += bytes == 0;
        FREEHOLD_EXPECTS(begin + rounded(bytes) == cursor_,
                         "a block is freed that is not the newest, or with another size", "freehold::stack_resource");
        if (alignment > granularity) [[unlikely]]
            begin = std::launder(reinterpret_cast<place*>(begin - sizeof(place)))->cursor;
        detail::annotate_free(begin, static_cast<std::size_t>(cursor_ - begin));
        cursor_ = begin;
        if (cursor_ == floor_) [[unlikely]]
            leave_chunk();
    }

    // Effects: frees all blocks and gives all chunks back.
    void release() noexcept {
        chunks_.release(*upstream_);
        spare_chunks_.release(*upstream_);
        next_chunk_ = first_chunk;
        detail::annotate_free(buffer_, buffer_bytes_);
        enter_buffer();
    }

private:
    static constexpr std::size_t granularity = 16;
    static constexpr std::size_t first_chunk = 4096 - sizeof(detail::chunk);  // with its record, 4 KiB

    static constexpr std::size_t largest_chunk = first_chunk << 10;

    // At the beginning of a chunk: the cursor of the previous one. Before an aligned block: that before its padding.
    struct alignas(granularity) place {
        std::byte* cursor;
        std::byte* end;
    };

    [[nodiscard]] static std::size_t rounded(std::size_t bytes) noexcept {
        return (bytes + granularity - 1) & ~(granularity - 1);
    }

    [[nodiscard]] static std::size_t padding(const std::byte* place, std::size_t alignment) noexcept {
        return (0 - reinterpret_cast<std::uintptr_t>(place)) & (alignment - 1);
    }

    // Returns: a multiple of the granularity.
    [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(end_ - cursor_); }

    // Requires: 0 < bytes <= left().
    void* cut(std::size_t bytes) noexcept {
        std::byte* const block = cursor_;
        cursor_ += rounded(bytes);
        detail::annotate_allocated(block, bytes);
        return block;
    }

    FREEHOLD_NOINLINE void* allocate_aligned(std::size_t bytes, std::size_t alignment) {
        bytes += bytes == 0;
        // Enough for the saved cursor, the padding and the block, at any address.
        detail::expect_representable(*upstream_, bytes, alignment);
        const std::size_t needed = bytes + alignment;
        if (needed > left()) enter_another_chunk(needed);
        std::byte* const before = cursor_;
        cursor_ += sizeof(place) + padding(cursor_ + sizeof(place), alignment);
        detail::annotate_allocated(cursor_ - sizeof(place), sizeof(place));
        ::new (cursor_ - sizeof(place)) place{before, end_};
        return cut(bytes);
    }

    void enter_buffer() noexcept {
        const std::size_t skipped = detail::smaller(padding(buffer_, granularity), buffer_bytes_);
        cursor_ = buffer_ + skipped;
        end_ = cursor_ + (buffer_bytes_ - skipped) / granularity * granularity;
        floor_ = nullptr;
    }

    // Effects: continues in a chunk that has room for `bytes`; under memcheck in one of its own.
    FREEHOLD_NOINLINE void enter_another_chunk(std::size_t bytes) {
        detail::expect_representable(*upstream_, bytes, sizeof(place) + granularity);
        const bool is_alone = detail::is_memcheck();
        const std::size_t needed = rounded(bytes) + sizeof(place);
        detail::chunk* chunk = spare_chunks_.take(needed);
        if (chunk == nullptr) {
            chunk = detail::allocate_chunk(*upstream_,
                                           is_alone ? needed + granularity : detail::larger(needed, next_chunk_));
            next_chunk_ = detail::smaller(2 * next_chunk_, largest_chunk);
        }
        detail::tell_allocated(chunk->begin(), sizeof(place) + (is_alone ? bytes : 0));
        chunks_.push(chunk);
        ::new (chunk->begin()) place{cursor_, end_};
        cursor_ = floor_ = chunk->begin() + sizeof(place);
        end_ = chunk->begin() + (is_alone ? needed : chunk->capacity / granularity * granularity);
    }

    // Effects: goes back to the cursor of the previous chunk, and keeps this one. Requires: it is empty.
    FREEHOLD_NOINLINE void leave_chunk() noexcept {
        detail::chunk* const empty = chunks_.remove(chunks_.newest());
        const place before = *std::launder(reinterpret_cast<place*>(empty->begin()));
        detail::annotate_free(empty->begin(), sizeof(place));
        spare_chunks_.push(empty);
        cursor_ = before.cursor;
        end_ = before.end;
        floor_ = chunks_.newest() != nullptr ? chunks_.newest()->begin() + sizeof(place) : nullptr;
        if (detail::is_memcheck()) [[unlikely]]
            spare_chunks_.release(*upstream_);
    }

    std::byte* cursor_ = nullptr;
    std::byte* end_ = nullptr;
    std::byte* floor_ = nullptr;  // the cursor when the chunk is empty; null in the buffer
    detail::chunk_list chunks_;   // the newest is the current one; none while the buffer is
    detail::chunk_list spare_chunks_;
    std::byte* buffer_;
    std::size_t buffer_bytes_;
    std::size_t next_chunk_ = first_chunk;
};

}  // namespace freehold
