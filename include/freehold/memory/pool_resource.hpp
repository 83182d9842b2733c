#pragma once
// pool_resource: size-class free lists over chunks, for one thread. Blocks are freed one by one or all at once.
//
// A request is rounded up to its alignment and to one of 52 sizes: 8 bytes apart up to 256, then four to each doubling,
// up to 8 KiB. Each size has a list of free blocks, last in first out; an empty list is refilled from a slab of 64 KiB
// in the order of addresses. Larger requests get a block of their own from the upstream.
//
// Memory comes back when it is needed: before a size takes another slab, some free blocks of all sizes are sorted into
// their slabs, and a slab whose blocks are all free serves any size, or goes back with its chunk of 1 to 16 slabs.
// trim() sorts all, and gives back all that is not in use.
//
// Thread safety: one thread at a time. Exceptions: allocate passes on what the upstream throws; then nothing has
// changed, and free blocks may still be allocated.
// Complexity: constant; a call that takes a slab sorts at most 4096 blocks. Cost: no header in a block, 128 bytes in a
// slab; the resource itself has 1.7 KiB. The chunks double from 64 KiB to 1 MiB. release() and the destructor give them
// back. AddressSanitizer and Valgrind report a use of a free block.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <new>
#include <utility>

#include "../core/alignment.hpp"
#include "../core/annotate.hpp"
#include "../core/block_arithmetic.hpp"
#include "../core/exceptions.hpp"
#include "../core/memcheck.hpp"
#include "detail/block_lists.hpp"
#include "detail/chained_resource.hpp"
#include "detail/large_blocks.hpp"
#include "detail/size_class.hpp"
#include "detail/slab_cache.hpp"
#include "detail/slab_heap.hpp"
#include "detail/slab_walk.hpp"
#include "page_cache.hpp"
#include "pool_statistics.hpp"

namespace freehold::detail {

// The slabs of a pool of one thread.
//
// A freed block goes to the list of its size, whatever slab it is in. sort() moves it to the list of its slab. A slab
// counts, in `due`, its blocks that were cut and are not in its own list.
class sorted_slabs : public basic_block_lists<size_class::count> {
public:
    // A slab is cut into at most `most_blocks` blocks.
    explicit sorted_slabs(std::size_t most_blocks) noexcept : most_blocks_(most_blocks) {}

    // Returns: a block of the class, or null.
    [[nodiscard]] free_block* find(std::size_t index) noexcept {
        if (lists_[index] == nullptr) {
            if (slab* const next = available_[index].pop()) {
                take_list(*next, index);
            } else if (current_[index] != nullptr) {
                cut(*current_[index], index);
            }
        }
        return pop(index);
    }

    // Effects: serves the class from a slab that is in use nowhere. Requires: find(index) has found nothing.
    void open(slab* fresh, std::size_t index) noexcept {
        if (fresh->block_class != index) {
            fresh->block_class = static_cast<std::uint16_t>(index);
            fresh->free = nullptr;
            fresh->batches = nullptr;
            fresh->uncut = static_cast<std::uint32_t>(first_of(index));
        }
        current_[index] = fresh;
        take_list(*fresh, index);
    }

    // Effects: moves at most `most` free blocks to the lists of their slabs. Returns: whether that were fewer.
    bool sort(std::size_t most) noexcept {
        std::size_t classes_left = size_class::count;
        while (most > 0 && classes_left > 0) {
            free_block* const block = pop(sorted_next_);
            if (block == nullptr) {
                sorted_next_ = (sorted_next_ + 1) % size_class::count;
                --classes_left;
                continue;
            }
            --most;
            slab* const origin = slab::of(block);
            if (origin->free == nullptr) available_[sorted_next_].push(origin);
            if (origin->push(block)) leave(origin);
        }
        return most > 0;
    }

    // Returns: a slab whose blocks are all free, which is no longer in use, or null.
    [[nodiscard]] slab* pop_empty() noexcept { return empty_.pop(); }

private:
    static constexpr std::size_t smallest_page = 4096;

