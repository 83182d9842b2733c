#pragma once
// run_length_resource: keeps free blocks as runs of neighbors, for blocks that are freed in the order of allocation.
//
// Each size has slabs of 64 KiB. A slab without a block in use serves any size. A block that is freed beside the
// previous one extends the run of free blocks, at either end, and is not touched: a queue, a stack or a destroyed list
// leaves one run, from which allocation is an addition. A block that is freed elsewhere begins a new run. After 16 of
// these in a row a slab keeps a list of single blocks, as a pool_resource does, until all its blocks are free.
//
// Thread safety: one thread at a time. Exceptions: allocate passes on what the upstream throws, if no block is free;
// then nothing has changed.
// Complexity: constant. Cost: no header in a block, which has at least 16 bytes; 120 bytes in a slab, 1.3 KiB in the
// resource. It takes 64 to 256 KiB from the upstream at a time. They go back when all their blocks are freed, except
// for one such chunk, and for each size the one with the slab used last; trim() gives these back. Requests above 2 KiB
// come from the upstream one by one. AddressSanitizer and Valgrind report a use of a freed block.

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>
#include <utility>

#include "../core/alignment.hpp"
#include "../core/annotate.hpp"
#include "../core/block_arithmetic.hpp"
#include "../core/config.hpp"
#include "../core/exceptions.hpp"
#include "../core/memcheck.hpp"
#include "detail/chained_resource.hpp"
#include "detail/hardening.hpp"
#include "detail/large_blocks.hpp"
#include "detail/size_class.hpp"
#include "detail/slab.hpp"
#include "detail/slab_heap.hpp"
#include "detail/slab_source.hpp"
#include "detail/upstream.hpp"
#include "detail/watched_blocks.hpp"
#include "page_cache.hpp"

namespace freehold::inline v0_2::detail {

// A slab that keeps its free blocks as runs of neighbors, or, once they are scattered, in a list.
//
// It is current, or one of those with free blocks of its class, or full. Only the current one may have no block in use.
class run_slab : public slab_in_chunk<run_slab> {
public:
    // Written at the beginning of each run except the current one: no block is smaller.
    struct run {
        free_link<run> next;
        free_link<std::byte> end;
    };

    // A slab without blocks, for a class that has no slab.
    constexpr run_slab() noexcept = default;

    // Effects: makes it serve the class, with all blocks free. Requires: it is at the beginning of a slab.
    void open(std::size_t index) noexcept {
        block_class = static_cast<std::uint16_t>(index);
        used_ = 0;
        is_available = true;
        gather();
        tell_free(begin_, static_cast<std::size_t>(end_ - begin_));
    }

    // Returns: a free block, or null. The caller marks it as allocated.
    [[nodiscard]] void* take(std::size_t block_bytes) noexcept {
        if (begin_ == end_) {
            if (scattered_ != nullptr) {
                ++used_;
                return std::exchange(scattered_, next_of(scattered_));
            }
            if (runs_ == nullptr) return nullptr;
            begin_ = reinterpret_cast<std::byte*>(runs_);
            const run rest = read_free(runs_);
            end_ = rest.end.from(begin_);
            runs_ = rest.next.from(begin_);
        }
        ++used_;
        std::byte* const block = begin_;
        begin_ += block_bytes;
        return block;
    }

