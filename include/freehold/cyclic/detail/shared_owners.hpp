#pragma once
// The second count of an object in a heap that threads share: a word at the end of the object's block, with the owners
// that were counted by other sessions than the one that made the object. It is not beside the object, so that objects
// that one session uses alone are as close together as those of one thread. A block's words are constructed when
// another session counts in the block for the first time.
//
// The object's own session counts in the header with plain instructions. The sum of both counts is the number of
// owners. The shared count may go negative: another session may release an owner that the object's session has counted.
// Then the object may have no owner at all. Only its own session knows, so the releasing session queues the object for
// it ("queued"). A session that ends adds its count to the shared one ("merged"). From then on the shared count is
// complete, and the session that makes it 0 destroys the object.
//
// While an object is queued, only the session that handles the queue may destroy it.

#include <atomic>
#include <cstdint>

#include "cyclic_block.hpp"
#include "cyclic_header.hpp"

namespace freehold::inline v0_2::detail {

// What cyclic_block::thread() tells beside the session.
enum shared_state : std::uint64_t {
    in_use = 1,   // the second counts exist
    touched = 2,  // another session has counted since the last collection
    shared_flags = in_use | touched,
    no_session = 4,  // in the place of a session
};

// Threading: core/threading.hpp.
template <class Threading>
class basic_shared_owners {
public:
    enum flag : std::uint64_t {
        queued = 1,
        merged = 2,
        candidate = 4,  // lost an owner, so it is one for the next collection
        has_weak = 8,   // weak pointers
        lost = 16,      // queued, but there was no memory for the queue
    };

    // The count of this word, and the flags.
    struct content {
        std::int64_t owners;
        std::uint64_t flags;

        [[nodiscard]] bool is(flag asked) const noexcept { return (flags & asked) != 0; }
    };

    // What the caller of release() does next: nothing; queue the object for its session; ask whether it is unowned.
    enum class outcome { owned, to_be_queued, unowned };

    struct released {
        outcome next;
        bool is_new_candidate;
    };

    basic_shared_owners() noexcept : word_(0) {}

    // Effects: adds an owner. Requires: there is an owner during the call, or the weak record is locked.
    void acquire() noexcept {
        // relaxed: the caller has seen the object through another owner
        word_.fetch_add(one_owner, std::memory_order_relaxed);
    }

    // Effects: removes an owner. Makes the object a candidate, if it may be in a cycle.
    // Requires: the caller's session is not the object's own. Unless the outcome is `unowned`, the object may be
    // destroyed at any time after the call.
    [[nodiscard]] released release(bool may_be_in_cycle) noexcept {
        std::uint64_t seen = word_.load(std::memory_order_relaxed);  // the exchange below orders
        while (true) {
            std::uint64_t next = seen - one_owner;
            if (may_be_in_cycle) next |= candidate;
            outcome result = outcome::owned;
            if ((seen & queued) == 0) {
                const std::int64_t owners = owners_in(next);
                if ((seen & merged) != 0 && owners == 0) result = outcome::unowned;
                if ((seen & merged) == 0 && owners < 0) result = outcome::to_be_queued;
                if (result != outcome::owned) next |= queued;
            }
            // release: what this owner did happens before the destruction, where take() or unqueue_owned() acquires;
            // acquire: so does what other owners did, if the object is destroyed here
            if (word_.compare_exchange_weak(seen, next, std::memory_order_acq_rel, std::memory_order_relaxed)) {
                return {result, (next & ~seen & candidate) != 0};
            }
        }
    }

    // Effects: sets the count to 0 and clears flags. Returns: the content before.
    // Requires: the caller's session is the object's own, or has stopped it.
    [[nodiscard]] content take(std::uint64_t cleared) noexcept {
        std::uint64_t seen = word_.load(std::memory_order_acquire);  // pairs with release(), as below
        while (true) {
            const std::uint64_t next = seen & all_flags & ~cleared;
            // acquire: what others did with the object before release() happens before its destruction
            if (next == seen ||
                word_.compare_exchange_weak(seen, next, std::memory_order_acquire, std::memory_order_acquire)) {
                return {owners_in(seen), seen & all_flags};
            }
        }
    }

    // Effects: adds the count of the object's session. Requires: that session calls, and counts no more.
    void merge(std::int64_t owners) noexcept {
        // release: what the session did with the object happens before the destruction, where release() or
        // unqueue_owned() acquires
        word_.fetch_add(static_cast<std::uint64_t>(owners) * one_owner + merged, std::memory_order_release);
    }

    // Effects: if there are owners, clears `queued`; the object may be destroyed at any time after that.
    // Returns: the content before. Requires: the object is merged, and the caller has made it queued.
    [[nodiscard]] content unqueue_owned() noexcept {
        std::uint64_t seen = word_.load(std::memory_order_acquire);  // pairs with release() and merge(), as below
        // release: a session that destroys the object later does so after what was done here
        while (owners_in(seen) != 0 &&
               !word_.compare_exchange_weak(seen, seen & ~std::uint64_t{queued}, std::memory_order_acq_rel,
                                            std::memory_order_acquire)) {
        }
        return {owners_in(seen), seen & all_flags};
    }

    // Effects: as constructed. Requires: the object is destroyed.
    void reset() noexcept { word_.store(0, std::memory_order_relaxed); }  // relaxed: no other session has the object

    // Effects: sets a flag; clears flags. Relaxed: they order nothing. Requires: the object is not destroyed meanwhile.
    void set(flag given) noexcept { word_.fetch_or(given, std::memory_order_relaxed); }
    void clear(std::uint64_t given) noexcept { word_.fetch_and(~given, std::memory_order_relaxed); }

    // Returns: whether there is neither an owner nor a flag. Requires: the sessions are stopped.
    [[nodiscard]] bool is_clear() const noexcept { return word_.load(std::memory_order_relaxed) == 0; }

    // Returns: the content at a recent moment. Relaxed: it orders nothing.
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

    typename Threading::template atomic<std::uint64_t> word_;
};

// Returns: the second count of the object. Requires: its block's are in use.
template <class Threading>
[[nodiscard]] auto& owners_beside(cyclic_header& header) noexcept {
    using shared_owners = basic_shared_owners<Threading>;
    cyclic_block& block = cyclic_block::of(header);
    return reinterpret_cast<shared_owners*>(block.memory() + block.type->shape.shared)[block.place_of(header)];
}

// Returns: the session that the object belongs to, with the flags of its block.
template <class Threading>
[[nodiscard]] std::uint64_t session_and_flags(cyclic_header& header) noexcept {
    // acquire: pairs with the release in mutator_registry::use_shared. Who takes over an owner that another session has
    // counted sees the flags: the counting happened before that owner was handed over.
    return cyclic_block::of(header).thread<Threading>().load(std::memory_order_acquire);
}

template <class Threading>
[[nodiscard]] bool has_shared_count(cyclic_header& header) noexcept {
    return (detail::session_and_flags<Threading>(header) & in_use) != 0;
}

// Effects: moves the shared count into the header, and clears flags. Returns: the content before.
// Requires: the object's session calls, or is stopped; the block's second counts are in use.
template <class Threading>
auto fold_shared_count(cyclic_header& header, std::uint64_t cleared) noexcept {
    const auto taken = detail::owners_beside<Threading>(header).take(cleared);
    header.add_owners(taken.owners);
    return taken;
}

}  // namespace freehold::detail
