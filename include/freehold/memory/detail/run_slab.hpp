#pragma once
// A slab of blocks of one size, whose free blocks are kept as runs of neighbours, or, once they lie scattered, one by
// one. It is found from the address of a block.

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

    // Stands at the beginning of each run but the current one: no block is smaller.
    struct run {
        run* next;
        std::byte* end;
    };

    // Has no block and gets none: where there is no other slab.
    constexpr run_slab() noexcept = default;

    // Requires: it stands at the beginning of memory that is as large and aligned as a slab.
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

    // Returns: a free block, or a null pointer. It is to be marked as allocated.
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

    // Effects: the slab hands nothing out. What is freed is of no use to it. Returns: the memory of its blocks.
    [[nodiscard]] room leave_to_watch() noexcept {
        begin_ = end_;
        strangers_ = patience;
        used_ = std::numeric_limits<std::size_t>::max();  // never all are free
        is_available = false;
        return {first_, last_};
    }

    // Effects: marks the memory as the upstream's again.
    void end() noexcept { tell_allocated(first_, static_cast<std::size_t>(last_ - first_)); }

    run_slab* next = nullptr;            // of all slabs
    run_slab* next_available = nullptr;  // of those that have free blocks
    bool is_available = true;

private:
    // How many blocks may be freed in turn that are no neighbours of the current run, before runs are given up.
    static constexpr int patience = 16;

    // Effects: the block is the current run; the one before is kept.
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

    // Effects: all blocks are one run again. Requires: all are free.
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
