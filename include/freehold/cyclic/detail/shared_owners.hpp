#pragma once
// The owners of a collected object that others than the session which made it have counted.
//
// That session counts plainly, beside this word, so the sum of the two is the number of owners. Here the number may be
// negative: who drops what the session has counted takes it off here. Then the object may have no owner at all, which
// only the session can see, and so it is written down for it ("queued"). A session that ends adds what it has counted
// to this word ("merged"): from then on the number is the whole of it, and who makes it 0 ends the object.
//
// While the word says queued nobody may end the object but who looks for what was written down.

#include <atomic>
#include <cstdint>

namespace freehold::detail {

// Atomic is std::atomic, or what a test counts with.
template <template <class> class Atomic>
class basic_shared_owners {
public:
    enum flag : std::uint64_t {
        queued = 1,
        merged = 2,
        suspected = 4,  // lost an owner: a collection is to look at it
        observed = 8,
        lost = 16,  // queued, but there was no memory to write it down
    };

    // What was counted here, and the flags.
    struct content {
        std::int64_t owners;
        std::uint64_t flags;

        [[nodiscard]] bool is(flag asked) const noexcept { return (flags & asked) != 0; }
    };

    // What a release leaves to do: nothing; to write the object down for its session; to ask whether it has ended.
    enum class outcome { owned, to_be_queued, to_be_ended };

    struct released {
        outcome next;
        bool is_newly_suspected;
    };

    basic_shared_owners() noexcept : word_(0) {}

    // Effects: one owner more. Requires: there is one that stays, or what observers share is locked.
    void acquire() noexcept {
        // relaxed: who owns the object has seen it already
        word_.fetch_add(one_owner, std::memory_order_relaxed);
    }

    // Effects: one owner less; notes that the object is suspected, if it may be in a cycle.
    // Requires: the caller is not of the session that counts plainly. Unless the object is to be ended, it may end at
    // any time after.
    [[nodiscard]] released release(bool may_be_in_cycle) noexcept {
        std::uint64_t seen = word_.load(std::memory_order_relaxed);  // the exchange below orders
        while (true) {
            std::uint64_t next = seen - one_owner;
            if (may_be_in_cycle) next |= suspected;
            outcome result = outcome::owned;
            if ((seen & queued) == 0) {
                const std::int64_t owners = owners_in(next);
                if ((seen & merged) != 0 && owners == 0) result = outcome::to_be_ended;
                if ((seen & merged) == 0 && owners < 0) result = outcome::to_be_queued;
                if (result != outcome::owned) next |= queued;
            }
            // release: what this owner did happens before the object's end, where take() or unqueue_owned() acquires;
            // acquire: and what others did before, if it is ended here
            if (word_.compare_exchange_weak(seen, next, std::memory_order_acq_rel, std::memory_order_relaxed)) {
                return {result, (next & ~seen & suspected) != 0};
            }
        }
    }

    // Effects: the owners are no longer counted here, and flags are cleared. Returns: what there was.
    // Requires: the caller is of the session that counts plainly, or has stopped it.
    [[nodiscard]] content take(std::uint64_t cleared) noexcept {
        std::uint64_t seen = word_.load(std::memory_order_acquire);  // pairs with release(), as below
        while (true) {
            const std::uint64_t next = seen & all_flags & ~cleared;
            // acquire: what others did with the object before release() happens before its end
            if (next == seen ||
                word_.compare_exchange_weak(seen, next, std::memory_order_acquire, std::memory_order_acquire)) {
                return {owners_in(seen), seen & all_flags};
            }
        }
    }

    // Effects: adds what the session has counted. Requires: it is the session that asks, and will count no more.
    void merge(std::int64_t owners) noexcept {
        // release: what the session did with the object happens before its end, where release() or unqueue_owned()
        // acquires
        word_.fetch_add(static_cast<std::uint64_t>(owners) * one_owner + merged, std::memory_order_release);
    }

    // Effects: if there are owners, the object is queued no more, and may end at any time.
    // Returns: what there was. Requires: the object is merged, and the caller has made it queued.
    [[nodiscard]] content unqueue_owned() noexcept {
        std::uint64_t seen = word_.load(std::memory_order_acquire);  // pairs with release() and merge(), as below
        // release: who ends the object later does so after what was done here
        while (owners_in(seen) != 0 &&
               !word_.compare_exchange_weak(seen, seen & ~std::uint64_t{queued}, std::memory_order_acq_rel,
                                            std::memory_order_acquire)) {
        }
        return {owners_in(seen), seen & all_flags};
    }

    // Effects: sets a flag or clears flags, which orders nothing: relaxed. Requires: the object can't end meanwhile.
    void set(flag given) noexcept { word_.fetch_or(given, std::memory_order_relaxed); }
    void clear(std::uint64_t given) noexcept { word_.fetch_and(~given, std::memory_order_relaxed); }

    // Returns: what is there now, which orders nothing: relaxed.
    [[nodiscard]] content seen() const noexcept {
        const std::uint64_t now = word_.load(std::memory_order_relaxed);
        return {owners_in(now), now & all_flags};
    }

private:
    static constexpr int flag_bits = 5;
    static constexpr std::uint64_t one_owner = std::uint64_t{1} << flag_bits;
    static constexpr std::uint64_t all_flags = one_owner - 1;

    [[nodiscard]] static std::int64_t owners_in(std::uint64_t word) noexcept {
        return static_cast<std::int64_t>(word) >> flag_bits;
    }

    Atomic<std::uint64_t> word_;
};

}  // namespace freehold::detail
