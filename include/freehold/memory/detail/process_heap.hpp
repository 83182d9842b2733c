#pragma once
// process_heap: what operator new and malloc are made of. Blocks of up to 8 KiB come from the slabs of the process's
// pool, larger ones one by one from process_pages.
//
// A block is freed without its size. Blocks in a slab find it in the header of the slab. Large blocks begin at a
// multiple of a page; few others do, and these are told apart by counts and by the records of large blocks.
//
// Thread safety: any thread may call any function, also before main and in its last destructors. Exceptions: none.
// Cost: a warm call is that of small_block_pool; a large block takes a lock, and a hashed record of 40 bytes.

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

#include "../../core/alignment.hpp"
#include "../../core/block_arithmetic.hpp"
#include "../pool_statistics.hpp"
#include "../small_block_pool.hpp"
#include "block_lists.hpp"
#include "end_of_use.hpp"
#include "freed_mark.hpp"
#include "large_blocks.hpp"
#include "pages.hpp"
#include "process_pages.hpp"
#include "process_pool.hpp"
#include "recent_blocks.hpp"
#include "static_mutex.hpp"
#include "thread_heap.hpp"

namespace freehold::detail {

// How many large blocks begin in each 64 KiB, modulo 4 GiB. Thread safety: a mutex guards what changes it.
class large_block_counts {
public:
    void add(const void* block) noexcept {
        const std::uint8_t before = of(block);
        if (before != sticky) count_of(block).store(before + 1, std::memory_order_relaxed);
    }

    void remove(const void* block) noexcept {
        const std::uint8_t before = of(block);
        if (before != sticky) count_of(block).store(before - 1, std::memory_order_relaxed);
    }

    // Returns: 0 only if no large block begins there. Any thread may call it.
    [[nodiscard]] std::uint8_t of(const void* block) const noexcept {
        // relaxed, all: who was handed a block sees that it was counted
        return counts_[index_of(block)].load(std::memory_order_relaxed);
    }

private:
    static constexpr std::size_t size = 65536;
    static constexpr std::uint8_t sticky = UINT8_MAX;

    [[nodiscard]] static std::size_t index_of(const void* block) noexcept {
        return reinterpret_cast<std::uintptr_t>(block) / slab_bytes % size;
    }

    [[nodiscard]] std::atomic<std::uint8_t>& count_of(const void* block) noexcept { return counts_[index_of(block)]; }

    std::atomic<std::uint8_t> counts_[size] = {};
};

class process_heap {
public:
    // Returns: `bytes` bytes aligned to 16, or null if there is no memory. The address is unique even if `bytes` is 0.
    [[nodiscard, gnu::always_inline]] static void* allocate(std::size_t bytes) noexcept {
        if (bytes > slab_class::largest_fine) [[unlikely]]
            return allocate_coarse(bytes);
        const std::size_t block_class = slab_class::of_fine(bytes);
        void* const block = heap_in_process_pool->pop(block_class);
        if (block != nullptr) [[likely]]
            return block;
        return find(block_class);
    }

    // Returns: the same, aligned to `alignment`. Requires: it is a power of two.
    [[nodiscard]] static void* allocate_aligned(std::size_t bytes, std::size_t alignment) noexcept {
        if (alignment <= slab_class::granularity) return allocate(bytes);
        if (bytes > process_pages::most || alignment > process_pages::most) return nullptr;
        const std::size_t padded = round_up(detail::max(bytes, std::size_t{1}), alignment);
        if (padded > slab_class::largest) return allocate_large(bytes, alignment).begin;
        return allocate_in_slab(slab_class::of(padded));
    }

    // Returns: `bytes` bytes that are 0, or null.
    [[nodiscard]] static void* allocate_zeroed(std::size_t bytes) noexcept {
        process_pages::taken block{};
        if (bytes > slab_class::largest) {
            block = allocate_large(bytes, 1);
        } else {
            block.begin = allocate(bytes);
        }
        if (block.begin != nullptr && !block.is_zero) std::memset(block.begin, 0, bytes);
        return block.begin;
    }

