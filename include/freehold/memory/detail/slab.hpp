#pragma once
// What a warm allocation and a warm free of a small block touch: the class of its size, the calling thread's lists of
// free blocks, and the header of the slab that the block is in. All else that a pool does is in slab_pool.hpp.

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include "../../core/annotate.hpp"
#include "../../core/block_arithmetic.hpp"
#include "../../core/config.hpp"
#include "../../core/platform/thread_local.hpp"
#include "block_canary.hpp"
#include "block_states.hpp"
#include "hardening.hpp"
#include "sample_countdown.hpp"
#include "slab_cache.hpp"

namespace freehold::inline v0_2::detail {

// The sizes of the blocks in slabs: 16 bytes apart up to 1 KiB, beyond eight to a doubling. With four, programs that
// keep blocks of a few KiB, as databases do, take a sixth more memory. Up to 1 KiB, since a program with requests of
// all sizes below that would mispredict every other jump to a second way to compute the class.
//
// Invariant: a request that is rounded up to its alignment has a class whose size is a multiple of that alignment.
//
// Not 8 bytes apart, as in size_class.hpp: a free block may have to hold a block_batch, and few requests need rounding.
struct slab_class {
    static constexpr std::size_t granularity = 16;
    static constexpr std::size_t largest_fine = 1024;
    static constexpr std::size_t largest = 8192;

    // Requests of 0 bytes have class 0, so that they need no test.
    static constexpr std::size_t count = largest_fine / granularity + 1 + std::size_t{3} * 8;

    // Returns: the class of the smallest blocks with room for the bytes. Requires: bytes <= largest_fine.
    [[nodiscard]] static constexpr std::size_t of_fine(std::size_t bytes) noexcept {
        return (bytes + granularity - 1) / granularity;
    }

    // Returns: the same. Requires: bytes <= largest.
    [[nodiscard]] static constexpr std::size_t of(std::size_t bytes) noexcept {
        if (bytes <= largest_fine) return of_fine(bytes);
        // 2^(doubling - 1) < bytes <= 2^doubling, and the eighth that bytes falls in is one of 8 to 15.
        const auto doubling = static_cast<std::size_t>(std::bit_width(bytes - 1));
        const std::size_t eighth = (bytes - 1) >> (doubling - 4);
        return largest_fine / granularity + 1 + 8 * (doubling - 11) + (eighth - 8);
    }

    // Returns: the size of the blocks of the class.
    [[nodiscard]] static constexpr std::size_t bytes_of(std::size_t block_class) noexcept {
        if (block_class == 0) return granularity;
        if (block_class <= largest_fine / granularity) return block_class * granularity;
        const std::size_t coarse = block_class - largest_fine / granularity - 1;
        return (coarse % 8 + 9) << (7 + coarse / 8);
    }
};

static_assert(slab_class::of(slab_class::largest) + 1 == slab_class::count);
static_assert(slab_class::bytes_of(slab_class::count - 1) == slab_class::largest);

// The link that a block holds while it is free, and is marked as such.
struct free_block {
    free_link<free_block> next;
};

// Effects: turns the first bytes of a free block into a link before `next`. Returns: the link.
inline free_block* set_next(void* memory, free_block* next) noexcept {
    annotate_allocated(memory, sizeof(free_block));
    free_block* const block = ::new (memory) free_block{{next, memory}};
    annotate_free(memory, sizeof(free_block));
    return block;
}

FREEHOLD_INLINE_IF_HARDENED [[nodiscard]] inline free_block* next_of(const free_block* block) noexcept {
    return read_free(block).next.from(block);
}

// The free blocks of a heap, a list for each class: the part of a heap that a warm call touches.
template <class Sizes>
class basic_block_lists {
public:
    constexpr basic_block_lists() noexcept = default;
    basic_block_lists(const basic_block_lists&) = delete;
    basic_block_lists& operator=(const basic_block_lists&) = delete;

    // Returns: a block of the class, or null if the list is empty, or if the next block is due for a page of its own.
    FREEHOLD_INLINE_IF_HARDENED [[nodiscard]] free_block* pop(std::size_t block_class) noexcept {
        free_block* const block = lists_[block_class];
        if (block != nullptr) [[likely]] {
            if (countdown_.count()) [[unlikely]]
                return nullptr;
            take_first(block, block_class);
        }
        return block;
    }

