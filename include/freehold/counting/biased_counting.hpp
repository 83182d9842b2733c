#pragma once
// biased_counting: the thread that makes an object counts with plain instructions, all others with atomic ones (Choi,
// Shull, Torrellas, "Biased reference counting", PACT 2018).
//
// An object is biased toward the thread that made it, its maker. The maker counts its owners apart, in the biased
// count. All other threads count theirs in one word, the shared count, which includes a weight for the maker. A thread
// may release an owner that another one acquired, so the shared count without the weight may go negative. The releasing
// thread then does not count down, but queues its owner to the maker, which merges the two counts when it next makes an
// object, calls merge_biased_counts() or exits. From then on all threads count in the one word. The maker's own last
// release merges, too, and destroys the object at once if there is no other owner. If the maker has exited, the
// releasing thread merges in its place.
//
// So an object is destroyed by its maker, or after the merge by any thread. An object whose last owner is released in
// another thread lives until the maker merges: until then it can be locked.
//
// Thread safety: owners of one object may be in any threads of one process.
// Exceptions: none. Complexity: constant; merging is linear in what was queued. Lock-free.
// Cost: 24 bytes, and one bias of 64 bytes for each thread that makes objects, reused and never freed. In the maker a
// copy or release of an owner is not locked, nor is the last release of an object without weak pointers. In other
// threads it is one locked operation, as is a copy or release of a weak pointer in all threads.
// A child of fork has one thread: objects that are queued to another thread are never destroyed in it.

#include <atomic>
#include <cstdint>

#include "../core/config.hpp"
#include "../core/threading.hpp"
#include "../core/type_name.hpp"
#include "atomic_counting.hpp"
#include "counting_policy.hpp"
#include "detail/thread_bias.hpp"
#include "reference_count.hpp"
#include "shared_count.hpp"

namespace freehold::inline v0_2 {

struct biased_counting : atomic_counting {
    // The policy of the shared count.
    using word_counting = atomic_counting;

    static constexpr bool is_biased = true;
};

template <>
inline constexpr detail::literal detail::counting_prefix<biased_counting>{"biased_"};

// A policy like this one: a test counts with its own.
template <class Policy>
concept biased_policy = counting_policy<Policy> && counting_policy<typename Policy::word_counting> && requires {
    typename Policy::threading;
    requires Policy::is_biased;
};

// Destroys an object that has no owner when its counts are merged: run(count) calls resolve_release(). Defined by the
// layer that has the counts (pointers/detail/control_block.hpp).
template <class Counting>
struct destruction_of_merged;

// Not defined: an object that counts its own owners has one word for them.
template <biased_policy Counting>
class reference_count<Counting>;

// The word, in units of 2^60:
//   0             merged, as in shared_count: all threads count here
//   6             biased: the weight, and the owners of the other threads, at least 0
//   3, 4          biased and queued: a smaller weight, and those owners, possibly negative. The inbox counts as one of
//                 them, so that the object is not destroyed before it is received
//   1, 2, 5, 7    a count was full; the next owner makes the object immortal
//   negative      expired or immortal, as in shared_count
// The weak pointers are in the lower bits, as in shared_count.
template <biased_policy Counting>
class shared_count<Counting> {
    using word_counting = typename Counting::word_counting;
    using merged_count = shared_count<word_counting>;
    using bias = detail::thread_bias<shared_count, typename Counting::threading>;
    using list = typename bias::list;

public:
    // The maker's releases are not locked, so there is nothing to save.
    static constexpr bool release_is_locked = false;

    // Effects: merges what other threads have queued to the calling one. Postconditions: owners() == 1, no weak
    // pointer.
    shared_count() noexcept : shared_count(bias::of_maker()) {}

    shared_count(const shared_count&) = delete;
    shared_count& operator=(const shared_count&) = delete;

    // Effects: adds an owner. Requires: the caller keeps the object alive.
    void acquire() noexcept {
        if (is_mine()) {
            (void)count_apart(1);
        } else {
            acquire_elsewhere();
        }
    }