    // Effects: frees the block; none if it is null.
    [[gnu::always_inline]] static void deallocate(void* block) noexcept {
        if (begins_page(block)) [[unlikely]]
            return deallocate_page(block);
        deallocate_in_slab(block);
    }

    // Returns: how many bytes the block has room for; 0 if it is null.
    [[nodiscard]] static std::size_t usable_bytes(void* block) noexcept {
        const std::size_t bytes = large_bytes(block);
        return bytes != 0 || block == nullptr ? bytes : bytes_in_slab(block);
    }

    // Returns: a block with the contents of this one, which is freed if it is another; or null, and then nothing has
    // changed. Large blocks move by their page tables. Requires: the block is not null.
    [[nodiscard]] static void* reallocate(void* block, std::size_t bytes) noexcept {
        const std::size_t large = large_bytes(block);
        const std::size_t usable = large != 0 ? large : bytes_in_slab(block);
        // One that shrinks by half moves, so that its memory serves others.
        if (bytes <= usable && (bytes > usable / 2 || usable <= smallest_shrunk)) return block;
        if (large != 0 && bytes > slab_class::largest && bytes <= process_pages::most) {
            if (void* const resized = resize_large(block, usable, bytes)) return resized;
        }
        void* const moved = allocate(bytes);
        if (moved == nullptr) return bytes <= usable ? block : nullptr;
        std::memcpy(moved, block, detail::min(usable, bytes));
        deallocate(block);
        return moved;
    }

private:
    static constexpr std::size_t smallest_shrunk = 128;

    // Less is copied in the time that the system takes to move pages.
    static constexpr std::size_t smallest_remapped = std::size_t{256} * 1024;

    [[nodiscard]] static bool begins_page(const void* block) noexcept {
        return reinterpret_cast<std::uintptr_t>(block) % page_granule == 0;
    }

    [[nodiscard, gnu::noinline]] static void* allocate_coarse(std::size_t bytes) noexcept {
        if (bytes > slab_class::largest) return allocate_large(bytes, 1).begin;
        return allocate_in_slab(slab_class::of(bytes));
    }

    [[nodiscard]] static void* allocate_in_slab(std::size_t block_class) noexcept {
        void* const block = heap_in_process_pool->pop(block_class);
        return block != nullptr ? block : find(block_class);
    }

    [[gnu::always_inline]] static void deallocate_in_slab(void* block) noexcept {
#ifdef FREEHOLD_HARDENED
        if (!block_states<slab_class::granularity>::take_back(block)) [[unlikely]]
            return deallocate_strange(block);
#endif
        slab* const origin = slab::of(block);
        FREEHOLD_EXPECTS(!(is_marked_freed(block, origin->block_bytes()) && is_free_in_process_pool(block)),
                         "a block is freed twice");
        mark_freed(block, origin->block_bytes());
        block_lists* const heap = heap_in_process_pool;
        if (origin->is_current_of(heap)) [[likely]]
            return heap->push(block, origin->block_class);
        if (origin->home != heap) [[unlikely]]
            return send_home(block, origin);
        if (origin->push(block)) [[unlikely]]
            settle(origin);
    }

    // Returns: the size of the block, which is not a large one.
    [[nodiscard]] static std::size_t bytes_in_slab(void* block) noexcept {
#ifdef FREEHOLD_HARDENED
        if (!block_states<slab_class::granularity>::is_in_use(block)) [[unlikely]] {
            const guarded_blocks::record* const guarded = guarded_blocks::find(block);
            if (guarded == nullptr) heap_is_corrupt("what is resized is not the beginning of a block in use");
            return guarded->bytes;
        }
#endif
        return slab::of(block)->block_bytes();
    }

#ifdef FREEHOLD_HARDENED
    // Out of line and without a result, so that the fast path saves no register.
    [[gnu::cold, gnu::noinline]] static void deallocate_strange(void* block) noexcept {
        if (end_other_use(block, block_states<slab_class::granularity>::is_freed(block))) {
            send_home(block, slab::of(block));
        }
    }
#endif

