#pragma once
// sharded_counting: threads that copy one pointer count in different cache lines.
//
// The first owner of an object, and any that a weak pointer locks, is an anchor: it is counted in the root, which is
// the word of shared_count. A copy is counted in the shard of the thread that makes it, and its handle says so. Whoever
// releases it subtracts in the shard of its own thread. No thread knows the sum of the shards, so they weigh a
// constant in the root for as long as there is an anchor. The release of the last anchor closes the shards: it takes
// their sum, and puts it into the root in place of the weight. From then on all threads count in the root.
//
// (Linux counts references to much-shared objects so, percpu_ref, where the last anchor is a call to percpu_ref_kill.)
//
// An object begins without shards. They are opened when threads have taken turns in copying it, or by open().
//
// Destruction is as prompt as with atomic counting: the release of the last owner, in whatever thread, destroys the
// object, because there is no owner left but in the root once the last anchor has gone.
//
// Thread safety: owners of one object may be in any threads of one process.
// Exceptions: none. Out of memory, an object stays without shards. Complexity: constant, but closing is linear in the
// number of shards. A copy is wait-free; so is its release unless it is the last. The release of an anchor is
// lock-free. Cost: 16 bytes; for open shards one allocation of 64 bytes for each processor (at most 64, rounded up to
// a power of two; 256 at least), until the block is freed. A copy or a release is one locked operation, on a line that
// is the thread's own while the shards are open. After a fork, objects that other threads own live for ever in the
// child, as with any counting.

#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "../core/config.hpp"
#include "../core/threading.hpp"
#include "../core/type_name.hpp"
#include "atomic_counting.hpp"
#include "counting_policy.hpp"
#include "detail/count_shards.hpp"
#include "reference_count.hpp"
#include "shared_count.hpp"

namespace freehold::inline v0_2 {

struct sharded_counting : atomic_counting {
    // The policy of the root.
    using word_counting = atomic_counting;

    [[nodiscard]] static std::size_t shards() noexcept {
        static const std::size_t number = std::bit_ceil(detail::number_of_processors());
        return number;
    }

    [[nodiscard]] static std::size_t deal() noexcept {
        static constinit std::atomic<std::size_t> threads = 0;
        return threads.fetch_add(1, std::memory_order_relaxed);  // relaxed: the numbers need only differ
    }
};

template <>
inline constexpr detail::literal detail::counting_prefix<sharded_counting>{"sharded_"};

// A policy like this one: a test counts with its own. shards() is a power of two, and at most 64.
template <class Policy>
concept sharded_policy = counting_policy<Policy> && counting_policy<typename Policy::word_counting> && requires {
    typename Policy::threading;
    { Policy::shards() } noexcept -> std::same_as<std::size_t>;
    { Policy::deal() } noexcept -> std::same_as<std::size_t>;
};

// Not defined: an object that counts its own owners has one word for them.
template <sharded_policy Counting>
class reference_count<Counting>;

// The root is the word of shared_count, with 2^34 owners more while the shards are open.
//
// The other word, by its two lowest bits:
// clang-format off
//   address | 0    the shards are open; the six bits before are their number - 1
//   address | 2    they are closed, or being closed; an address of 0: there is no memory for them
//   home | 1       there are none; the lower half is the number of the thread that copied last, the upper half how
//                  often threads have taken turns
//   3              a thread is opening them
// clang-format on
template <sharded_policy Counting>
class shared_count<Counting> {
    using word_counting = typename Counting::word_counting;
    using merged_count = shared_count<word_counting>;
    using shard_array = detail::count_shards<Counting>;

public:
    static constexpr bool release_is_locked = true;

    // Postconditions: owners() == 1, no weak pointer.
    shared_count() noexcept : shards_(home(shard_array::thread(), 0)) {}

    shared_count(const shared_count&) = delete;
    shared_count& operator=(const shared_count&) = delete;

    ~shared_count() {
        // relaxed: no other thread can reach the count
        const std::uintptr_t found = shards_.load(std::memory_order_relaxed);
        if ((found & 1) == 0) shard_array::free(at(found), last_at(found));
    }

    // Effects: adds an anchor. Requires: the caller keeps the object alive.
    void acquire() noexcept { root_.acquire(); }

    // Effects: adds a copy, or an anchor while the shards are not open. Requires: the caller keeps the object alive.
    // Returns: whether it is a copy.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE bool acquire_copy() noexcept {
        // acquire: pairs with the release of open(), so that the shards and their weight are there
        const std::uintptr_t found = shards_.load(std::memory_order_acquire);
        return is_open(found) ? mine(found).add(1) || acquire_in_root() : acquire_without_shards(found);
    }

