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
// itself has 1 KiB. Slabs are kept until release(). A block larger than 2 KiB has a chunk of its own from the upstream,
// which goes back when it is freed. AddressSanitizer and Valgrind report a use of a freed block.

#include <cstddef>
#include <memory_resource>
#include <new>
#include <utility>

#include "../core/alignment.hpp"
#include "../core/annotate.hpp"
#include "../core/assert.hpp"
#include "../core/exceptions.hpp"
#include "../core/memcheck.hpp"
#include "detail/chunk.hpp"
#include "detail/run_slab.hpp"
#include "detail/size_class.hpp"
#include "detail/watched_blocks.hpp"
#include "page_cache.hpp"

namespace freehold {

class run_length_resource final : public std::pmr::memory_resource {
public:
    // Effects: takes memory from the default resource if the program has set one, else from the shared page cache.
    run_length_resource() noexcept : run_length_resource(detail::default_upstream()) {}

    explicit run_length_resource(std::pmr::memory_resource* upstream) noexcept : upstream_(upstream) {
        FREEHOLD_EXPECTS(upstream != nullptr, "the upstream resource is a null pointer",
                         "freehold::run_length_resource");
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
            return detail::allocate_alone(large_, *upstream_, bytes, alignment);
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
            detail::deallocate_alone(large_, *upstream_, block, bytes);
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

    [[nodiscard]] std::pmr::memory_resource* upstream_resource() const noexcept { return upstream_; }

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
            ::new (upstream_->allocate(detail::run_slab::bytes, detail::run_slab::bytes)) detail::run_slab(block_bytes);
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
            watched_->carve(added, detail::run_slab::bytes, sizeof(detail::run_slab), is_page_cache);
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
            upstream_->deallocate(old, detail::run_slab::bytes, detail::run_slab::bytes);
        }
        large_.release(*upstream_);
    }

    void* do_allocate(std::size_t bytes, std::size_t alignment) override { return allocate(bytes, alignment); }

    void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
        deallocate(block, bytes, alignment);
    }

    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

    detail::run_slab nothing_;                 // current while there is no slab
    detail::run_slab* current_[classes] = {};  // never null once it is constructed
    detail::run_slab* available_[classes] = {};
    detail::run_slab* slabs_ = nullptr;
    detail::watched_blocks* watched_ = nullptr;  // null except under memcheck
    detail::lone_chunks large_;                  // of one block each
    std::pmr::memory_resource* upstream_;
};

}  // namespace freehold