    // Slow paths, as those of small_block_pool.

    // The upstream of the pool of slabs.
    struct slab_upstream {
        [[nodiscard]] static void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
            const static_lock held(mutex());
            return pages_for(bytes, detail::max(alignment, slab_bytes)).begin;
        }
        static void deallocate(void* memory, std::size_t bytes, std::size_t /*alignment*/) noexcept {
            put({static_cast<std::byte*>(memory), process_pages::size_of(bytes)});
        }
    };

    [[nodiscard, gnu::noinline]] static void* find(std::size_t block_class) noexcept {
        slab_upstream upstream;
        if (heap_in_process_pool != &no_blocks) [[likely]] {
            auto* const heap = static_cast<thread_heap*>(heap_in_process_pool);
#ifdef FREEHOLD_HARDENED
            if (void* const guarded = heap->find_guarded(block_class)) return guarded;
#endif
            if (void* const block = process_pool.find_in(upstream, *heap, block_class)) return block;
        }
        survive_fork();
        return process_pool.find(upstream, block_class, slab_class::bytes_of(block_class), true);
    }

    [[gnu::noinline]] static void send_home(void* block, slab* origin) noexcept {
        slab_upstream upstream;
        if (heap_in_process_pool != &no_blocks) [[likely]]
            return process_pool.free_remote(upstream, *static_cast<thread_heap*>(heap_in_process_pool), block, origin);
        process_pool.send_home(upstream, block);
    }

    [[gnu::noinline]] static void settle(slab* counted) noexcept {
        slab_upstream upstream;
        process_pool.settle(upstream, counted);
    }

    // Large blocks. The mutex guards their records and the pages.

    [[nodiscard]] static static_mutex& mutex() noexcept { return pool_mutexes[1]; }

    static void put(page_range freed) noexcept {
        page_range old;
        {
            const static_lock held(mutex());
            old = pages_.put(freed);
        }
        process_pages::give_back(old);
    }

    // The upstream of large blocks and of their records, while the mutex is locked.
    struct large_upstream {
        bool is_zero = false;
        page_range old{};

        [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
            const process_pages::taken found = pages_for(bytes, alignment);
            is_zero = found.is_zero;
            return found.begin;
        }
        void deallocate(void* memory, std::size_t bytes, std::size_t /*alignment*/) noexcept {
            old = pages_.put({static_cast<std::byte*>(memory), process_pages::size_of(bytes)});
        }
    };

    // Returns: pages. Before there are none, the blocks that were freed last go back. Requires: the mutex is locked.
    [[nodiscard]] static process_pages::taken pages_for(std::size_t bytes, std::size_t alignment) noexcept {
        const process_pages::taken found = pages_.take(bytes, alignment);
        if (found.begin != nullptr) [[likely]]
            return found;
        recent_.take_all([](void* block) {
            large_upstream upstream;
            forget(upstream, block);
            process_pages::give_back(upstream.old);
        });
        return pages_.take(bytes, alignment);
    }

    // For a block whose pages have moved.
    struct no_upstream {
        static void deallocate(void* /*memory*/, std::size_t /*bytes*/, std::size_t /*alignment*/) noexcept {}
    };

    // Returns: the records, made when they are first asked for, since that may be before any constructor runs. They are
    // never destroyed. Requires: the mutex is locked.
    [[nodiscard]] static large_blocks& large() noexcept {
        alignas(large_blocks) static constinit std::byte memory[sizeof(large_blocks)] = {};
        static constinit large_blocks* made = nullptr;
        if (made == nullptr) {
            made = ::new (memory) large_blocks;
            add_process_heap.store(add_statistics, std::memory_order_release);  // pairs with process_pool_statistics()
        }
        return *made;
    }

    static void add_statistics(pool_statistics& found) noexcept {
        const static_lock held(mutex());
        found.large = large().bytes() - recent_.bytes();
        found.large_blocks = large().count() - recent_.count();
        found.idle = pages_.idle_bytes() + recent_.bytes();
    }