    // As in shared_count, while the process has one thread: then no shards are open.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE company company_of_owner() const noexcept { return root_.company_of_owner(); }
    [[nodiscard]] release_outcome release_beside_weak() noexcept { return root_.release_beside_weak(); }
    [[nodiscard]] release_outcome resolve_release() noexcept { return root_.resolve_release(); }
    template <class Rare>
    FREEHOLD_ALWAYS_INLINE void release(Rare rare) noexcept {
        root_.release(rare);
    }

    // Effects: removes an anchor, if it is neither the last owner nor the last anchor. Returns: whether it did. It may
    // not where another thread counts at the same time.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE bool try_release_anchor() noexcept {
        count_word seen = observe();
        return seen >= one_owner && !is_last_anchor(seen) && replace(seen, seen - one_owner);
    }

    // Effects: removes an anchor. Returns: as resolve_release().
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE release_outcome release_anchor() noexcept {
        // acquire: pairs with the release of close()
        if (is_closed(shards_.load(std::memory_order_acquire))) return release_merged();
        // By comparison and exchange: shards that are opened meanwhile must not lose their last anchor unnoticed.
        // Observed anew each time: a failed exchange acquires nothing. The last owner must see what the others did, and
        // the last anchor that the shards are open.
        for (count_word seen = observe(); seen >= 0; seen = observe()) {
            if (seen == merged_count::sole_owner) return release_outcome::expired_without_weak;
            if (is_last_anchor(seen)) {
                close();
                return release_merged();
            }
            const bool is_last = seen < one_owner;
            if (replace(seen, is_last ? seen + merged_count::expired : seen - one_owner))
                return is_last ? release_outcome::expired_with_weak : release_outcome::owned;
        }
        word_counting::store(root_.word_, merged_count::immortal);
        return release_outcome::owned;
    }

    // Effects: removes a copy. Returns: as resolve_release().
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE release_outcome release_copy() noexcept {
        // relaxed: the copy was made with these shards
        if (mine(shards_.load(std::memory_order_relaxed)).add(-1)) [[likely]]
            return release_outcome::owned;
        return release_merged();
    }

    // Effects: gives the count shards, so that the next copies do not wait for turns to be taken.
    // Requires: the caller is an anchor, or there are shards. Returns: whether they are open.
    FREEHOLD_NOINLINE bool open() noexcept {
        // acquire: as in acquire_copy
        std::uintptr_t found = shards_.load(std::memory_order_acquire);
        // relaxed: no other thread acts on it
        while (is_home(found) && !detail::is_single_threaded()) {
            if (shards_.compare_exchange_weak(found, opening, std::memory_order_relaxed, std::memory_order_relaxed))
                return open_alone();
        }
        return is_open(found);
    }

    // As in shared_count. A lock adds an anchor.
    [[nodiscard]] bool try_acquire() noexcept { return root_.try_acquire(); }
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE lock_outcome try_lock() noexcept { return root_.try_lock(); }
    [[nodiscard]] bool resolve_lock(lock_outcome outcome) noexcept { return root_.resolve_lock(outcome); }
    void acquire_weak() noexcept { root_.acquire_weak(); }
    [[nodiscard]] bool release_weak() noexcept { return root_.release_weak(); }
    void acquire_first() noexcept { root_.acquire_first(); }
    [[nodiscard]] bool is_expired() const noexcept { return root_.is_expired(); }
    void expire() noexcept { root_.expire(); }

    // As in shared_count. Effects: close(): only the root tells. Requires: the caller is an owner.
    [[nodiscard]] bool is_sole() noexcept {
        close();
        return root_.is_sole();
    }
    [[nodiscard]] bool try_expire() noexcept {
        close();
        return root_.try_expire();
    }

    // Effects: closes the shards, if they are open. Requires: the caller is an owner.
    void close() noexcept {
        // acquire: as in acquire_copy
        std::uintptr_t found = shards_.load(std::memory_order_acquire);
        if (!is_open(found)) return;
        // release: pairs with the acquire of release_anchor()
        if (is_closed(shards_.fetch_or(closed, std::memory_order_acq_rel))) return;  // another thread closes them
        const count_word sum = at(found)->close(last_at(found));
        if (sum > most_copies) [[unlikely]]
            return word_counting::store(root_.word_, merged_count::immortal);
        // The caller is among those counted, so this is not the last release.
        word_counting::decrease(root_.word_, weight - sum * one_owner, []() noexcept {});
    }

    // Returns: the number of owners. While others copy or release, it mixes several moments, and is at least 1 for an
    // object that is alive.
    [[nodiscard]] long owners() const noexcept {
        // acquire: as in acquire_copy
        const std::uintptr_t found = shards_.load(std::memory_order_acquire);
        const count_word seen = observe();
        if (seen < weight - one_owner) return root_.owners();
        const long anchors = static_cast<long>((seen - weight) >> merged_count::owners_shift) + 1;
        const long copies = (found & 1) == 0 ? static_cast<long>(at(found)->sum(last_at(found))) : 0;
        return anchors + copies > 1 ? anchors + copies : 1;
    }

    // As in shared_count.
    [[nodiscard]] long weak_pointers() const noexcept { return root_.weak_pointers(); }

