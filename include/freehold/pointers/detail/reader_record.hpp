#pragma once
// reader_record: what one thread reads through shared words, and which references it has deferred.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../../core/asymmetric_event.hpp"
#include "../../core/config.hpp"
#include "../../core/record_table.hpp"

namespace freehold::inline v0_2::detail {

// Words that readers use, in cache lines of their own: either those of one thread, or those of all threads. Threads
// only look at another thread's, except that the end of a snapshot that was moved to another thread frees its slot.
// Threading: core/threading.hpp, here and below.
template <class Threading, std::size_t Count>
struct alignas(64) word_slots {
    using slot = typename Threading::template atomic<std::uintptr_t>;

    static constexpr std::uintptr_t free = 0;
    static constexpr std::uintptr_t nothing = 2;  // in a slot that is taken and protects nothing

    struct attempt {
        std::uintptr_t word;
        bool is_protected;
    };

    // Returns: the word, and whether `place` protects it from now on: not if it was replaced meanwhile. order() is a
    // light fence.
    template <class Word, class Order>
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static attempt try_to_protect(slot& place, const Word& word,
                                                                       Order order) noexcept {
        // relaxed: the second load decides
        const std::uintptr_t seen = word.load(std::memory_order_relaxed);
        // release: pairs with for_each_protected(): a scan that reads this word has also acquired what the previous
        // reader of the slot did. The fence puts the store before the load.
        place.store(seen, std::memory_order_release);
        order();  // pairs with heavy() in fence() and release_now() of reader_domain
        // acquire: pairs with the release by which the word was stored. seq_cst: a load is in the one order of all
        // operations of atomic pointers.
        return {seen, word.load(std::memory_order_seq_cst) == seen};
    }

    // Effects: the slot protects nothing, and is free.
    static void unprotect(slot& place) noexcept {
        // release: pairs with each acquire below: what is released afterwards was read before
        place.store(free, std::memory_order_release);
    }

    // Returns: whether the first slot is free. Requires of this and the next: the slots are the calling thread's.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE bool is_first_free() const noexcept {
        // acquire: pairs with unprotect(), of a snapshot that ended in another thread. No other thread takes slots.
        return all_slots[0].load(std::memory_order_acquire) == free;
    }

    // Returns: a free slot, or null.
    [[nodiscard]] slot* find_free() noexcept {
        for (slot& each : all_slots) {
            if (each.load(std::memory_order_acquire) == free) return &each;  // as above
        }
        return nullptr;
    }

    [[nodiscard]] bool are_free() const noexcept {
        bool are = true;
        for (const slot& each : all_slots) are &= each.load(std::memory_order_acquire) == free;  // as above
        return are;
    }

    // Returns: a slot that was free, and is the caller's; null if none was. Requires: the slots are of all threads.
    [[nodiscard]] slot* claim_slot() noexcept {
        for (slot& each : all_slots) {
            std::uintptr_t none = free;
            // acquire: pairs with unprotect(), for what the caller stores next
            if (each.compare_exchange_strong(none, nothing, std::memory_order_acquire, std::memory_order_relaxed))
                return &each;
        }
        return nullptr;
    }

    [[nodiscard]] bool protects(std::uintptr_t word) const noexcept {
        for (const slot& each : all_slots) {
            if (each.load(std::memory_order_acquire) == word) return true;  // acquire: pairs with unprotect()
        }
        return false;
    }

    // Effects: calls visit(word) for each word that a slot protects.
    template <class Visitor>
    FREEHOLD_ALWAYS_INLINE void for_each_protected(Visitor& visit) const noexcept {
        for (const slot& each : all_slots) {
            // acquire: pairs with unprotect()
            if (const std::uintptr_t word = each.load(std::memory_order_acquire); word > nothing) [[unlikely]]
                visit(word);
        }
    }

    void free_all() noexcept {
        for (slot& each : all_slots) unprotect(each);
    }

    std::array<slot, Count> all_slots{};
};

// What a thread has deferred is used by one thread at a time: by the one that has the record, or by one that takes over
// what an idle thread has left. The first pays no fence for that, the second one has the heavy fence that it needs
// anyway. Process: reader_domain.hpp.
template <class Threading, class Process>
struct reader_record : word_slots<Threading, Process::own_slots>, table_entry<Threading> {
    template <class T>
    using atomic = typename Threading::template atomic<T>;
    using fence = typename Threading::fence;

    // A fence takes 2 to 14 microseconds. A thread that stores 200'000 times a second, or more often, pays for one in
    // fewer than one store of 10'000.
    static constexpr std::uint32_t milliseconds_between_fences = 50;
    static constexpr std::uint32_t milliseconds_until_idle = 100;
    static constexpr std::size_t most_between_fences = std::size_t{1} << 14;
    static constexpr std::size_t most_bytes_between_fences = 256 * most_between_fences;

    // taken: owned or free. left: its owner has ended, and the record is not empty. shared: its slots are of all
    // threads for ever. lost: of a thread that a child of fork does not have, and which was in the middle of a change.
    enum state : std::uint32_t { taken, left, shared, lost };