    // Returns: the same for `bytes` bytes, or null if they are to be sampled, and is_sample_due() comes next.
    FREEHOLD_INLINE_IF_HARDENED [[nodiscard]] free_block* pop(std::size_t block_class, std::size_t bytes) noexcept {
        free_block* const block = lists_[block_class];
        if (block != nullptr) [[likely]] {
            if (countdown_.count() || until_sample_.count(bytes)) [[unlikely]]
                return nullptr;
            take_first(block, block_class);
        }
        return block;
    }

    // Effects: counts the bytes after pop() has returned null. Returns: whether they are to be sampled.
    [[nodiscard]] bool is_sample_due(std::size_t bytes, bool has_profile) noexcept {
        return until_sample_.is_due(bytes, has_profile);
    }

    void push(void* block, std::size_t block_class) noexcept {
        lists_[block_class] = detail::set_next(block, lists_[block_class]);
    }

protected:
    ~basic_block_lists() = default;

    // Effects: takes the first block out of the list, for use.
    FREEHOLD_INLINE_IF_HARDENED void take_first(free_block* block, std::size_t block_class) noexcept {
        [[maybe_unused]] std::uint8_t state = 0;
        if constexpr (is_hardened) state = block_states<Sizes::granularity>::hand_out(block);
        lists_[block_class] = next_of(block);
        if constexpr (has_canaries) block_canary<Sizes>::take(block, state, Sizes::bytes_of(block_class));
    }

    free_block* lists_[Sizes::count] = {};  // first: elsewhere g++ adds its offset by an instruction of its own
    // A pool of one thread has none.
    [[no_unique_address]] std::conditional_t<std::is_same_v<Sizes, slab_class>, sample_countdown, no_countdown>
        until_sample_;
    [[no_unique_address]] guard_countdown countdown_;
};

using block_lists = basic_block_lists<slab_class>;

using place_in_slab = std::uint16_t;  // in units of slab_class::granularity

struct block_batch;

// 64 KiB of blocks of one class, at a multiple of 64 KiB, behind this header.
//
// A slab is current, and then a freed block goes to the list of its heap; or it has a list of its own, and counts frees
// down: the first makes it available, the last one empty. See slab_heap.hpp.
//
// Invariant: `home`, `block_class`, `batch_length`, `bytes_of_hardened` and `is_sampled` are written before the first
// block is handed out, and do not change while any block of the slab is in use. A thread that was given a block may
// read them without synchronization. The rest is the owner's, and the record of the chunk the pool's.
struct alignas(64) slab {
    // Line 0: what other threads read when they free a block.
    block_lists* home;  // the heap that the blocks belong to; null under memcheck and in a pool of one thread
    // The heap whose current slab it is, or null. Atomic, since any thread may ask whether it is its own heap. Only
    // the thread that holds a heap writes its address here, or replaces it.
    std::atomic<const void*> current_in;
    std::uint16_t block_class;
    std::uint16_t batch_length;       // the number of blocks that are sent home at once
    std::uint16_t bytes_of_hardened;  // block_bytes(), in a hardened program, whose frees need it
    std::uint16_t is_sampled;         // whether its blocks are in a heap profile; 0 or 1

    // The slabs of one upstream allocation. Only the record in the first of them is used; slab_cache has it.
    slab* first_of_chunk;
    slab_chunk<slab> chunk;

    // Line 1: what the owner writes, apart from what other threads read.
    alignas(64) free_block* free;  // its own list
    std::uint32_t due;    // frees until slab_heap::requeue() lists it: as available after 1, as empty after all others
    std::uint32_t rest;   // those others, while the first is due
    std::uint16_t uncut;  // a bit for each page whose blocks are in no list and not in use (slab_pages.hpp)
    std::uint16_t idle_since;     // the second in which its free blocks were needed last, or became free
    std::uint32_t due_when_idle;  // `due` when its free pages were looked for, or 0
    block_batch* batches;         // those that have come home and are not in a list yet
    slab* next;                   // in a list of the heap
    slab* previous;

    [[no_unique_address]] heap_seal seal;

