#pragma once
// reader_record: what one thread reads through shared words, and which references it has deferred.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../../core/asymmetric_event.hpp"
#include "../../core/protected_set.hpp"
#include "../../core/record_table.hpp"

namespace freehold::detail {

// The words through which one thread reads, in a cache line of their own. Other threads only look at them, except that
// the end of a snapshot that was moved to another thread frees its slot.
// Threading: core/threading.hpp; Process: reader_domain.hpp, here and below.
template <class Threading, class Process>
struct alignas(64) word_slots {
    using slot = typename Threading::template atomic<std::uintptr_t>;

    static constexpr std::uintptr_t free = 0;
    static constexpr std::uintptr_t nothing = 2;  // in a slot that is taken and protects nothing

    // Returns: whether the first slot is free. Requires of this and the next: the slots are the calling thread's.
    [[nodiscard, gnu::always_inline]] bool is_first_free() const noexcept {
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

    std::array<slot, Process::own_slots> all_slots{};
};

// What a thread has deferred is used by one thread at a time: by the one that has the record, or by one that takes over
// what an idle thread has left. The first pays no fence for that, the second one has the heavy fence that it needs
// anyway.
template <class Threading, class Process>
struct reader_record : word_slots<Threading, Process>, table_entry<Threading> {
    template <class T>
    using atomic = typename Threading::template atomic<T>;

    // taken: owned or free. left: its owner has ended, and the record is not empty. shared: its slots are of all
    // threads for ever. lost: of a thread that a child of fork does not have, and which was in the middle of a change.
    enum state : std::uint32_t { taken, left, shared, lost };

    // Effects: the caller uses what is deferred, until end(). Returns: false while another thread takes that over.
    // Requires: the record is the calling thread's.
    template <class Fence>
    [[nodiscard]] bool begin(const Fence& barrier) noexcept {
        is_in_use.store(true, std::memory_order_relaxed);
        barrier.light();  // either this sees the claim, or whoever claims sees after a heavy fence that it is in use
        // acquire: pairs with unclaim()
        if (!is_claimed.load(std::memory_order_acquire)) [[likely]]
            return true;
        is_in_use.store(false, std::memory_order_release);  // as in end()
        passed_on.notify(barrier);
        return false;
    }

    template <class Fence>
    void end(const Fence& barrier) noexcept {
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
        return is_claimed.load(std::memory_order_acquire);  // pairs with unclaim()
    }

    template <class Fence>
    void unclaim(const Fence& barrier) noexcept {
        // release: pairs with begin() and claim()
        is_claimed.store(false, std::memory_order_release);
        passed_on.notify(barrier);
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
    std::size_t owed = 0;                   // examinations, for what destructors have deferred
    std::uint64_t taken_over_in = 0;        // the number of the last flush that took over all
    bool is_incomplete = false;             // there was no memory for all in `protected_then`
    protected_set<32> protected_then;       // the words that were protected after the last fence
    typename Process::ring deferred;
};

}  // namespace freehold::detail