    // Effects: adds an owner, unless the object is expired. Returns: whether it did.
    [[nodiscard]] bool try_acquire() noexcept {
        count_word seen = observe();
        if (is_mine()) {  // only this thread can destroy it before the merge
            (void)count_apart(1);
            return true;
        }
        while (seen >= 0) {
            const count_word next = detail::wrapping_add(seen, one_owner);
            if (replace(seen, is_full(next) ? merged_count::immortal : next)) return true;
        }
        if (is_expired(seen)) return false;
        word_counting::store(merged_.word_, merged_count::immortal);
        return true;
    }

    [[nodiscard]] lock_outcome try_lock() noexcept {
        return try_acquire() ? lock_outcome::acquired : lock_outcome::refused;
    }
    [[nodiscard]] bool resolve_lock(lock_outcome outcome) noexcept { return outcome == lock_outcome::acquired; }

    // Effects: removes an owner, and calls rare() if that may have been the last or the object must be queued.
    // rare() calls resolve_release(), once.
    template <class Rare>
    void release(Rare rare) noexcept {
        if (is_mine()) {
            if (count_apart(-1) == 0) [[unlikely]]
                merge_without_owners(rare);
        } else {
            release_elsewhere(rare);
        }
    }

    // Returns: what the preceding release has left, as in shared_count.
    // Effects: may destroy other objects that are queued to the calling thread, or to an exited one that it replaces.
    [[nodiscard]] release_outcome resolve_release() noexcept {
        count_word seen = observe();
        if (seen == merged_count::last_weak || seen == merged_count::left_alone)
            return release_outcome::expired_without_weak;
        if (merged_count::is_expired(seen)) return release_outcome::expired_with_weak;
        // Not by is_mine(): another thread may have queued the object since the release.
        if (is_biased(seen)) {
            queue();
            return release_outcome::owned;
        }
        // No lock() acquires a word that is left, so no other release resolves it.
        while (merged_count::is_left(seen)) {
            if (replace(seen, expired(seen))) return release_outcome::expired_with_weak;
        }
        word_counting::store(merged_.word_, merged_count::immortal);
        return release_outcome::owned;
    }

    // Effects: merge(), unless the object is biased toward the calling thread.
    // Returns: true if the caller is the only owner and there is no weak pointer; false if another thread counts apart.
    [[nodiscard]] bool is_sole() noexcept {
        if (is_mine()) return owners_apart() == 1 && observe() == weight + 1;
        merge();
        return merged_.is_sole();
    }

    void acquire_weak() noexcept { merged_.acquire_weak(); }
    [[nodiscard]] bool release_weak() noexcept { return merged_.release_weak(); }

    [[nodiscard]] bool is_expired() const noexcept { return merged_.is_expired(); }

    // Effects: leaves the count as a release of the only owner does. Requires: is_sole(), or a release that left
    // nothing.
    void expire() noexcept {
        merged_.expire();
        forget_bias();
    }

    // Effects: if there is one owner, the caller, merges and expires as by its release, with the caller as a
    // weak pointer. Returns: whether it did; then all that earlier owners did happens before the return.
    [[nodiscard]] bool try_expire() noexcept {
        if (is_mine() && owners_apart() != 1) return false;
        merge();
        return merged_.try_expire();
    }

    // Effects: adds the first owner to a count that has expired without ever having had one; what was done before
    // happens before what follows a try_acquire that succeeds. Requires: the caller is counted as a weak pointer.
    void acquire_first() noexcept {
        bias* const mine = bias::mine();
        if (mine == nullptr) return merged_.acquire_first();
        // relaxed: other threads use them only after they have read the word
        bias_or_link_.store(address_of(mine), std::memory_order_relaxed);
        apart_.store(1, std::memory_order_relaxed);
        word_counting::decrease(merged_.word_, merged_count::expired - weight - 1, []() noexcept {});
    }

    // Effects: merges the two counts, unless the object was queued or another thread counts it apart.
    // Requires: the caller is an owner.
    void merge() noexcept {
        if (is_mine()) return merge_apart();
        // acquire: pairs with the release of what replaces the address, so that the word read next shows the change
        const list found = bias_or_link_.load(std::memory_order_acquire);
        if (observe() < weight) return;
        bias& left = *reinterpret_cast<bias*>(found);
        if (!left.try_hold()) return;
        merge_apart();
        left.leave(bias::nobody);
    }

