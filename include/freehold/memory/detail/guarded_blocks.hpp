#pragma once
// guarded_blocks: in a hardened program, a sample of the blocks on pages of their own, as GWP-ASan has them.
//
// Such a block begins or ends its page, and the pages around it cannot be accessed; nor can its own page between its
// free and its next use. Pages are used in turn, so that a freed one stays closed as long as possible.
//
// A page lies in what looks like a slab without a block in use, so that only frees that look wrong are concerned:
// its header, which any module finds, leads to the records.
//
// Thread safety: any thread may call any function, also between a fork and its end; there is no mutex.
// Exceptions: none. Cost: two calls of the system for a block; 2 MiB of addresses, of which at most 1 MiB is touched.

#include <cstddef>
#include <cstdint>

#include "../../core/config.hpp"
#include "block_canary.hpp"
#include "hardening.hpp"

#ifdef FREEHOLD_HARDENED  // elsewhere none of these headers is needed

#include <atomic>
#include <cstdlib>
#include <new>

#include "../../core/alignment.hpp"
#include "../../core/platform/page_changes.hpp"
#include "../../core/platform/pages.hpp"
#include "slab.hpp"

namespace freehold::inline v0_2::detail {

class guarded_blocks {
public:
    static constexpr std::size_t page = page_granule;

    // Calls that led to a block's allocation or free.
    struct call_stack {
        static constexpr int most = 16;
        void* calls[most];
        int count;

        void note(bool is_wanted) noexcept { count = is_wanted ? note_calls(calls, most) : 0; }
    };

    enum class state : std::uint8_t { unused, in_use, freed };

    struct record {
        std::atomic<state> now;
        std::size_t bytes;
        std::byte* block;
        call_stack allocated;
        call_stack freed;
    };

    // Returns: the mean number of blocks from one that is guarded to the next, or 0 if none is: the environment's
    // FREEHOLD_GUARD_RATE, or 5000. AddressSanitizer finds the same errors, in all blocks.
    [[nodiscard]] static std::uint32_t rate() noexcept {
        const std::int64_t known = rate_.load(std::memory_order_relaxed);  // relaxed: all find the same
        if (known >= 0) [[likely]]
            return static_cast<std::uint32_t>(known);
        std::int64_t found = 5000;
#ifdef FREEHOLD_ADDRESS_SANITIZER
        found = 0;
#else
        // NOLINTNEXTLINE(concurrency-mt-unsafe): no program changes this variable while it runs
        if (const char* const set = std::getenv("FREEHOLD_GUARD_RATE")) {
            char* end = nullptr;
            const long long asked = std::strtoll(set, &end, 10);
            if (end != set && *end == '\0' && asked >= 0 && asked <= most_rate) {
                found = asked;
            } else {
                write_error("freehold: FREEHOLD_GUARD_RATE is no number from 0 to 1073741824: 5000 is used\n");
            }
        }
#endif
        rate_.store(found, std::memory_order_relaxed);
        return static_cast<std::uint32_t>(found);
    }

    // Returns: the number of blocks up to the next one that is guarded.
    [[nodiscard]] static std::uint32_t distance(heap_random& random) noexcept {
        return rate() == 0 ? 2 * most_rate : 1 + random.below(2 * rate());
    }

    // Returns: a block at the end of a page or at its beginning, or null.
    [[nodiscard]] static void* allocate(std::size_t bytes, heap_random& random) noexcept {
        if (!has_room || bytes > page) return nullptr;
        guarded_blocks* all = known();
        if (all == nullptr) [[unlikely]]
            all = make();
        if (all == nullptr) return nullptr;
        constexpr int most_tried = 8;
        for (int tried = 0; tried < most_tried; ++tried) {
            // relaxed: only a turn
            const std::size_t index = all->next_.fetch_add(1, std::memory_order_relaxed) % slot_count;
            record& mine = all->records_[index];
            state before = mine.now.load(std::memory_order_relaxed);  // relaxed: compared again below
            // acquire: pairs with the release of deallocate(), whose thread wrote the record
            if (before == state::in_use ||
                !mine.now.compare_exchange_strong(before, state::in_use, std::memory_order_acquire)) {
                continue;
            }
            std::byte* const begin = all->page_of(index);
            mine.bytes = bytes;
            mine.block = begin + (random.below(2) == 0 ? 0 : page - bytes);
            if (!open_pages(begin, page)) {
                // release: as in deallocate()
                mine.now.store(state::unused, std::memory_order_release);
                return nullptr;
            }
            const canary_filling filling(begin);
            for (std::size_t at = 0; at != page; at += canary_filling::bytes_of_pair) filling.write(begin + at);
            mine.allocated.note(keeps_calls.load(std::memory_order_relaxed));
            return mine.block;
        }
        return nullptr;
    }