    // Effects: takes the block back. Returns: whether the slab may be empty or idle now.
    [[nodiscard]] bool give(void* freed, std::size_t block_bytes) noexcept {
        auto* const block = static_cast<std::byte*>(freed);
        FREEHOLD_HEAP_EXPECTS(is_memcheck() || !is_known_free(block), "a block is freed twice",
                              "freehold::run_length_resource");
        --used_;
        if (is_empty()) [[unlikely]] {
            annotate_free(block, block_bytes);
            return true;
        }
        if (strangers_ >= patience) {
            scattered_ = detail::set_next(block, scattered_);
            annotate_free(block, block_bytes);
            return is_idle();
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
        return false;
    }

    // Effects: makes the slab the current one of its class.
    void begin_as_current() noexcept { used_ += current; }

    // Effects: makes the slab, which is full, no longer the current one.
    void end_as_current() noexcept {
        used_ -= current;
        is_available = false;
    }

    // Returns: whether it is not current, and no block is in use.
    [[nodiscard]] bool is_empty() const noexcept { return used_ == 0; }

    // Returns: whether it is current, and no block is in use.
    [[nodiscard]] bool is_idle() const noexcept { return used_ == current; }

    [[nodiscard]] std::size_t blocks_in_use() const noexcept { return used_ & ~current; }

    // Effects: calls visit(block, bytes) for each block in use, in the order of addresses.
    template <class Visit>
    void visit_blocks_in_use(Visit& visit) {
        const std::size_t block_bytes = size_class::bytes_of(block_class);
        const auto [first, count] = layout_of_slab(sizeof(run_slab), block_bytes);
        std::byte* const blocks = reinterpret_cast<std::byte*>(this) + first;
        bool is_free[slab_bytes / sizeof(run)] = {};
        const auto note = [&](const std::byte* begin, const std::byte* end) {
            for (; begin != end; begin += block_bytes) {
                is_free[static_cast<std::size_t>(begin - blocks) / block_bytes] = true;
            }
        };
        note(begin_, end_);
        for (const run* each = runs_; each != nullptr; each = read_free(each).next.from(each)) {
            note(reinterpret_cast<const std::byte*>(each), read_free(each).end.from(each));
        }
        for (const free_block* each = scattered_; each != nullptr; each = next_of(each)) {
            is_free[static_cast<std::size_t>(reinterpret_cast<const std::byte*>(each) - blocks) / block_bytes] = true;
        }
        for (std::size_t i = 0; i < count; ++i) {
            if (!is_free[i]) visit(static_cast<void*>(blocks + i * block_bytes), block_bytes);
        }
    }

    // Effects: makes one run of all blocks. Requires: all are free.
    void gather() noexcept {
        const std::size_t block_bytes = size_class::bytes_of(block_class);
        const auto [first, count] = layout_of_slab(sizeof(run_slab), block_bytes);
        begin_ = reinterpret_cast<std::byte*>(this) + first;
        end_ = begin_ + count * block_bytes;
        runs_ = nullptr;
        scattered_ = nullptr;
        strangers_ = 0;
    }

    // Returns: the block that was freed last. Requires: the slab keeps single blocks.
    [[nodiscard]] void* newest_scattered() const noexcept { return scattered_; }

    // Effects: hands the memory of its blocks over: the slab has none to hand out, and keeps no freed ones.
    void leave_to(watched_blocks& watched) noexcept {
        watched.open(block_class, size_class::bytes_of(block_class), begin_, end_);
        begin_ = end_;
        strangers_ = patience;
        used_ = current + current / 2;  // never all are free
        is_available = false;
    }

    run_slab* next = nullptr;  // of those of the class that have free blocks
    run_slab* previous = nullptr;
    bool is_available = true;  // it is one of these, or current

private:
    // The number of blocks that may be freed in a row beside no run before the slab keeps a list.
    static constexpr int patience = 16;

    // Added to the number of blocks in use while the slab is the current one, so that that one is not taken for empty.
    static constexpr std::size_t current = ~(~std::size_t{0} >> 1);

    // Returns: whether the block is in one of the runs that were begun last, or is the newest of the list. For checks.
    [[nodiscard]] bool is_known_free(const std::byte* block) const noexcept {
        if ((begin_ <= block && block < end_) || static_cast<const void*>(block) == scattered_) return true;
        const run* each = runs_;
        for (int looked = 0; looked < patience && each != nullptr; ++looked) {
            const run found = read_free(each);
            if (reinterpret_cast<const std::byte*>(each) <= block && block < found.end.from(each)) return true;
            each = found.next.from(each);
        }
        return false;
    }

    // Effects: makes the block the current run and records the previous one.
    void begin_run(std::byte* block, std::size_t block_bytes) noexcept {
        if (begin_ != end_) {
            annotate_allocated(begin_, sizeof(run));
            runs_ = ::new (begin_) run{{runs_, begin_}, {end_, begin_}};
            annotate_free(begin_, sizeof(run));
        }
        begin_ = block;
        end_ = block + block_bytes;
        ++strangers_;
    }

    std::byte* begin_ = nullptr;  // of the current run
    std::byte* end_ = nullptr;
    run* runs_ = nullptr;
    free_block* scattered_ = nullptr;
    std::size_t used_ = 0;
    int strangers_ = 0;
};

static_assert(sizeof(run_slab) <= 120);

}  // namespace freehold::detail

namespace freehold::inline v0_2 {

class run_length_resource final : public detail::slab_resource<run_length_resource, detail::run_slab> {
    friend slab_resource;

public:
    // Effects: takes memory from the default resource if the program has set one, else from the shared page cache.
    run_length_resource() noexcept : run_length_resource(detail::default_upstream()) {}

    explicit run_length_resource(std::pmr::memory_resource* upstream) noexcept : slab_resource(upstream) {
        for (auto& each : current_) each = &nothing_;
    }

    ~run_length_resource() override { give_back_all(); }

    // As std::pmr::memory_resource::allocate; 0 bytes have an address of their own. Throws: what the upstream throws.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
        const std::size_t size = block_bytes(bytes, alignment);
        if (size - 1 >= largest) [[unlikely]]
            return large_.allocate(bytes, alignment, *upstream_);
        const std::size_t index = detail::size_class::of(size);
        void* block = current_[index]->take(detail::size_class::bytes_of(index));
        if (block == nullptr) [[unlikely]]
            block = take_from_another(index, bytes);
        detail::annotate_allocated(block, bytes);
        return block;
    }

