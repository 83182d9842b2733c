#pragma once
// heap_samples: the sampled blocks that are in use, by their addresses, and what each site has allocated and freed.
//
// It lies in pages of its own, which are never given back: a block may be freed by another module than the one that
// sampled it, and after that was unloaded. The stacks are in memory/detail/sampled_stacks.hpp, which only a program
// with a heap profile has.
//
// Thread safety: any thread may call any function. There is no lock, so a forked child may go on. Exceptions: none.
// Cost: 2 MiB of addresses, of which a block touches two pages.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../../core/config.hpp"
#include "../../core/platform/memory_probes.hpp"
#include "../../core/threading.hpp"
#include "sample_countdown.hpp"

namespace freehold::inline v0_2::detail {

// What one sample stands for: the size of the block and 1, divided by the probability that it is sampled.
struct sample_weight {
    static constexpr std::uint64_t one_object = 65536;

    std::uint64_t bytes;
    std::uint64_t objects;  // in units of 1 / one_object

    // Requires: bytes > 0.
    [[nodiscard]] static sample_weight of(std::size_t bytes) noexcept {
        double share = static_cast<double>(bytes) / static_cast<double>(sample_countdown::mean);
        if (share > 40) return {bytes, one_object};  // 1 - exp(-40) is 1 in a double
        int halvings = 0;
        for (; share > 1. / 16; share /= 2) ++halvings;
        // 1 - exp(-share), by its series; and for twice a share p(2x) = p(x) * (2 - p(x)).
        double sampled =
            share * (1 - share / 2 * (1 - share / 3 * (1 - share / 4 * (1 - share / 5 * (1 - share / 6)))));
        for (; halvings > 0; --halvings) sampled *= 2 - sampled;
        return {static_cast<std::uint64_t>(static_cast<double>(bytes) / sampled),
                static_cast<std::uint64_t>(static_cast<double>(one_object) / sampled)};
    }
};

// What the samples of a site stand for.
//
// Invariant: who reads `freed` before `allocated` finds no more in the first.
template <class Threading>
class basic_sample_sums {
public:
    struct sums {
        std::uint64_t bytes;
        std::uint64_t objects;  // in units of 1 / sample_weight::one_object
    };

    void add_allocated(sample_weight more) noexcept {
        // relaxed: whoever frees the block has seen this, since it was handed the block
        allocated_bytes_.fetch_add(more.bytes, std::memory_order_relaxed);
        allocated_objects_.fetch_add(more.objects, std::memory_order_relaxed);
    }

    void add_freed(sample_weight more) noexcept {
        // release, both: pair with the acquires of freed(), whose thread then sees the block as allocated as well
        freed_bytes_.fetch_add(more.bytes, std::memory_order_release);
        freed_objects_.fetch_add(more.objects, std::memory_order_release);
    }

    [[nodiscard]] sums freed() const noexcept {
        // acquire, both: pair with the releases of add_freed()
        return {freed_bytes_.load(std::memory_order_acquire), freed_objects_.load(std::memory_order_acquire)};
    }

    [[nodiscard]] sums allocated() const noexcept {
        return {allocated_bytes_.load(std::memory_order_relaxed), allocated_objects_.load(std::memory_order_relaxed)};
    }

private:
    template <class T>
    using atomic = typename Threading::template atomic<T>;

    atomic<std::uint64_t> allocated_bytes_ = 0;
    atomic<std::uint64_t> allocated_objects_ = 0;
    atomic<std::uint64_t> freed_bytes_ = 0;
    atomic<std::uint64_t> freed_objects_ = 0;
};

using sample_sums = basic_sample_sums<process_threading>;

// Threading: core/threading.hpp.
template <class Threading, std::size_t bucket_count = 2048, std::size_t bucket_size = 32>
class basic_heap_samples {
public:
    using sums = basic_sample_sums<Threading>;

    // Finds the site that the calling thread allocates at, or null where it may not be asked.
    using site_finder = sums* (*)(basic_heap_samples&) noexcept;

    // The blocks by their addresses: a block is in the bucket that its address has, or in none. All addresses are
    // hidden(), so that whoever reads the memory of the process does not take the profile for an owner.
    class table {
        friend basic_heap_samples;

        // Guarded by its place in `blocks`: only who holds that block in hand reads or writes the first two.
        struct entry {
            std::size_t bytes;
            sums* site;
            typename Threading::template atomic<std::uintptr_t> owner;
        };

        typename Threading::template atomic<std::uintptr_t> blocks[bucket_count * bucket_size] = {};
        entry entries[bucket_count * bucket_size] = {};
    };

    // Requires: the table is empty. It may be zeroed memory in which no object was made: that would touch all of it.
    basic_heap_samples(site_finder finder, table& blocks) noexcept : find_site_(finder), table_(blocks) {}

    [[nodiscard]] sums* find_site() noexcept { return find_site_(*this); }

