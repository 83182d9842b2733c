#pragma once
// A slab of blocks of one size that keeps its free blocks as runs of neighbors, or, once they are scattered, in a list.
// It is found from the address of a block.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>

#include "../../core/alignment.hpp"
#include "../../core/memcheck.hpp"
#include "size_class.hpp"

namespace freehold::detail {

class run_slab {
public:
    // The size and alignment of a slab.
    static constexpr std::size_t bytes = std::size_t{64} * 1024;

    // Written at the beginning of each run except the current one: no block is smaller.
    struct run {
        run* next;
        std::byte* end;
    };

    // A slab without blocks, for a class that has no slab.
    constexpr run_slab() noexcept = default;

    // Requires: it is at the beginning of memory with the size and alignment of a slab.
    explicit run_slab(std::size_t block_bytes) noexcept
        : first_(reinterpret_cast<std::byte*>(this) + round_up(sizeof(run_slab), block_bytes & (0 - block_bytes))),
          last_(first_ + (bytes - static_cast<std::size_t>(first_ - reinterpret_cast<std::byte*>(this))) / block_bytes *
                             block_bytes),
          begin_(first_),
          end_(last_) {
        annotate_free(first_, static_cast<std::size_t>(last_ - first_));
    }

    // Returns: the slab that the block is in.
    [[nodiscard]] static run_slab& of(void* block) noexcept {
        auto* const place = static_cast<std::byte*>(block);
        return *reinterpret_cast<run_slab*>(place - reinterpret_cast<std::uintptr_t>(block) % bytes);
    }

    // Returns: a free block, or null. The caller marks it as allocated.
    [[nodiscard]] void* take(std::size_t block_bytes) noexcept {
        if (begin_ == end_) {
            if (!scattered_.empty()) {
                ++used_;
                return scattered_.pop();
            }
            if (runs_ == nullptr) return nullptr;
            begin_ = reinterpret_cast<std::byte*>(runs_);
            const run rest = read_free(runs_);
            end_ = rest.end;
            runs_ = rest.next;
        }
        ++used_;
        std::byte* const block = begin_;
        begin_ += block_bytes;
        return block;
    }

    // Effects: takes the block back.
    void give(void* freed, std::size_t block_bytes) noexcept {
        auto* const block = static_cast<std::byte*>(freed);
        --used_;
        if (strangers_ >= patience) {
            scattered_.push(block, block_bytes);
            if (used_ == 0) gather();
            return;
        }
        annotate_free(block, block_bytes);
        if (block == end_) {
            end_ += block_bytes;
            strangers_ = 0;
        } else if (block + block_bytes == begin_) {
            begin_ = block;
            strangers_ = 0;
        } else {
            begin_run(block, block_bytes);
        }
    }

    struct room {
        std::byte* begin;
        std::byte* end;
    };

    // Returns: the block that was freed last. Requires: the slab keeps single blocks.
    [[nodiscard]] void* newest_scattered() const noexcept { return scattered_.newest(); }

    // Effects: makes the slab hand out no blocks and keep no freed ones. Returns: the memory of its blocks.
    [[nodiscard]] room leave_to_watch() noexcept {
        begin_ = end_;
        strangers_ = patience;
        used_ = std::numeric_limits<std::size_t>::max();  // never all are free
        is_available = false;
        return {first_, last_};
    }

    // Effects: marks the memory as allocated again, for the upstream.
    void end() noexcept { tell_allocated(first_, static_cast<std::size_t>(last_ - first_)); }

    run_slab* next = nullptr;            // of all slabs
    run_slab* next_available = nullptr;  // of those that have free blocks
    bool is_available = true;

private:
    // The number of blocks that may be freed in a row beside no run before the slab keeps a list.
    static constexpr int patience = 16;

    // Effects: makes the block the current run and records the previous one.
    void begin_run(std::byte* block, std::size_t block_bytes) noexcept {
        if (begin_ != end_) {
            annotate_allocated(begin_, sizeof(run));
            runs_ = ::new (begin_) run{runs_, end_};
            annotate_free(begin_, sizeof(run));
        }
        begin_ = block;
        end_ = block + block_bytes;
        ++strangers_;
    }

    // Effects: makes one run of all blocks. Requires: all are free.
    void gather() noexcept {
        begin_ = first_;
        end_ = last_;
        runs_ = nullptr;
        scattered_ = free_list();
        strangers_ = 0;
    }

    std::byte* first_ = nullptr;
    std::byte* last_ = nullptr;
    std::byte* begin_ = nullptr;  // of the current run
    std::byte* end_ = nullptr;
    run* runs_ = nullptr;
    free_list scattered_;
    std::size_t used_ = 0;
    int strangers_ = 0;
};

}  // namespace freehold::detail