    // Effects: merges the counts of all objects that are queued to the calling thread, and destroys those without
    // owner.
    static void merge_queued() noexcept { bias::merge_queued(); }

    // Effects: merge_queued(), and the calling thread counts no object apart, until it makes one again. Other threads
    // merge what they would queue to it.
    static void leave_thread() noexcept { bias::leave_thread(); }

    // Returns: the number of owners, 0 if the object is expired, and the greatest long for an immortal object. In the
    // maker and after the merge it is the number at some moment of the call. In another thread it may mix two moments,
    // and is at least 1 for an object that is queued.
    [[nodiscard]] long owners() const noexcept {
        const count_word seen = observe();
        if (!is_biased(seen)) return is_expired(seen) ? 0 : merged_.owners();
        const bool is_queued = seen < weight;
        const count_word elsewhere = (seen - (is_queued ? weight_when_queued : weight)) >> merged_count::owners_shift;
        const count_word owners = owners_apart() + elsewhere - (is_queued ? 1 : 0);
        return owners < 1 ? 1 : static_cast<long>(owners);
    }

    // As in shared_count.
    [[nodiscard]] long weak_pointers() const noexcept { return merged_.weak_pointers(); }

private:
    friend bias;

    static constexpr count_word unit = count_word{1} << 60;
    static constexpr count_word weight = 6 * unit;
    static constexpr count_word weight_when_queued = 4 * unit;
    static constexpr count_word one_owner = merged_count::one_owner;
    static constexpr count_word most_apart = unit / one_owner;

    explicit shared_count(const bias* maker) noexcept
        : merged_(maker != nullptr ? weight + 1 : merged_count::sole_owner),
          bias_or_link_(maker != nullptr ? address_of(maker) : bias::nobody),
          apart_(1) {}

    static constexpr bool is_biased(count_word word) noexcept { return word >= 2 * unit; }

    // Whether only the object's thread has owners, and the object is not queued.
    static constexpr bool is_weight_alone(count_word word) noexcept {
        return word >= weight && word < weight + one_owner;
    }

    static constexpr bool is_full(count_word word) noexcept {
        const count_word units = word / unit;
        return word < 0 || units == 1 || units == 2 || units == 5 || units == 7;
    }

    // A word that is left is as good as expired here: a lock() compares before it adds an owner.
    static constexpr bool is_expired(count_word word) noexcept {
        return merged_count::is_left(word) || merged_count::is_expired(word);
    }

    // Returns: the word that an owner's release has left, expired.
    static constexpr count_word expired(count_word left) noexcept { return left + one_owner + merged_count::expired; }

    // Returns: the shared count `elsewhere`, without its weight, plus the biased count `apart`.
    static constexpr count_word merged(count_word elsewhere, count_word apart) noexcept {
        return apart > most_apart ? merged_count::immortal : elsewhere + (apart - 1) * one_owner;
    }

    static std::uintptr_t address_of(const bias* thread) noexcept { return reinterpret_cast<std::uintptr_t>(thread); }

    [[nodiscard]] count_word observe() const noexcept { return word_counting::observe(merged_.word_); }

    bool replace(count_word& seen, count_word value) noexcept {
        return word_counting::replace(merged_.word_, seen, value);
    }

    // Whether the calling thread counts apart: the object is biased toward it, and has not come to its inbox.
    [[nodiscard]] bool is_mine() const noexcept {
        // relaxed: only that thread writes or removes the address of its bias, except that a thread that queues the
        // object replaces it by a link. Until the thread notices, it may add to either count.
        return bias_or_link_.load(std::memory_order_relaxed) == address_of(bias::mine());
    }

    // Requires: no other thread can count apart, and the word says that the object was queued or is no longer biased.
    void forget_bias() noexcept {
        bias_or_link_.store(bias::nobody, std::memory_order_release);  // release: pairs with the acquire of merge()
    }