private:
    static constexpr count_word one_owner = merged_count::one_owner;
    static constexpr count_word weight = count_word{1} << 62;
    static constexpr count_word most_copies = weight / one_owner;

    static constexpr std::uintptr_t closed = 2;
    static constexpr std::uintptr_t opening = 3;
    // So often threads take turns before shards are worth their memory: what is handed on once or twice gets none.
    static constexpr std::uintptr_t most_turns = 8;
    static constexpr int turns_shift = std::numeric_limits<std::uintptr_t>::digits / 2;
    static constexpr int last_shift = 2;
    static_assert(detail::most_shards << last_shift <= shard_array::alignment);

    static constexpr std::uintptr_t home(std::uint32_t thread, std::uintptr_t turns) noexcept {
        return turns << turns_shift | thread | 1;
    }
    static constexpr bool is_open(std::uintptr_t found) noexcept { return (found & 3) == 0; }
    static constexpr bool is_home(std::uintptr_t found) noexcept { return (found & 3) == 1; }
    static constexpr bool is_closed(std::uintptr_t found) noexcept { return (found & 3) == closed; }
    static shard_array* at(std::uintptr_t found) noexcept {
        return reinterpret_cast<shard_array*>(found & ~std::uintptr_t{shard_array::alignment - 1});
    }
    static std::size_t last_at(std::uintptr_t found) noexcept {
        return found >> last_shift & (detail::most_shards - 1);
    }
    FREEHOLD_ALWAYS_INLINE static shard_array& mine(std::uintptr_t found) noexcept {
        return at(found)->mine(last_at(found));
    }

    static constexpr bool is_last_anchor(count_word word) noexcept {
        return word >= weight && word < weight + one_owner;
    }

    [[nodiscard]] count_word observe() const noexcept { return word_counting::observe(root_.word_); }
    bool replace(count_word& seen, count_word value) noexcept {
        return word_counting::replace(root_.word_, seen, value);
    }

    // Effects: adds an anchor. Returns: false, that it is no copy.
    FREEHOLD_NOINLINE bool acquire_in_root() noexcept {
        root_.acquire();
        return false;
    }

    // The rarer case in a function of its own, so that the usual one saves no register for it.
    FREEHOLD_NOINLINE bool acquire_without_shards(std::uintptr_t found) noexcept {
        if (found % (std::uintptr_t{1} << turns_shift) != home(shard_array::thread_if_dealt(), 0)) [[unlikely]]
            return acquire_after_another(found);
        root_.acquire();
        return false;
    }

    FREEHOLD_NOINLINE bool acquire_after_another(std::uintptr_t found) noexcept {
        return is_home(found) && take_turn(found) ? acquire_copy() : acquire_in_root();
    }

    // Effects: notes that the calling thread copies after another one, and opens the shards if that was often.
    // Returns: whether they are open.
    bool take_turn(std::uintptr_t found) noexcept {
        const std::uintptr_t turns = (found >> turns_shift) + 1;
        if (turns > most_turns) return open();
        // relaxed: a hint. A turn that is lost is made up for by the next one.
        shards_.compare_exchange_strong(found, home(shard_array::thread(), turns), std::memory_order_relaxed,
                                        std::memory_order_relaxed);
        return false;
    }

    // Requires: the word says that the calling thread is opening the shards, and the caller is an anchor.
    bool open_alone() noexcept {
        shard_array* const made = shard_array::make();
        // First the weight, then the shards: a copy that is counted there keeps the object alive by it alone.
        if (made != nullptr) word_counting::increase(root_.word_, weight, []() noexcept {});
        const std::uintptr_t last = Counting::shards() - 1;
        // release: pairs with the acquire of acquire_copy
        shards_.store(made != nullptr ? reinterpret_cast<std::uintptr_t>(made) | last << last_shift : closed,
                      std::memory_order_release);
        return made != nullptr;
    }

    // Effects: removes an owner that is counted in the root. Requires: the shards will not be opened.
    FREEHOLD_NOINLINE release_outcome release_merged() noexcept {
        switch (root_.company_of_owner()) {
            case company::none: return release_outcome::expired_without_weak;
            case company::weak_pointers: return root_.release_beside_weak();
            case company::owners: break;
        }
        auto outcome = release_outcome::owned;
        root_.release([&]() noexcept { outcome = root_.resolve_release(); });
        return outcome;
    }

    merged_count root_;
    typename Counting::threading::template atomic<std::uintptr_t> shards_;
};

}  // namespace freehold