    [[nodiscard]] static std::size_t first_of(std::size_t index) noexcept {
        return layout_of_slab(sizeof(slab), size_class::bytes_of(index)).first;
    }

    // Effects: makes the slab's own list, which may be empty, that of the class.
    void take_list(slab& from, std::size_t index) noexcept {
        lists_[index] = std::exchange(from.free, nullptr);
        from.due = static_cast<std::uint32_t>((from.uncut - first_of(index)) / size_class::bytes_of(index));
        if (lists_[index] == nullptr) cut(from, index);
    }

    // Effects: fills the empty list with fresh blocks of the slab, if there are any, the lowest address first; only
    // those that begin in one page, as each fresh page costs a fault.
    void cut(slab& from, std::size_t index) noexcept {
        const std::size_t bytes = size_class::bytes_of(index);
        const block_layout layout = layout_of_slab(sizeof(slab), bytes);
        const std::size_t end = layout.first + detail::min(layout.count, most_blocks_) * bytes;
        const std::size_t page_end = detail::min(round_up(from.uncut + 1, smallest_page), end);
        std::size_t next = from.uncut;
        while (next < page_end) next += bytes;
        const std::size_t first = std::exchange(from.uncut, static_cast<std::uint32_t>(next));
        from.due += static_cast<std::uint32_t>((next - first) / bytes);
        while (next != first) lists_[index] = set_next(from.memory() + (next -= bytes), lists_[index]);
    }

    void leave(slab* empty) noexcept {
        const std::size_t index = empty->block_class;
        available_[index].remove(empty);
        if (current_[index] == empty) current_[index] = nullptr;
        empty_.push(empty);
    }