    // As std::pmr::memory_resource::deallocate.
    void deallocate(void* block, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        const std::size_t size = block_bytes(bytes, alignment);
        if (size - 1 >= largest) [[unlikely]] {
            large_.deallocate(block, bytes, *upstream_);
            return;
        }
        const std::size_t index = detail::size_class::of(size);
        detail::expect_allocated(block, bytes);
        run_slab& slab = *detail::header_of<run_slab>(block, detail::slab_bytes);
        FREEHOLD_HEAP_EXPECTS(slab.block_class == index, detail::freed_otherwise, "freehold::run_length_resource");
        if (slab.give(block, detail::size_class::bytes_of(index)) || !slab.is_available) [[unlikely]]
            finish_free(slab);
    }

    // Effects: frees all blocks and gives all memory back.
    void release() noexcept {
        give_back_all();
        for (auto& each : current_) each = &nothing_;
        for (auto& each : available_) each = {};
    }

private:
    using run_slab = detail::run_slab;

    static constexpr std::size_t largest = 2048;
    static constexpr std::size_t classes = detail::size_class::of(largest) + 1;

    static_assert(classes <= detail::watched_blocks::max_classes);

    // Returns: the size rounded up to the alignment and to the smallest block; 0 if it would wrap.
    [[nodiscard]] static std::size_t block_bytes(std::size_t bytes, std::size_t alignment) noexcept {
        return detail::size_class::rounded(detail::larger(bytes, sizeof(detail::run_slab::run)), alignment);
    }

    // Effects: brings an idle slab into order, lists one that has a free block again, or makes an empty one serve any
    // class. Under memcheck every slab is unavailable, so that every freed block comes here.
    FREEHOLD_NOINLINE void finish_free(run_slab& slab) noexcept {
        const std::size_t index = slab.block_class;
        if (slab.is_idle()) {
            slab.gather();
        } else if (watched_ != nullptr) {
            watched_->free(slab.newest_scattered(), index, detail::size_class::bytes_of(index));
        } else if (slab.is_empty()) {
            available_[index].remove(&slab);
            source_.give_back(*upstream_, &slab);
        } else {
            slab.is_available = true;
            available_[index].push(&slab);
        }
    }

    // Effects: makes the current slabs of which no block is in use serve any class.
    void give_back_idle() noexcept {
        for (auto& each : current_) {
            if (each->is_idle()) source_.give_back(*upstream_, std::exchange(each, &nothing_));
        }
    }

    // Returns: a block of another slab that has free ones, or of a new slab. Throws: what the upstream throws.
    FREEHOLD_NOINLINE void* take_from_another(std::size_t index, std::size_t asked) {
        if (detail::is_memcheck()) return take_watched(index, asked);
        run_slab* next = available_[index].pop();
        if (next == nullptr) {
            next = source_.try_take(*upstream_);
            if (next == nullptr) {
                give_back_idle();
                next = source_.take(*upstream_);
            }
            next->open(index);
            // The upstream may have used this resource in turn.
            if (void* const block = current_[index]->take(detail::size_class::bytes_of(index))) {
                source_.give_back(*upstream_, next);
                return block;
            }
        }
        if (current_[index] != &nothing_) current_[index]->end_as_current();
        current_[index] = next;
        next->begin_as_current();
        return next->take(detail::size_class::bytes_of(index));
    }

    void tally(const run_slab& counted, pool_statistics& found) const noexcept {
        const std::size_t bytes = detail::size_class::bytes_of(counted.block_class);
        const std::size_t live = counted.blocks_in_use();
        found.add_slab(bytes, live, detail::layout_of_slab(sizeof(run_slab), bytes).count - live);
    }

    template <class Visit>
    void visit_slab(run_slab& visited, Visit& visit) {
        visited.visit_blocks_in_use(visit);
    }

    [[nodiscard]] FREEHOLD_ALWAYS_INLINE void* take_watched(std::size_t index, std::size_t asked) {
        const std::size_t bytes = detail::size_class::bytes_of(index);
        if (watched_ == nullptr) watched_ = detail::watched_blocks::make();
        if (watched_ == nullptr) detail::raise<std::bad_alloc>();
        void* block = watched_->take(index, bytes);
        if (block == nullptr) {
            run_slab* const added = source_.take(*upstream_);
            watched_->carve(added, detail::slab_bytes, sizeof(run_slab), upstream_ == &page_cache::shared());
            added->open(index);
            added->leave_to(*watched_);
            block = watched_->take(index, bytes);
        }
        watched_->allocate(block, asked);
        return block;
    }

    void give_back_all() noexcept {
        detail::watched_blocks::destroy(std::exchange(watched_, nullptr));
        source_.release(*upstream_);
        large_.release(*upstream_);
    }

    run_slab nothing_;                 // current while there is no slab
    run_slab* current_[classes] = {};  // never null once it is constructed
    detail::basic_slab_queue<run_slab> available_[classes];
    detail::slab_source<run_slab> source_;
    detail::watched_blocks* watched_ = nullptr;  // null except under memcheck
    detail::large_blocks large_;
};

}  // namespace freehold
