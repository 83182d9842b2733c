#pragma once
// The buffers of pmr::monotonic_buffer_resource, to the letter of [mem.res.monotonic.buffer].
//
// monotonic_resource differs where the standard does not let it: it serves a large request from a chunk of its own and
// keeps the current one, and its chunks stop growing.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>

#include "../../core/annotate.hpp"
#include "../../core/assert.hpp"
#include "chunk.hpp"

namespace freehold::detail {

class growing_buffers {
public:
    static constexpr std::size_t first_size = 992;  // bytes: with the record of the chunk 1 KiB

    // Effects: the first blocks will be cut from the buffer, if any, and the next buffer has `next_size` bytes at
    // least.
    growing_buffers(std::pmr::memory_resource* upstream, std::size_t next_size, void* buffer = nullptr,
                    std::size_t bytes = 0) noexcept
        : cursor_(static_cast<std::byte*>(buffer)),
          end_(cursor_ + bytes),
          next_size_(next_size),
          buffer_(cursor_),
          buffer_end_(end_),
          first_size_(next_size),
          upstream_(upstream) {
        FREEHOLD_EXPECTS(upstream != nullptr, "the upstream resource is a null pointer",
                         "freehold::pmr::monotonic_buffer_resource");
        FREEHOLD_EXPECTS(next_size > 0, "the first buffer would have no bytes",
                         "freehold::pmr::monotonic_buffer_resource");
        annotate_free(buffer_, bytes);
    }

    growing_buffers(const growing_buffers&) = delete;
    growing_buffers& operator=(const growing_buffers&) = delete;

    ~growing_buffers() {
        release();
        annotate_allocated(buffer_, static_cast<std::size_t>(buffer_end_ - buffer_));
    }

    // Returns: the size of a buffer that follows one of so many bytes.
    [[nodiscard]] static std::size_t size_after(std::size_t bytes) noexcept {
        return 2 * std::clamp(bytes, first_size / 2, std::numeric_limits<std::size_t>::max() / 4);
    }

    // Returns: `bytes` bytes aligned to `alignment`, which are not shared with any other block even if there are none.
    // Requires: `alignment` is a power of two.
    // Throws: what the upstream throws; then nothing has changed.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        bytes += bytes == 0;
        const std::size_t padding = (0 - reinterpret_cast<std::uintptr_t>(cursor_)) & (alignment - 1);
        const auto left = static_cast<std::size_t>(end_ - cursor_);
        if (padding > left || bytes > left - padding) [[unlikely]]
            return allocate_from_next_buffer(bytes, alignment);
        return cut(cursor_ + padding, bytes);
    }

    // Effects: none, but that AddressSanitizer reports a use of the block.
    static void deallocate(void* block, std::size_t bytes, std::size_t) noexcept { annotate_free(block, bytes); }

    // Effects: forgets all blocks, and gives all buffers back. Everything is as it was at the construction.
    void release() noexcept {
        chunks_.release(*upstream_);
        cursor_ = buffer_;
        end_ = buffer_end_;
        next_size_ = first_size_;
        annotate_free(cursor_, static_cast<std::size_t>(end_ - cursor_));
    }

    [[nodiscard]] std::pmr::memory_resource* upstream_resource() const noexcept { return upstream_; }

private:
    void* cut(std::byte* block, std::size_t bytes) noexcept {
        cursor_ = block + bytes;
        annotate_allocated(block, bytes);
        return block;
    }

    [[gnu::noinline]] void* allocate_from_next_buffer(std::size_t bytes, std::size_t alignment) {
        const std::size_t size = std::max(bytes, next_size_);
        if (!is_representable(size, alignment)) refuse(*upstream_);
        chunk* const next = allocate_chunk(*upstream_, size, std::max(alignment, chunk_alignment));
        chunks_.push(next);
        cursor_ = next->begin();
        end_ = next->end();
        next_size_ = size_after(size);
        return cut(cursor_, bytes);
    }

    std::byte* cursor_;
    std::byte* end_;
    std::size_t next_size_;
    chunk_list chunks_;
    std::byte* buffer_;
    std::byte* buffer_end_;
    std::size_t first_size_;
    std::pmr::memory_resource* upstream_;
};

}  // namespace freehold::detail
