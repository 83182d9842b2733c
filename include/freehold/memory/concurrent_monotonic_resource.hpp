#pragma once
// concurrent_monotonic_resource: a bump allocator for many threads, whose memory is given back all at once.
//
// Each thread cuts its blocks from a chunk of its own. Chunks come from one upstream, and grow from thread to thread
// apart. deallocate does nothing; release() and the destructor free all blocks of all threads. A thread that ends
// leaves the rest of its chunk to the next one. A request of more than a quarter of the largest chunk goes to the
// upstream by itself.
//
// Thread safety: any thread may call allocate and deallocate; a thread may end while the resource is used or destroyed.
// No other thread may call anything during release() and the destructor.
// Exceptions: allocate passes on what the upstream throws; then nothing has changed, and smaller requests may still be
// served.
// Complexity: constant; where a chunk is used up, or a thread uses more than 16 such resources in turn, linear in the
// threads that used it at once. Cost: no header in a block; 32 bytes in a chunk, 64 for each thread, 40 for each large
// request. No locked operation but a mutex for each chunk and each large request, which is not held while the upstream
// is called. A thread leaves unused at most its current chunk, 62 KiB by default, and at the end of each earlier one
// less than a quarter of the one that followed it. AddressSanitizer and Valgrind report a use of freed memory.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <new>

#include "../core/alignment.hpp"
#include "../core/annotate.hpp"
#include "../core/assert.hpp"
#include "../core/config.hpp"
#include "../core/memcheck.hpp"
#include "detail/arena_thread.hpp"
#include "detail/chained_resource.hpp"
#include "detail/chunk.hpp"
#include "detail/large_blocks.hpp"
#include "detail/resource_id.hpp"
#include "detail/static_mutex.hpp"
#include "detail/upstream.hpp"
#include "monotonic_resource.hpp"

namespace freehold::inline v0_2 {

class concurrent_monotonic_resource final : public detail::chained_resource<concurrent_monotonic_resource> {
public:
    // How the chunks of each thread grow by default: they take, with their records, 1 KiB to slightly more than 62 KiB.
    static constexpr monotonic_growth usual_growth = {.largest_chunk = std::size_t{992} << 6};

    // Effects: takes memory from *upstream, which must outlive the resource and serve any thread: by default the
    // default resource if the program has set one, else page_cache::shared().
    explicit concurrent_monotonic_resource(monotonic_growth growth,
                                           std::pmr::memory_resource* upstream = detail::default_upstream()) noexcept
        : chained_resource(upstream), mutex_(detail::mutex_for(this)), growth_(growth) {
        FREEHOLD_EXPECTS(growth.first_chunk > 0, "the first chunk has no bytes",
                         "freehold::concurrent_monotonic_resource");
        FREEHOLD_EXPECTS(growth.factor > 0, "chunks grow by a factor of 0", "freehold::concurrent_monotonic_resource");
        growth_.first_chunk = detail::smaller(growth.first_chunk, largest_representable);
        growth_.largest_chunk = detail::clamp(growth.largest_chunk, growth_.first_chunk, largest_representable);
        detail::survive_fork();
    }

    explicit concurrent_monotonic_resource(std::pmr::memory_resource* upstream) noexcept
        : concurrent_monotonic_resource(usual_growth, upstream) {}

    concurrent_monotonic_resource() noexcept : concurrent_monotonic_resource(usual_growth) {}

    // Effects: release().
    ~concurrent_monotonic_resource() override { release(); }

    // As std::pmr::memory_resource::allocate; 0 bytes have an address of their own. Throws: what the upstream throws.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
        FREEHOLD_EXPECTS(std::has_single_bit(alignment), "the alignment is not a power of two",
                         "freehold::concurrent_monotonic_resource");
        if (alignment > detail::usual_alignment) [[unlikely]]
            return allocate_otherwise(bytes, alignment);
        const std::uint64_t id = id_.get();
        const detail::arena_thread::entry last = detail::last_in_table(id);
        if (last.arena == id) [[likely]] {
            if (void* const block = last.part->cut(bytes, alignment)) [[likely]]
                return block;
        }
        return allocate_otherwise(bytes, alignment);
    }

    // Effects: none, except that AddressSanitizer and Valgrind report a use of the block.
    // Requires: allocate(bytes, alignment) returned `block`, in any thread, and it was not freed since.
    static void deallocate(void* block, std::size_t bytes, std::size_t = alignof(std::max_align_t)) noexcept {
        detail::annotate_free(block, bytes);
        detail::tell_fast_free(block, bytes);
    }

