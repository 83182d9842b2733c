#pragma once
// process_heap: what operator new and malloc are made of. Blocks of up to 7 KiB come from the slabs of the process's
// pool, larger ones from process_large.
//
// A block is freed without its size: the header of its slab has it. Large blocks begin a page, of the others few do.
//
// Thread safety: any thread may call any function, also before main and in its last destructors. Exceptions: none.
// Cost: a warm call is that of small_block_pool.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/config.hpp"
#include "../../core/platform/errors.hpp"
#include "../../core/platform/pages.hpp"
#include "../../core/platform/sleep.hpp"
#include "../small_block_pool.hpp"
#include "block_canary.hpp"
#include "byte_before.hpp"
#include "end_of_use.hpp"
#include "hardening.hpp"
#include "process_large.hpp"
#include "process_pool.hpp"
#include "slab.hpp"

namespace freehold::inline v0_2::detail {

class process_heap {
public:
    // Returns: `bytes` bytes aligned to 16, or null if there is no memory. The address is unique even if `bytes` is 0.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static void* allocate(std::size_t bytes) noexcept {
        if (bytes > slab_class::largest_fine - least_canary) [[unlikely]]
            return allocate_coarse(bytes);
        return allocate_in_slab(slab_class::of_fine(bytes + least_canary), bytes);
    }

    // Returns: the same, aligned to `alignment`. Requires: it is a power of two.
    [[nodiscard]] static void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
        if (alignment <= slab_class::granularity) return allocate(bytes);
        if (bytes > process_large::most || alignment > process_large::most) return nullptr;
        const std::size_t padded = round_up(detail::larger(bytes + least_canary, std::size_t{1}), alignment);
        if (padded <= largest_in_slab) return allocate_in_slab(slab_class::of(padded), bytes, alignment);
        void* const recent = alignment <= page_granule ? process_large::take_recent(bytes) : nullptr;
        return recent != nullptr ? recent : allocate_large(bytes, alignment).begin;
    }

    // Returns: `bytes` bytes that are 0, or null.
    [[nodiscard]] static void* allocate_zeroed(std::size_t bytes) noexcept {
        process_large::taken block{};
        if (bytes > largest_in_slab - least_canary) {
            block.begin = process_large::take_recent(bytes);
            if (block.begin == nullptr) block = allocate_large(bytes, 1);
        } else {
            block.begin = allocate(bytes);
        }
        if (block.begin != nullptr && !block.is_zero) std::memset(block.begin, 0, bytes);
        return block.begin;
    }

    // Effects: frees the block; none if it is null.
    FREEHOLD_ALWAYS_INLINE static void deallocate(void* block) noexcept {
        if (begins_page(block)) [[unlikely]]
            return deallocate_page(block);
        deallocate_in_slab(block);
    }

    // Returns: how many bytes of the block may be used; 0 if it is null. In a hardened program what was asked for.
    [[nodiscard]] static std::size_t usable_bytes(void* block) noexcept {
        const std::size_t large = process_large::bytes_of(block);
        if (large != 0) return process_large::usable_bytes(block, large);
        return block != nullptr ? bytes_in_slab(block) : 0;
    }

    // Returns: a block with the contents of this one, which is freed if it is another; or null, and then nothing has
    // changed. Large blocks move by their page tables. Requires: the block is not null.
    [[nodiscard]] static void* reallocate(void* block, std::size_t bytes) noexcept {
        const std::size_t large = process_large::bytes_of(block);
        const std::size_t usable = large != 0 ? process_large::usable_bytes(block, large) : bytes_in_slab(block);
        // One that shrinks by half moves, so that its memory serves others.
        if constexpr (has_canaries) {
            if (large != 0 ? is_resized_large(block, large, bytes) : is_resized_in_slab(block, usable, bytes))
                return block;
        } else if (bytes <= usable && (bytes > usable / 2 || usable <= smallest_shrunk)) {
            return block;
        }
        if (large != 0 && bytes > largest_in_slab && bytes <= process_large::most) {
            if (void* const resized = process_large::resize(block, large, bytes)) return resized;
        }
        void* const moved = allocate(bytes);
        if (moved == nullptr) return bytes <= usable ? block : nullptr;
        std::memcpy(moved, block, detail::smaller(usable, bytes));
        deallocate(block);
        return moved;
    }

    // Effects: gives the system what neither another thread nor a block uses. Returns: whether there was any.
    static bool trim() noexcept {
        slab_upstream upstream;
        process_pool.trim(upstream);
        return process_large::trim();
    }

    // Effects: gives the system at most 256 KiB of what was not needed for a second. Returns: whether to call it again.
    static bool purge() noexcept { return process_large::purge(); }