    // relaxed: one thread at a time writes it, and thread_bias::leave publishes it to the next one. Others read it only
    // for owners(). Not a read-modify-write, which would be locked.
    [[nodiscard]] count_word owners_apart() const noexcept { return apart_.load(std::memory_order_relaxed); }
    count_word count_apart(count_word n) noexcept {
        const count_word now = owners_apart() + n;
        apart_.store(now, std::memory_order_relaxed);
        return now;
    }

    FREEHOLD_NOINLINE void acquire_elsewhere() noexcept {
        word_counting::increase(merged_.word_, one_owner, []() noexcept {});
        if (is_full(observe())) [[unlikely]]
            word_counting::store(merged_.word_, merged_count::immortal);
    }

    template <class Rare>
    FREEHOLD_NOINLINE void release_elsewhere(Rare rare) noexcept {
        for (count_word seen = observe(); is_biased(seen);) {
            if (is_weight_alone(seen)) {
                // Not counted down: the inbox takes over the caller's owner.
                if (replace(seen, seen - weight + weight_when_queued)) return rare();
            } else {
                const count_word next = seen - one_owner;
                if (replace(seen, is_full(next) ? merged_count::immortal : next)) return;
            }
        }
        if (merged_.company_of_owner() != company::owners && merged_.try_expire()) return rare();
        merged_.release(rare);
    }

    // Requires: the caller holds the bias and is an owner.
    void merge_apart() noexcept {
        for (count_word seen = observe(); seen >= weight;) {
            if (replace(seen, merged(seen - weight, owners_apart()))) return forget_bias();
        }
    }

    // Requires: the caller's release found that the object must be queued. No thread merges it before.
    FREEHOLD_NOINLINE void queue() noexcept {
        // relaxed: the word said that it is biased, and only the thread that queues it or a merge changes the address
        auto* const target = reinterpret_cast<bias*>(bias_or_link_.load(std::memory_order_relaxed));
        if (!target->queue(*this)) target->leave(merge_received(bias::nobody));
    }

    // Requires: the object is biased toward the calling thread, which has no owner left.
    template <class Rare>
    FREEHOLD_NOINLINE void merge_without_owners(Rare rare) noexcept {
        bool is_last = false;
        // Observed again in each turn: by the count that a failed replace() has read, relaxed, nothing may be
        // destroyed.
        for (count_word seen = observe();; seen = observe()) {
            if (seen == weight + 1) {  // no other thread can reach it
                expire();
                return rare();
            }
            if (seen < weight) return merge_queued();  // it is in the inbox, or about to be
            is_last = is_weight_alone(seen);
            // If other threads have owners, any of them may destroy the object: so the owner that leaves is counted
            // until the last write here.
            if (replace(seen, is_last ? expired(seen - weight - one_owner) : seen - weight)) break;
        }
        forget_bias();
        if (is_last) return rare();
        merged_.release(rare);
    }

    // These three are for thread_bias.

    [[nodiscard]] auto& link() noexcept { return bias_or_link_; }

    [[nodiscard]] list merge_received(list expired) noexcept {
        const count_word apart = owners_apart();
        forget_bias();
        count_word seen = observe();
        count_word next = seen;
        do {
            if (seen < 0) return expired;  // immortal
            next = merged(seen - weight_when_queued, apart - 1);
            if (merged_count::is_left(next)) next = shared_count::expired(next);
            // Release and acquire: the destructor sees what was done here and in all other threads.
        } while (!replace(seen, next));
        if (!merged_count::is_expired(next)) return expired;
        bias_or_link_.store(expired, std::memory_order_relaxed);  // relaxed: read by this thread alone
        return reinterpret_cast<list>(this);
    }

    void destroy_merged() noexcept { destruction_of_merged<Counting>::run(*this); }

    merged_count merged_;
    // The address of the bias until the object is queued or merged; then that of the next in a list.
    typename Counting::threading::template atomic<std::uintptr_t> bias_or_link_;
    typename Counting::threading::template atomic<count_word> apart_;  // the owners in the thread that holds the bias
};

}  // namespace freehold