    // Effects: frees all blocks and gives all memory back to the upstream. The next chunks start small again.
    // Requires: no other thread calls anything of this resource meanwhile; threads may end.
    void release() noexcept {
        id_.release();
        parts_ = nullptr;
        watched_ = nullptr;
        chunks_.release(*upstream_);
        large_.release(*upstream_);
    }

private:
    // Returns: a block with more than the usual alignment, of 0 bytes, or for which the thread takes another chunk.
    FREEHOLD_NOINLINE void* allocate_otherwise(std::size_t bytes, std::size_t alignment) {
        bytes += bytes == 0;
        const detail::arena_thread::entry last = detail::last_in_table(id_.get());
        detail::arena_part* mine = last.arena == id_.get() ? last.part : nullptr;
        if (mine != nullptr) {
            if (void* const block = mine->cut_aligned(bytes, alignment)) return block;
        }
        detail::expect_representable(*upstream_, bytes, alignment);
        if (detail::is_memcheck()) return allocate_watched(bytes, alignment);
        if (mine == nullptr) {
            // A thread that is about to end, or without memory for its record, has no part.
            if (!id_.take() || !detail::this_arena_thread.begin()) return allocate_large(bytes, alignment);
            mine = find_part();
            if (mine != nullptr) return allocate_otherwise(bytes, alignment);
        }
        const std::size_t boundary = detail::larger(alignment, detail::usual_alignment);
        const std::size_t needed = bytes + boundary - detail::usual_alignment + detail::chunk::gap;
        if (needed > growth_.largest_chunk / least_in_chunk) return allocate_large(bytes, alignment);
        const std::size_t next = mine != nullptr ? mine->next_chunk : growth_.first_chunk;
        const std::size_t with_part = needed + (mine != nullptr ? 0 : part_bytes);
        detail::chunk* const added =
            detail::allocate_chunk(*upstream_, detail::larger(next, with_part * least_in_chunk));
        // If the upstream has used the resource in turn, a thread may get a second part: the first is left with its
        // life.
        return open(*added, mine).cut_aligned(bytes, alignment);
    }

    // Returns: the thread's part, or that of a thread that has ended, which it takes over; or null.
    [[nodiscard]] detail::arena_part* find_part() noexcept {
        detail::arena_thread& thread = detail::this_arena_thread;
        detail::arena_part* const found =
            detail::locked(mutex_, [&] { return detail::arena_part::find(parts_, thread.life); });
        if (found != nullptr) thread.remember(id_.get(), found);
        return found;
    }

    // Effects: the thread cuts its blocks from the chunk, in which its part is made if it has none. Returns: the part.
    [[nodiscard]] detail::arena_part& open(detail::chunk& added, detail::arena_part* mine) noexcept {
        std::byte* begin = added.begin();
        const detail::static_lock held(mutex_);
        chunks_.push(&added);
        if (mine == nullptr) {
            detail::annotate_allocated(begin, part_bytes);
            mine = parts_ = ::new (begin) detail::arena_part(detail::this_arena_thread.life, parts_);
            detail::this_arena_thread.remember(id_.get(), mine);
            begin += part_bytes;
        }
        mine->open(begin, added.end());
        mine->next_chunk = added.capacity > growth_.largest_chunk / growth_.factor ? growth_.largest_chunk
                                                                                   : added.capacity * growth_.factor;
        return *mine;
    }

    [[nodiscard]] void* allocate_large(std::size_t bytes, std::size_t alignment) {
        return large_.allocate(bytes, alignment, *upstream_, mutex_);
    }

    // Returns: a block that is a request of its own, as monotonic_resource's under memcheck.
    void* allocate_watched(std::size_t bytes, std::size_t alignment) {
        const std::size_t before = detail::larger(alignment, detail::usual_alignment);
        void* const memory = allocate_large(before + bytes, alignment);
        {
            const detail::static_lock held(mutex_);
            watched_ = ::new (memory) void*(watched_);
        }
        detail::tell_free(static_cast<void**>(memory) + 1, before - sizeof(void*));
        return static_cast<std::byte*>(memory) + before;
    }

    static constexpr std::size_t largest_representable = (std::numeric_limits<std::size_t>::max)() / 8;
    static constexpr std::size_t least_in_chunk = 4;  // requests that a chunk serves at least
    static constexpr std::size_t part_bytes = 64;
    static_assert(sizeof(detail::arena_part) <= part_bytes);

    detail::resource_id id_;
    detail::static_mutex& mutex_;  // guards all that follows
    detail::arena_part* parts_ = nullptr;
    detail::chunk_list chunks_;
    monotonic_growth growth_;
    detail::large_blocks large_;  // larger than a chunk; under memcheck all
    void* watched_ = nullptr;     // the memory of the newest block, under memcheck
};

}  // namespace freehold
