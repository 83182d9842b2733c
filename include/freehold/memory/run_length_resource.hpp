#pragma once
// run_length_resource: keeps free blocks as runs of neighbors, for blocks that are freed in the order of allocation.
//
// Each size has slabs of 64 KiB. A block that is freed beside the previous one extends the run of free blocks, at
// either end, and is not touched: a queue, a stack or a destroyed list leaves one run, from which allocation is an
// addition. A block that is freed elsewhere begins a new run. After 16 of these in a row a slab keeps a list of single
// blocks, as a pool_resource does, until all its blocks are free.
//
// Thread safety: one thread at a time. Exceptions: allocate passes on what the upstream throws, if no block is free;
// then nothing has changed.
// Complexity: constant. Cost: no header in a block, which has at least 16 bytes; 96 bytes in a slab; the resource
// itself has 1.3 KiB. Slabs are kept until release(). A block larger than 2 KiB is a request of its own to the
// upstream, and goes back when it is freed. AddressSanitizer and Valgrind report a use of a freed block.

#include <cstddef>
#include <limits>
#include <memory_resource>
#include <new>
#include <utility>

#include "../core/alignment.hpp"
#include "../core/annotate.hpp"
#include "../core/block_arithmetic.hpp"
#include "../core/exceptions.hpp"
#include "../core/memcheck.hpp"
#include "detail/chained_resource.hpp"
#include "detail/large_blocks.hpp"
#include "detail/size_class.hpp"
#include "detail/watched_blocks.hpp"
#include "page_cache.hpp"

namespace freehold::detail {

// A slab that keeps its free blocks as runs of neighbors, or, once they are scattered, in a list.
class run_slab {
public:
    // Written at the beginning of each run except the current one: no block is smaller.
    struct run {
        run* next;
        std::byte* end;
    };

    // A slab without blocks, for a class that has no slab.
    constexpr run_slab() noexcept = default;

    // Requires: it is at the beginning of memory with the size and alignment of a slab.
    explicit run_slab(std::size_t block_bytes) noexcept {
        const auto [first, count] = layout_of_slab(sizeof(run_slab), block_bytes);
        first_ = begin_ = reinterpret_cast<std::byte*>(this) + first;
        last_ = end_ = first_ + count * block_bytes;
        annotate_free(first_, count * block_bytes);
    }

    // Returns: the slab that the block is in.
    [[nodiscard]] static run_slab& of(void* block) noexcept { return *header_of<run_slab>(block, slab_bytes); }

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

namespace freehold {

class run_length_resource final : public detail::chained_resource<run_length_resource> {
public:
    // Effects: takes memory from the default resource if the program has set one, else from the shared page cache.
    run_length_resource() noexcept : run_length_resource(detail::default_upstream()) {}

    explicit run_length_resource(std::pmr::memory_resource* upstream) noexcept : chained_resource(upstream) {
        for (auto& each : current_) each = &nothing_;
    }

    run_length_resource(const run_length_resource&) = delete;
    run_length_resource& operator=(const run_length_resource&) = delete;

    ~run_length_resource() override { give_back(); }

    // Returns: `bytes` bytes aligned to `alignment`. The address is unique even if `bytes` is 0.
    // Requires: `alignment` is a power of two.
    // Throws: what the upstream throws.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
        const std::size_t size = block_bytes(bytes, alignment);
        if (size - 1 >= largest) [[unlikely]]
            return large_.allocate(*upstream_, bytes, alignment);
        const std::size_t index = detail::size_class::of(size);
        void* block = current_[index]->take(detail::size_class::bytes_of(index));
        if (block == nullptr) [[unlikely]]
            block = take_from_another(index, bytes);
        detail::annotate_allocated(block, bytes);
        return block;
    }

    // Effects: makes the block available again.
    // Requires: allocate(bytes, alignment) returned `block`, and it was not freed since.
    void deallocate(void* block, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        const std::size_t size = block_bytes(bytes, alignment);
        if (size - 1 >= largest) [[unlikely]] {
            large_.deallocate(*upstream_, block, bytes);
            return;
        }
        const std::size_t index = detail::size_class::of(size);
        detail::run_slab& slab = detail::run_slab::of(block);
        slab.give(block, detail::size_class::bytes_of(index));
        if (!slab.is_available) [[unlikely]]
            make_available(slab, index);
    }