    // Effects: the block, which is unused yet, counts as allocated at the site, and is in use until remove().
    // Where the table has no room for it, it counts as allocated and freed. `owner` may free all blocks at once.
    void add(const void* block, std::size_t bytes, const void* owner, sums& site) noexcept {
        const sample_weight weight = sample_weight::of(bytes);
        site.add_allocated(weight);
        tell_added(block, bytes, weight.bytes);
        const std::uintptr_t noted = hidden(block);
        const std::size_t first = first_of(noted);
        for (std::size_t i = first; i != first + bucket_size; ++i) {
            std::uintptr_t none = 0;
            // relaxed: compared again below
            if (table_.blocks[i].load(std::memory_order_relaxed) != none) continue;
            // acquire: pairs with the release of clear(), whose thread has read the entry
            if (!table_.blocks[i].compare_exchange_strong(none, noted, std::memory_order_acquire,
                                                          std::memory_order_relaxed)) {
                continue;
            }
            table_.entries[i].bytes = bytes;
            table_.entries[i].site = &site;
            table_.entries[i].owner.store(hidden(owner), std::memory_order_relaxed);  // as remove_all_of() reads it
            return;
        }
        untracked_.fetch_add(1, std::memory_order_relaxed);  // statistics only
        site.add_freed(weight);
        tell_removed(block);
    }

    // Effects: the block is no longer in use; none if it is not sampled. Requires: the caller has the block in hand.
    FREEHOLD_COLD FREEHOLD_NOINLINE void remove(const void* block) noexcept {
        const std::uintptr_t noted = hidden(block);
        const std::size_t first = first_of(noted);
        for (std::size_t i = first; i != first + bucket_size; ++i) {
            // relaxed: who was handed a block sees what was noted of it
            if (table_.blocks[i].load(std::memory_order_relaxed) == noted) return clear(i);
        }
    }

    // Effects: no block of the owner is in use any longer. Requires: no other thread uses any of its blocks meanwhile.
    FREEHOLD_COLD FREEHOLD_NOINLINE void remove_all_of(const void* owner) noexcept {
        for (std::size_t i = 0; i != count; ++i) {
            // relaxed, both: the owner has synchronized with those that allocated and freed its blocks, so that no
            // entry still names it for a block before
            if (table_.blocks[i].load(std::memory_order_relaxed) == 0) continue;
            if (table_.entries[i].owner.load(std::memory_order_relaxed) == hidden(owner)) clear(i);
        }
    }

    // Returns: how many samples count as freed, since the table had no room.
    [[nodiscard]] std::uint64_t untracked() const noexcept { return untracked_.load(std::memory_order_relaxed); }

    // The samples of this module, or null if it has no profile. It is set once.
    [[nodiscard]] static basic_heap_samples* of_module() noexcept {
        // acquire: pairs with the release of publish()
        return of_module_.load(std::memory_order_acquire);
    }

    // Returns: whether these are the samples of the module from now on: no others were.
    [[nodiscard]] static bool publish(basic_heap_samples& made) noexcept {
        basic_heap_samples* none = nullptr;
        // release: pairs with the acquire of of_module()
        return of_module_.compare_exchange_strong(none, &made, std::memory_order_release, std::memory_order_relaxed);
    }

private:
    template <class T>
    using atomic = typename Threading::template atomic<T>;

    static constexpr std::size_t count = bucket_count * bucket_size;

    // Returns: a number for the address, which no other one has, and never 0.
    [[nodiscard]] static std::uintptr_t hidden(const void* address) noexcept {
        return ~reinterpret_cast<std::uintptr_t>(address);
    }

    [[nodiscard]] static const void* shown(std::uintptr_t noted) noexcept {
        return reinterpret_cast<const void*>(~noted);
    }

    // Out of line, so that a program has one place for each probe.
    FREEHOLD_COLD FREEHOLD_NOINLINE static void tell_added(const void* block, std::size_t bytes,
                                                           std::uint64_t stands_for) noexcept {
        detail::probe_allocation(block, bytes, stands_for);
    }

    FREEHOLD_COLD FREEHOLD_NOINLINE static void tell_removed(const void* block) noexcept { detail::probe_free(block); }

    [[nodiscard]] static std::size_t first_of(std::uintptr_t noted) noexcept {
        const std::uint64_t mixed = (noted / 16) * 0x9E3779B97F4A7C15U;
        return static_cast<std::size_t>((mixed >> 32) % bucket_count) * bucket_size;
    }

    void clear(std::size_t i) noexcept {
        const sample_weight weight = sample_weight::of(table_.entries[i].bytes);
        table_.entries[i].site->add_freed(weight);
        // relaxed: the caller has the block in hand
        tell_removed(shown(table_.blocks[i].load(std::memory_order_relaxed)));
        table_.entries[i].owner.store(0, std::memory_order_relaxed);  // as remove_all_of() reads it
        // release: pairs with the acquire of add(), whose thread writes the entry
        table_.blocks[i].store(0, std::memory_order_release);
    }

    static inline constinit atomic<basic_heap_samples*> of_module_ = nullptr;

    const site_finder find_site_;
    atomic<std::uint64_t> untracked_ = 0;
    table& table_;
};

using heap_samples = basic_heap_samples<process_threading>;

// For the blocks of the calling thread that are in no slab: it may allocate these without a heap.
FREEHOLD_STATIC_TLS inline constinit thread_local sample_countdown large_until_sample;

}  // namespace freehold::detail