    static constexpr std::size_t max_batch = 32;

    // Returns: the slab that the memory is part of, as header_of(), but here, so that a warm free enters no other file.
    [[nodiscard]] static slab* of(void* memory) noexcept {
        return reinterpret_cast<slab*>(reinterpret_cast<std::uintptr_t>(memory) & ~std::uintptr_t{slab_bytes - 1});
    }

    // relaxed, here and below: see `current_in`
    [[nodiscard]] bool is_current_of(const void* heap) const noexcept {
        return current_in.load(std::memory_order_relaxed) == heap;
    }

    [[nodiscard]] bool is_current() const noexcept { return !is_current_of(nullptr); }

    // Effects: aborts a hardened program if this is no slab. A current one is: only an address of a heap says so.
    void expect_genuine() const noexcept {
        if constexpr (is_hardened) {
            if (!seal.is_set()) [[unlikely]]
                abort_with("what is freed is not the beginning of a block in use");
        }
    }

    void set_current_in(const void* heap) noexcept { current_in.store(heap, std::memory_order_relaxed); }

    // Effects: puts the block into the slab's own list. Returns: whether that matters: slab_heap::requeue() comes next
    // then. Requires: the caller is the owner, and the slab is not current.
    FREEHOLD_INLINE_IF_HARDENED [[nodiscard]] bool push(void* block) noexcept {
        free = set_next(block, free);
        return --due == 0;
    }

    // Returns: the place of the block in the slab.
    [[nodiscard]] place_in_slab place_of(const void* block) noexcept {
        const auto bytes = static_cast<std::size_t>(static_cast<const std::byte*>(block) - memory());
        return static_cast<place_in_slab>(bytes / slab_class::granularity);
    }

    [[nodiscard]] void* block_at(place_in_slab place) noexcept { return memory() + place * slab_class::granularity; }

    // Returns: whether the block begins in a page whose bit is set in `uncut`: it is not in use. Requires: the caller
    // is the owner.
    [[nodiscard]] bool is_uncut(const void* block) noexcept {
        constexpr std::size_t pages = 8 * sizeof(uncut);
        const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(block) - memory());
        return (uncut >> offset / (slab_bytes / pages) & 1) != 0;
    }

    // Returns: the size of the blocks. Requires: their classes are slab_class's.
    [[nodiscard]] std::size_t block_bytes() const noexcept { return slab_class::bytes_of(block_class); }

    // Returns: the first byte of the slab.
    [[nodiscard]] std::byte* memory() noexcept { return reinterpret_cast<std::byte*>(this); }
};

// Returns: how the blocks of a slab of the class lie.
template <class Sizes>
[[nodiscard]] constexpr block_layout layout_of_class(std::size_t block_class) noexcept {
    const std::size_t bytes = Sizes::bytes_of(block_class);
    const std::size_t before = is_hardened ? block_states<Sizes::granularity>::bytes_before(bytes) : sizeof(slab);
    return detail::layout_of_slab(before, bytes);
}

// The lists of a thread that holds no heap. Nothing is pushed to them: they are the home of no slab.
struct empty_block_lists : block_lists {};
inline constinit empty_block_lists no_blocks;

// The heap of the calling thread in the pool of the process. Never null, so that a warm call needs no test.
#ifndef FREEHOLD_HARDENED
FREEHOLD_STATIC_TLS inline constinit thread_local block_lists* heap_in_process_pool
    FREEHOLD_THREAD_SYMBOL("freehold_heap_v0_2") = &no_blocks;
#else
// Under another name; the usual one is not thread-local, so that the linker refuses a program that is hardened in part.
FREEHOLD_STATIC_TLS inline constinit thread_local block_lists* heap_in_process_pool
    FREEHOLD_THREAD_SYMBOL("freehold_hardened_heap_v0_2") = &no_blocks;
[[gnu::used]] inline constinit char all_files_are_hardened FREEHOLD_SYMBOL("freehold_heap_v0_2") = 0;
#endif

FREEHOLD_PER_THREAD_ACCESS [[nodiscard]] inline block_lists* this_heap_in_process_pool() noexcept {
    return heap_in_process_pool;
}

}  // namespace freehold::detail