    // Effects: notes that `bytes` bytes of the block, which is unused yet, were asked for. If it ends its page, it
    // moves there. Returns: the block.
    [[nodiscard]] static void* begin(void* block, std::size_t bytes, std::size_t alignment) noexcept {
        record& mine = *find(block);
        std::byte* const first = begin_of_page(block);
        mine.bytes = bytes;
        if (mine.block != first)
            mine.block = first + (page - round_up(detail::larger(bytes, std::size_t{1}), alignment));
        return mine.block;
    }

    // Returns: the record of the guarded block, or null if the memory is none of theirs.
    [[nodiscard]] static record* find(void* block) noexcept {
        slab* const origin = slab::of(block);
        if (origin->block_class != class_of_guarded) return nullptr;
        auto* const all = reinterpret_cast<guarded_blocks*>(origin->home);
        const auto offset = static_cast<std::size_t>(static_cast<std::byte*>(block) - all->begin_);
        record* const found = all->record_of_page(offset / page);
        if (found == nullptr) abort_with("what is freed is not the beginning of a block in use");
        return found;
    }

    // Effects: closes the page of the block. Aborts if it is none in use.
    static void deallocate(void* block, record& of_block) noexcept {
        state expected = state::in_use;
        if (of_block.now.load(std::memory_order_relaxed) == expected && of_block.block != block) {
            abort_with("what is freed is not the beginning of a block in use");
        }
        std::byte* const begin = begin_of_page(block);
        if (of_block.now.load(std::memory_order_relaxed) == expected) expect_intact(begin, of_block);
        of_block.freed.note(keeps_calls.load(std::memory_order_relaxed));
        close_pages(begin, page);
        // release: pairs with the acquire of allocate()
        if (!of_block.now.compare_exchange_strong(expected, state::freed, std::memory_order_release,
                                                  std::memory_order_relaxed)) {
            abort_with("a block is freed twice");
        }
    }

    // Returns: the guarded blocks of this module, or null if there are none yet.
    [[nodiscard]] static guarded_blocks* known() noexcept {
        // acquire: pairs with the release of make()
        return of_module_.load(std::memory_order_acquire);
    }

    // Returns: whether the address is among their pages.
    [[nodiscard]] bool contains(const void* address) const noexcept {
        return address_of(address) - address_of(begin_) < units * slab_bytes;
    }

    // What an access to an address concerns.
    struct access {
        const record* block;  // or null
        std::ptrdiff_t past_end;
        std::ptrdiff_t before_begin;
    };

    // Returns: the block that is meant most probably. Requires: contains(address).
    [[nodiscard]] access explain(const void* address) noexcept {
        const auto* const accessed = static_cast<const std::byte*>(address);
        const std::size_t number = static_cast<std::size_t>(accessed - begin_) / page;
        access nearest{};
        std::size_t least = SIZE_MAX;
        for (std::size_t neighbor = number == 0 ? 0 : number - 1; neighbor <= number + 1; ++neighbor) {
            const record* const each = record_of_page(neighbor);
            if (each == nullptr || each->now.load(std::memory_order_relaxed) == state::unused) continue;
            const std::ptrdiff_t past = accessed - (each->block + each->bytes) + 1;
            const std::ptrdiff_t before = each->block - accessed;
            const std::size_t distance = neighbor == number ? 0 : static_cast<std::size_t>(past > 0 ? past : before);
            if (distance < least) {
                least = distance;
                nearest = {each, past, before};
            }
        }
        return nearest;
    }