    slab* current_[size_class::count] = {};  // that is cut
    slab_queue available_[size_class::count];
    slab_queue empty_;
    std::size_t sorted_next_ = 0;  // the class
    std::size_t most_blocks_;
};

}  // namespace freehold::detail

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
          slabs_(most_blocks_),
          cache_(detail::slab_bytes, chunk_bytes(options)) {
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
            if (void* const block = slabs_.pop(size_class::of_fine(size))) [[likely]] {
                detail::annotate_allocated(block, bytes);
                return block;
            }
        }
        return allocate_slowly(bytes, alignment);
    }

    // Effects: makes the block available again.
    // Requires: allocate(bytes, alignment) returned `block`, and it was not freed since.
    void deallocate(void* block, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        const std::size_t size = size_class::rounded(bytes, alignment);
        if (is_fine(size)) [[likely]] {
            detail::annotate_free(block, size);
            slabs_.push(block, size_class::of_fine(size));
        } else {
            deallocate_slowly(block, bytes, alignment);
        }
    }

    // Effects: gives the upstream all memory that is not in use, and trims it if it is page_cache::shared().
    // Complexity: linear in the free blocks.
    void trim() noexcept {
        sort(std::numeric_limits<std::size_t>::max());
        give(cache_.take_idle());
        if (upstream_ == &page_cache::shared()) page_cache::shared().trim();
    }

    // Returns: where the memory is. Complexity: constant.
    [[nodiscard]] pool_statistics statistics() const noexcept {
        return {cache_.bytes(), cache_.spare_bytes(), large_.bytes()};
    }

    // Effects: calls visit(block, bytes) for each block in use, where `bytes` is the size of its class, or what was
    // asked for if that is more than largest_required_pool_block. Under memcheck only these are visited. Requires:
    // `visit` does not use the resource. Throws: what `visit` throws. Complexity: linear in the blocks.
    template <class Visit>
    void walk(Visit visit) {
        if (!detail::is_memcheck()) {
            sort(std::numeric_limits<std::size_t>::max());
            cache_.visit_taken(
                [&](detail::slab& each) { detail::slab_walk<size_class>(each).visit_blocks_in_use(visit); });
        }
        large_.visit(visit);
    }

    // Effects: frees all blocks and gives all chunks back.
    void release() noexcept {
        give_back();
        slabs_.~sorted_slabs();
        ::new (&slabs_) detail::sorted_slabs(most_blocks_);
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

    // The number of blocks that are sorted before a slab is taken: more than a slab has but for the smallest.
    static constexpr std::size_t most_sorted = 4096;

    [[nodiscard]] static std::size_t normalized(std::size_t largest) noexcept {
        if (largest == 0 || largest > size_class::largest) return size_class::largest;
        return size_class::bytes_of(size_class::of(largest));
    }

    [[nodiscard]] static std::size_t most_blocks(const std::pmr::pool_options& options) noexcept {
        constexpr std::size_t most = slabs_in_chunk * blocks_in_slab;
        return options.max_blocks_per_chunk == 0 ? most : detail::min(options.max_blocks_per_chunk, most);
    }

    [[nodiscard]] static std::size_t chunk_bytes(const std::pmr::pool_options& options) noexcept {
        return detail::max(most_blocks(options) / blocks_in_slab, std::size_t{1}) * detail::slab_bytes;
    }

    // Returns: whether the size, which may be 0, has one of the fine classes.
    [[nodiscard]] bool is_fine(std::size_t size) const noexcept {
        if (largest_fine_ > size_class::largest_fine) __builtin_unreachable();  // without this compilers warn
        return size - 1 < largest_fine_;
    }

    // Returns: whether a block of the size has a chunk of its own. Under memcheck every block has.
    [[nodiscard]] bool is_alone(std::size_t size) const noexcept { return size > largest_ || largest_fine_ == 0; }

    [[gnu::noinline]] void* allocate_slowly(std::size_t bytes, std::size_t alignment) {
        const std::size_t size = detail::max(size_class::rounded(bytes, alignment), alignment);
        if (is_alone(size) || size < bytes) return large_.allocate(*upstream_, bytes, alignment);
        const std::size_t index = size_class::of(size);
        void* block = slabs_.find(index);
        while (block == nullptr) {
            slabs_.open(take_slab(), index);
            block = slabs_.find(index);
        }
        detail::annotate_allocated(block, bytes);
        return block;
    }

    [[gnu::noinline]] void deallocate_slowly(void* block, std::size_t bytes, std::size_t alignment) noexcept {
        const std::size_t size = detail::max(size_class::rounded(bytes, alignment), alignment);
        if (is_alone(size)) {
            large_.deallocate(*upstream_, block, bytes);
        } else {
            const std::size_t index = size_class::of(size);
            detail::annotate_free(block, size_class::bytes_of(index));
            slabs_.push(block, index);
        }
    }

    // Returns: a slab that is in use nowhere.
    [[nodiscard]] detail::slab* take_slab() {
        sort(most_sorted);
        if (detail::slab* const spare = cache_.take()) return spare;
        detail::slab_cache::memory found = {};
        found.bytes = cache_.next_bytes();
        found.begin = static_cast<std::byte*>(detail::try_allocate(*upstream_, found.bytes, detail::slab_bytes));
        if (found.begin == nullptr) {
            sort(std::numeric_limits<std::size_t>::max());
            if (detail::slab* const spare = cache_.take()) return spare;
            found = detail::slab_cache::ask(*upstream_, found.bytes);
        }
        cache_.add(found);
        return cache_.take();
    }

    // Effects: finds slabs whose blocks are all free, by sorting at most `most` blocks, and makes them spare.
    void sort(std::size_t most) noexcept {
        slabs_.sort(most);
        while (detail::slab* const empty = slabs_.pop_empty()) give(cache_.give_back(empty));
    }

    void give(detail::slab_cache::memory unused) noexcept {
        if (unused.begin != nullptr) upstream_->deallocate(unused.begin, unused.bytes, detail::slab_bytes);
    }

    void give_back() noexcept {
        large_.release(*upstream_);
        for (auto each = cache_.take_any(); each.begin != nullptr; each = cache_.take_any()) give(each);
    }

    std::size_t largest_;
    std::size_t most_blocks_;
    std::size_t largest_fine_ = detail::min(largest_, size_class::largest_fine);  // 0 under memcheck
    detail::sorted_slabs slabs_;
    detail::slab_cache cache_;
    detail::large_blocks large_;
};

}  // namespace freehold