    // Effects: frees all blocks and gives all memory back.
    void release() noexcept {
        give_back();
        for (auto& each : current_) each = &nothing_;
        for (auto& each : available_) each = nullptr;
        slabs_ = nullptr;
    }

private:
    static constexpr std::size_t largest = 2048;
    static constexpr std::size_t classes = detail::size_class::of(largest) + 1;

    static_assert(classes <= detail::watched_blocks::max_classes);

    // Returns: the size rounded up to the alignment and to the smallest block; 0 if it would wrap.
    [[nodiscard]] static std::size_t block_bytes(std::size_t bytes, std::size_t alignment) noexcept {
        return detail::size_class::rounded(detail::max(bytes, sizeof(detail::run_slab::run)), alignment);
    }

    // Effects: lists the slab, which has a free block again. Under memcheck every slab is unavailable, so that every
    // freed block comes here.
    [[gnu::noinline]] void make_available(detail::run_slab& slab, std::size_t index) noexcept {
        if (watched_ != nullptr) {
            return watched_->free(slab.newest_scattered(), index, detail::size_class::bytes_of(index));
        }
        slab.is_available = true;
        slab.next_available = available_[index];
        available_[index] = &slab;
    }

    // Effects: continues in a slab that has free blocks, or in a new one. Returns: a block of it.
    [[gnu::noinline]] void* take_from_another(std::size_t index, std::size_t asked) {
        if (detail::is_memcheck()) return take_watched(index, asked);
        const std::size_t bytes = detail::size_class::bytes_of(index);
        detail::run_slab* next = available_[index];
        if (next != nullptr) {
            available_[index] = next->next_available;
        } else {
            next = add_slab(bytes);
        }
        if (current_[index] != &nothing_) current_[index]->is_available = false;
        current_[index] = next;
        return next->take(bytes);
    }

    // Returns: a new slab.
    [[nodiscard]] detail::run_slab* add_slab(std::size_t block_bytes) {
        auto* const added =
            ::new (upstream_->allocate(detail::slab_bytes, detail::slab_bytes)) detail::run_slab(block_bytes);
        added->next = slabs_;
        slabs_ = added;
        return added;
    }

    [[nodiscard, gnu::always_inline]] void* take_watched(std::size_t index, std::size_t asked) {
        const std::size_t bytes = detail::size_class::bytes_of(index);
        if (watched_ == nullptr) watched_ = detail::watched_blocks::make();
        if (watched_ == nullptr) detail::raise<std::bad_alloc>();
        void* block = watched_->take(index, bytes);
        if (block == nullptr) {
            detail::run_slab* const added = add_slab(bytes);
            const bool is_page_cache = upstream_ == &page_cache::shared();
            watched_->carve(added, detail::slab_bytes, sizeof(detail::run_slab), is_page_cache);
            const auto room = added->leave_to_watch();
            watched_->open(index, bytes, room.begin, room.end);
            block = watched_->take(index, bytes);
        }
        watched_->allocate(block, asked);
        return block;
    }

    void give_back() noexcept {
        detail::watched_blocks::destroy(std::exchange(watched_, nullptr));
        while (slabs_ != nullptr) {
            detail::tell_readable(slabs_, sizeof(*slabs_));
            detail::run_slab* const old = slabs_;
            slabs_ = old->next;
            old->end();
            upstream_->deallocate(old, detail::slab_bytes, detail::slab_bytes);
        }
        large_.release(*upstream_);
    }

    detail::run_slab nothing_;                 // current while there is no slab
    detail::run_slab* current_[classes] = {};  // never null once it is constructed
    detail::run_slab* available_[classes] = {};
    detail::run_slab* slabs_ = nullptr;
    detail::watched_blocks* watched_ = nullptr;  // null except under memcheck
    detail::large_blocks large_;
};

}  // namespace freehold