private:
    // A slab has room for 9 blocks of 7 KiB, but for 7 of 8 KiB: with its header, they leave an eighth of it unused.
    static constexpr std::size_t largest_in_slab = 7168;

    static constexpr std::size_t smallest_shrunk = 128;

    using states = block_states<slab_class::granularity>;
    using canary = block_canary<slab_class>;
    using before = byte_before<slab_class>;

    [[nodiscard]] static bool begins_page(const void* block) noexcept {
        return reinterpret_cast<std::uintptr_t>(block) % page_granule == 0;
    }

    // Slow paths. Slabs come from the pages of large blocks.

    struct slab_upstream {
        static constexpr bool has_slabs = true;

        [[nodiscard]] static void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
            return process_large::allocate_pages(bytes, detail::larger(alignment, slab_bytes));
        }
        void deallocate(void* memory, std::size_t bytes, std::size_t /*alignment*/) noexcept {
            process_large::deallocate_pages(memory, bytes, !std::exchange(has_stepped_, true));
        }
        static void discard(void* begin, std::size_t bytes) noexcept { discard_part(begin, bytes); }

    private:
        bool has_stepped_ = false;  // one step is enough for a call that gives back many slabs
    };

    [[nodiscard]] FREEHOLD_NOINLINE static void* allocate_coarse(std::size_t bytes) noexcept {
        if (bytes <= largest_in_slab - least_canary)
            return allocate_in_slab(slab_class::of(bytes + least_canary), bytes);
        if (void* const recent = process_large::take_recent(bytes)) return recent;
        return allocate_large(bytes, 1).begin;
    }

    [[nodiscard]] FREEHOLD_NOINLINE static process_large::taken allocate_large(std::size_t bytes,
                                                                               std::size_t alignment) noexcept {
        if (bytes > process_large::most) return {};
        const process_large::taken found = process_large::allocate(bytes, alignment);
        if (found.begin != nullptr || !trim()) return found;
        return process_large::allocate(bytes, alignment);
    }

    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static void* allocate_in_slab(
        std::size_t block_class, std::size_t bytes,
        [[maybe_unused]] std::size_t alignment = slab_class::granularity) noexcept {
        void* const block = heap_in_process_pool->pop(block_class, bytes);
        if (block != nullptr) [[likely]] {
            if constexpr (has_canaries) canary::begin(block, bytes, slab_class::bytes_of(block_class));
            return block;
        }
        if constexpr (has_canaries) return find_for(block_class, bytes, alignment);
        return find(block_class, bytes);
    }

    FREEHOLD_ALWAYS_INLINE static void deallocate_in_slab(void* block) noexcept {
        if constexpr (is_hardened) {
            const std::uint8_t state = states::take_back(block);
            if (state == 0) [[unlikely]]
                return deallocate_strange(block);
            if constexpr (has_canaries) {
                const std::size_t block_bytes = slab::of(block)->bytes_of_hardened;
                if (!before::is_filled(block, block_bytes)) [[unlikely]]
                    return deallocate_beside(block, state);
                if (!canary::end(block, state, block_bytes)) return deallocate_used(block);
            }
        }
        give_back(block);
    }

    // Effects: puts the block, which is no longer in use, where it is free.
    FREEHOLD_ALWAYS_INLINE static void give_back(void* block) noexcept {
        slab* const origin = slab::of(block);
        FREEHOLD_EXPECTS(!(may_be_freed(block, origin) && is_free_in_process_pool(block)), "a block is freed twice");
        mark_freed(block, origin->block_bytes());
        block_lists* const heap = heap_in_process_pool;
        if (origin->is_current_of(heap)) [[likely]]
            return heap->push(block, origin->block_class);
        if (origin->home != heap) [[unlikely]]
            return send_home(block);
        if (origin->push(block)) [[unlikely]]
            finish_free(origin);
    }

    // Returns: how many bytes of the block, which is not a large one, may be used.
    [[nodiscard]] static std::size_t bytes_in_slab(void* block) noexcept {
        if constexpr (is_hardened) {
            const std::uint8_t state = states::state_in_use(block);
            if (state == 0) [[unlikely]] {
                const guarded_blocks::record* const guarded = guarded_blocks::find(block);
                if (guarded == nullptr) abort_with("what is resized is not the beginning of a block in use");
                return guarded->bytes;
            }
            if constexpr (has_canaries) return slab::of(block)->block_bytes() - states::rest_of(block, state);
        }
        return slab::of(block)->block_bytes();
    }

    // Returns: whether a block with room for `usable` bytes is kept for `bytes` bytes.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static bool is_kept(std::size_t usable, std::size_t bytes) noexcept {
        return bytes <= usable && (bytes > usable / 2 || usable <= smallest_shrunk);
    }

    // Returns: whether the block, of which `usable` bytes were asked for, has `bytes` bytes from now on.
    [[nodiscard]] static bool is_resized_in_slab(void* block, std::size_t usable, std::size_t bytes) noexcept {
        if (states::state_in_use(block) == 0) return bytes == usable;  // on a page of its own
        const std::size_t block_bytes = slab::of(block)->block_bytes();
        canary::expect_intact(block, block_bytes - usable, block_bytes);
        if (!is_kept(block_bytes - least_canary, bytes)) return false;
        canary::change(block, bytes, block_bytes);
        return true;
    }

    // Returns: whether the large block has `bytes` bytes from now on without another size of its pages.
    [[nodiscard]] static bool is_resized_large(void* block, std::size_t room, std::size_t bytes) noexcept {
        if (!is_kept(room - least_large_end, bytes)) return false;
        process_large::note_end(block, bytes, room);
        return true;
    }

    // Out of line and without a result, all of these, so that the fast path saves no register.

    FREEHOLD_NOINLINE static void deallocate_used(void* block) noexcept {
        canary::fill_used(block, slab::of(block)->bytes_of_hardened);
        give_back(block);
    }

    // Effects: frees the block, before which nothing is filled.
    FREEHOLD_COLD FREEHOLD_NOINLINE static void deallocate_beside(void* block, std::uint8_t state) noexcept {
        const std::size_t block_bytes = slab::of(block)->bytes_of_hardened;
        before::expect_filled(block, states::rest_of(block, state), block_bytes);
        if (!canary::end(block, state, block_bytes)) return deallocate_used(block);
        give_back(block);
    }

    FREEHOLD_COLD FREEHOLD_NOINLINE static void deallocate_strange(void* block) noexcept {
        const kept_errno kept;
        if (end_other_use(block, states::is_freed(block))) send_home(block);
    }

    FREEHOLD_NOINLINE static void deallocate_page(void* block) noexcept {
        if (block == nullptr || process_large::deallocate(block)) return;
        // A large block that is freed twice is in no slab. A hardened program checks all, also those on guarded pages.
        if (!is_hardened && !is_in_chunk(slab::of(block))) [[unlikely]]
            abort_with("what is freed is not the beginning of a block in use");
        deallocate_in_slab(block);
    }

    // Returns: false if this is no slab's header, as far as a glance tells.
    [[nodiscard]] static bool is_in_chunk(const slab* header) noexcept {
        const auto before =
            reinterpret_cast<std::uintptr_t>(header) - reinterpret_cast<std::uintptr_t>(header->first_of_chunk);
        return before < slab_cache::largest_chunk && before % slab_bytes == 0 && header->home != nullptr;
    }

    [[nodiscard]] FREEHOLD_NOINLINE static void* find(std::size_t block_class, std::size_t asked) noexcept {
        process_large::purge();
        slab_upstream upstream;
        pace(upstream);
        const std::size_t bytes = slab_class::bytes_of(block_class);
        void* const block = find_in_process_pool(upstream, block_class, bytes, asked);
        if (block != nullptr || !process_large::trim()) return block;
        return find_in_process_pool(upstream, block_class, bytes, 0);  // counted already
    }

    // Out of line, so that the fast path saves no register.
    [[nodiscard]] FREEHOLD_NOINLINE static void* find_for(std::size_t block_class, std::size_t bytes,
                                                          std::size_t alignment) noexcept {
        return begin_use_of_found<slab_class>(find(block_class, bytes), bytes, alignment);
    }

    FREEHOLD_NOINLINE static void send_home(void* block) noexcept {
        const kept_errno kept;
        slab_upstream upstream;
        send_home_in_process_pool(upstream, block);
    }

    FREEHOLD_NOINLINE static void finish_free(slab* counted) noexcept {
        const kept_errno kept;
        slab_upstream upstream;
        process_pool.finish_free(upstream, counted);
        pace(upstream);
    }

    // Effects: while much is idle, the lists of the thread's heap run empty now and then, so that find() is called and
    // gives it back.
    static void pace(slab_upstream& upstream) noexcept {
        if (heap_in_process_pool == &no_blocks) return;
        auto* const heap = static_cast<thread_heap*>(heap_in_process_pool);
        process_pool.take_in_rounds(upstream, *heap, process_large::has_much_idle() || heap->has_shrunk());
        if (heap->is_idle_step_due()) [[unlikely]]
            process_pool.discard_idle(upstream, *heap, static_cast<std::uint16_t>(coarse_seconds()));
    }
};

}  // namespace freehold::detail