    // Whether records say which calls allocated and freed a block. Statically initialized, as all here.
    static inline constinit std::atomic<bool> keeps_calls = false;

private:
    static constexpr std::uint16_t class_of_guarded = UINT16_MAX - 1;  // of no slab
    static constexpr std::size_t units = 32;                           // each looks like a slab
    static constexpr std::size_t pages = slab_bytes / page;
    // The header, then a closed page before each block's and one after the last. Where pages may be as large as a slab,
    // none has room, and nothing is guarded.
    static constexpr bool has_room = pages >= 4;
    static constexpr std::size_t slots_of_unit = has_room ? (pages - 2) / 2 : 1;
    static constexpr std::size_t slot_count = units * slots_of_unit;
    static constexpr std::int64_t most_rate = std::int64_t{1} << 30;

    [[nodiscard]] static std::byte* begin_of_page(void* address) noexcept {
        return reinterpret_cast<std::byte*>(address_of(address) & ~(page - 1));
    }

    // Effects: aborts if the rest of the block's page was written to.
    static void expect_intact(const std::byte* first, const record& of_block) noexcept {
        const canary_filling filling(first);
        const std::byte* wrong = filling.find_other(first, of_block.block);
        if (wrong == of_block.block) wrong = filling.find_other(of_block.block + of_block.bytes, first + page);
        if (wrong != first + page) abort_at_overrun(of_block.block, of_block.bytes, wrong - of_block.block);
    }

    [[nodiscard]] std::byte* page_of(std::size_t index) const noexcept {
        return begin_ + index / slots_of_unit * slab_bytes + (2 + index % slots_of_unit * 2) * page;
    }

    // Returns: the record of the slot with the page, or null.
    [[nodiscard]] record* record_of_page(std::size_t number) noexcept {
        const std::size_t in_unit = number % pages;
        if (number >= units * pages || in_unit < 2 || in_unit % 2 != 0) return nullptr;
        return &records_[number / pages * slots_of_unit + (in_unit - 2) / 2];
    }

    [[nodiscard]] FREEHOLD_COLD FREEHOLD_NOINLINE static guarded_blocks* make() noexcept {
        constexpr std::size_t before = (sizeof(guarded_blocks) + slab_bytes - 1) / slab_bytes * slab_bytes;
        constexpr std::size_t bytes = before + units * slab_bytes;
        void* const memory = take_pages(bytes, slab_bytes);
        if (memory == nullptr) return nullptr;
        auto* const made = ::new (memory) guarded_blocks(static_cast<std::byte*>(memory) + before);
        guarded_blocks* found = nullptr;
        // release: pairs with the acquire of known()
        if (made->close() &&
            of_module_.compare_exchange_strong(found, made, std::memory_order_release, std::memory_order_relaxed)) {
            return made;
        }
        give_back_pages(memory, bytes);
        return known();
    }

    explicit guarded_blocks(std::byte* begin) noexcept : begin_(begin) {}

    // Effects: makes all pages but the headers inaccessible. Returns: whether the system has done so.
    [[nodiscard]] bool close() noexcept {
        for (std::size_t unit = 0; unit < units; ++unit) {
            auto* const header = reinterpret_cast<slab*>(begin_ + unit * slab_bytes);
            header->block_class = class_of_guarded;
            header->home = reinterpret_cast<block_lists*>(this);
            if (!close_pages(header->memory() + page, slab_bytes - page)) return false;
        }
        return true;
    }

    static inline constinit std::atomic<guarded_blocks*> of_module_ = nullptr;
    static inline constinit std::atomic<std::int64_t> rate_ = -1;  // not known

    std::byte* begin_;
    std::atomic<std::size_t> next_ = 0;
    record records_[slot_count] = {};
};

}  // namespace freehold::detail

#else

namespace freehold::inline v0_2::detail {

// Named, and not called.
struct guarded_blocks {
    struct record {
        std::size_t bytes;
    };

    [[nodiscard]] static std::uint32_t distance(heap_random& random) noexcept;
    [[nodiscard]] static void* allocate(std::size_t bytes, heap_random& random) noexcept;
    [[nodiscard]] static record* find(void* block) noexcept;
    static void deallocate(void* block, record& of_block) noexcept;
    [[nodiscard]] static void* begin(void* block, std::size_t bytes, std::size_t alignment) noexcept;
};

}  // namespace freehold::detail

#endif