    // Returns: what a large block for `bytes` bytes has room for.
    [[nodiscard]] static std::size_t room_for(std::size_t bytes) noexcept {
        return process_pages::size_of(detail::max(bytes, std::size_t{1}));
    }

    // Effects: gives the large block to the upstream. Requires: the mutex is locked.
    template <class Upstream>
    static void forget(Upstream& upstream, void* block) noexcept {
        counts_.remove(block);
        large().deallocate(upstream, block, large().find(block));
    }

    // Returns: the bytes of the block, or 0 if it is in a slab or null.
    [[nodiscard]] static std::size_t large_bytes(const void* block) noexcept {
        if (!begins_page(block) || counts_.of(block) == 0) return 0;
        const static_lock held(mutex());
        return large().find(block);
    }

    [[nodiscard, gnu::noinline]] static process_pages::taken allocate_large(std::size_t bytes,
                                                                            std::size_t alignment) noexcept {
        if (bytes > process_pages::most) return {};
        survive_fork();
        const std::size_t room = room_for(bytes);
        large_upstream upstream;
        void* block = nullptr;
        {
            const static_lock held(mutex());
            if (alignment <= page_granule) block = recent_.take(room);
            if (block != nullptr) return {block, false};
            block = large().allocate(upstream, room, detail::max(alignment, page_granule));
            if (block != nullptr) counts_.add(block);
        }
        return {block, upstream.is_zero};
    }

    [[gnu::noinline]] static void deallocate_page(void* block) noexcept {
        if (block == nullptr) return;
        if (counts_.of(block) != 0) {
            large_upstream upstream;
            std::size_t bytes = 0;
            {
                const static_lock held(mutex());
                bytes = large().find(block);
                if (bytes != 0 && !recent_.put(block, bytes)) forget(upstream, block);
            }
            if (upstream.old.bytes != 0) {
                const int error = errno;  // free() does not change it
                process_pages::give_back(upstream.old);
                errno = error;
            }
            if (bytes != 0) return;
        }
        deallocate_in_slab(block);
    }

    static void set_bytes(void* block, std::size_t bytes) noexcept {
        const static_lock held(mutex());
        large().resize(block, room_for(bytes));
    }

    // Returns: the large block with another size, perhaps at another address; or null, and then nothing has changed.
    [[nodiscard]] static void* resize_large(void* block, std::size_t usable, std::size_t bytes) noexcept {
        const std::size_t after = room_for(bytes);
        if (after <= usable) {
            set_bytes(block, bytes);
            if (after < usable) put({static_cast<std::byte*>(block) + after, usable - after});
            return block;
        }
#ifdef MREMAP_FIXED
        if (usable >= smallest_remapped) return remap_large(block, usable, bytes);
#endif
        return nullptr;
    }

#ifdef MREMAP_FIXED
    [[nodiscard]] static void* remap_large(void* block, std::size_t usable, std::size_t bytes) noexcept {
        const std::size_t after = room_for(bytes);
        if (::mremap(block, usable, after, 0) != MAP_FAILED) {
            set_bytes(block, bytes);
            return block;
        }
        if (errno == EFAULT) return nullptr;  // they are of several mappings, which do not move as one
        void* const moved = allocate_large(bytes, 1).begin;
        if (moved == nullptr) return nullptr;
        const bool has_moved = ::mremap(block, usable, after, MREMAP_MAYMOVE | MREMAP_FIXED, moved) != MAP_FAILED;
        // If the system has failed, nobody knows whether the pages at the new address are still there: they are lost.
        void* const lost = has_moved ? block : moved;
        no_upstream upstream;
        const static_lock held(mutex());
        forget(upstream, lost);
        return has_moved ? moved : nullptr;
    }
#endif

    static inline constinit process_pages pages_;
    static inline constinit recent_blocks recent_;
    static inline constinit large_block_counts counts_;
};

}  // namespace freehold::detail