    // Effects: the caller uses what is deferred, until end(). Returns: false while another thread takes that over.
    // Requires: the record is the calling thread's.
    [[nodiscard]] bool begin(const fence& barrier) noexcept {
        is_in_use.store(true, std::memory_order_relaxed);
        barrier.light();  // either this sees the claim, or whoever claims sees after a heavy fence that it is in use
        // acquire: pairs with unclaim()
        if (!is_claimed.load(std::memory_order_acquire)) [[likely]]
            return true;
        is_in_use.store(false, std::memory_order_release);  // as in end()
        passed_on.notify(barrier);
        return false;
    }

    // Effects: as begin(), once no other thread claims it.
    void begin_late(fence& barrier) noexcept {
        while (!begin(barrier)) {
            passed_on.wait(barrier, [this] { return !is_claimed_now(); });
        }
    }

    void end(const fence& barrier) noexcept {
        has_deferred.store(!deferred.is_empty(), std::memory_order_relaxed);  // a hint
        // release: pairs with the acquire of whoever takes over
        is_in_use.store(false, std::memory_order_release);
        passed_on.notify(barrier);
    }

    // Effects: after a heavy fence, the caller may use what is deferred, unless is_in_use. Returns: false if another
    // thread has claimed it.
    [[nodiscard]] bool claim() noexcept {
        // acquire: pairs with unclaim()
        return !is_claimed.load(std::memory_order_relaxed) && !is_claimed.exchange(true, std::memory_order_acquire);
    }

    [[nodiscard]] bool is_claimed_now() const noexcept {
        return is_claimed.load(std::memory_order_relaxed);  // begin() and claim() acquire
    }

    void unclaim(const fence& barrier) noexcept {
        // release: pairs with begin() and claim()
        is_claimed.store(false, std::memory_order_release);
        passed_on.notify(barrier);
    }

    [[nodiscard]] bool is_in_use_now() const noexcept {
        return is_in_use.load(std::memory_order_acquire);  // pairs with end()
    }

    // Returns: whether a flush has to take over from here. Requires: a heavy fence.
    [[nodiscard]] bool may_have_deferred() const noexcept {
        // relaxed: the heavy fence orders. is_in_use_now() comes first: end() has stored has_deferred before.
        return use.load(std::memory_order_relaxed) != lost &&
               (is_in_use_now() || has_deferred.load(std::memory_order_relaxed));
    }

    // Effects: takes over up to `most` that are deferred in `claimed`, unless it is in use, and ends the claim.
    // Returns: whether it was not in use. Requires: the caller uses *this; a heavy fence since claimed.claim().
    bool take_over(reader_record& claimed, std::size_t most, const fence& barrier) noexcept {
        const bool is_used = claimed.is_in_use_now();
        if (!is_used) {
            deferred.take_over(claimed.deferred, most);
            claimed.has_deferred.store(!claimed.deferred.is_empty(), std::memory_order_relaxed);  // a hint
        }
        claimed.unclaim(barrier);
        return !is_used;
    }

    // Returns: whether what the thread has deferred is to be scanned after another fence.
    [[nodiscard]] bool is_fence_due() const noexcept {
        if (Process::is_alone() || deferred.size() >= most_between_fences ||
            bytes_since_fence >= most_bytes_between_fences)
            return true;
        // relaxed: a number alone
        return Process::now() - last_fence.load(std::memory_order_relaxed) >= milliseconds_between_fences;
    }

    // Returns: whether the last fence was long before `now`, which was some time ago: the fence may be later.
    [[nodiscard]] bool is_idle(std::uint32_t now) const noexcept {
        constexpr std::uint32_t a_minute_before = 0U - 60'000;
        const std::uint32_t passed = now - last_fence.load(std::memory_order_relaxed);  // a hint
        return passed >= milliseconds_until_idle && passed < a_minute_before;
    }

    // Returns: whether another thread can have the record, and find nothing in it. Requires: the caller uses what is
    // deferred.
    [[nodiscard]] bool is_clean() const noexcept { return deferred.is_empty() && this->are_free(); }

    // Effects: in a child of fork, ends the claim of a thread that is not there. Requires: there is one thread.
    void restart(bool is_own) noexcept {
        is_claimed.store(false, std::memory_order_relaxed);
        deferred.restart();
        if (!is_own && is_in_use.load(std::memory_order_relaxed)) use.store(lost, std::memory_order_relaxed);
    }

    atomic<std::uint32_t> use = taken;
    atomic<std::uint32_t> last_fence = 0;  // when; in milliseconds
    atomic<bool> is_in_use = false;
    atomic<bool> is_claimed = false;
    atomic<bool> has_deferred = false;
    bool is_releasing = false;              // a destructor runs that may defer further releases
    asymmetric_event<Threading> passed_on;  // its use or its claim has ended
    reader_record* next_claimed = nullptr;  // of whoever claims it
    std::size_t bytes_since_fence = 0;      // what the references deferred since then will free
    std::uint64_t taken_over_in = 0;        // the number of the last flush that took over all
    typename Process::ring deferred;
};

}  // namespace freehold::detail
