#pragma once
// reader_domain: the threads that read and replace shared words.
//
// A shared word counts one owner of what it names. A reader protects the word in a slot (a hazard pointer), looks
// whether it is still the same, and may then use what it names, or count an owner of its own. A writer that has
// replaced the word defers the release of the old owner until no slot protects the word.
//
// The reader stores its slot and then loads the word; the writer replaces the word and then loads the slots. Each must
// see the other's store unless the other sees its own. The reader pays nothing for that but order in the compiler: the
// writer's heavy fence (membarrier) orders all threads of the process, and one serves thousands of releases.
//
// A thread has a record (record_table.hpp). At its end the record is free for another thread, unless something is left
// in it: a slot by which another thread still reads, or a reference that could not be released. The next thread that
// begins takes it then, or the next fence frees it once nothing is left.
//
// Waiting: only flush() waits, and the end of a thread: until another thread has done what it was about to do with a
// record. They sleep. claim_shared() rests, if there is no memory.
//
// Thread safety: all functions may be called by any thread. Exceptions: none; without memory for a thread's record its
// readers share a few slots. Complexity: defer() examines two entries, or up to 64 if no more wait; a fence reads the
// slots of the threads that have records.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/asymmetric_event.hpp"
#include "../../core/asymmetric_fence.hpp"
#include "../../core/record_table.hpp"
#include "deferred_releases.hpp"
#include "reader_record.hpp"

namespace freehold::detail {

// Threading: core/threading.hpp. Process provides, as static members (process_readers.hpp has those of a process):
//   own_slots, shared_slots the numbers of slots, for each thread and for all together
//   records_in_group, is_first_group_in_place, allocate(bytes), free(memory, bytes)   as record_table.hpp says
//   ring                    deferred_releases, or that of a test
//   now()                   milliseconds
//   is_alone()              whether the process has one thread
//   own(), set_own(record)  the calling thread's record, or null
//   at_thread_end()         arranges for leave() to be called at the thread's end. Returns: false if it may not be
template <class Threading, class Process>
class reader_domain {
public:
    using record = reader_record<Threading, Process>;
    using slot = typename record::slot;

    constexpr reader_domain() noexcept = default;
    reader_domain(const reader_domain&) = delete;
    reader_domain& operator=(const reader_domain&) = delete;

    // Returns: the calling thread's record, or null if the thread has ended or there is no memory.
    [[nodiscard]] record* own() noexcept {
        record* const mine = Process::own();
        return mine != nullptr ? mine : enter();
    }

    struct attempt {
        std::uintptr_t word;
        bool is_protected;
    };

    // Returns: the word, and whether `place` protects it from now on: not if it was replaced meanwhile. order() is a
    // light fence.
    template <class Word, class Order>
    [[nodiscard, gnu::always_inline]] static attempt try_to_protect(slot& place, const Word& word,
                                                                    Order order) noexcept {
        // relaxed: the second load decides
        const std::uintptr_t seen = word.load(std::memory_order_relaxed);
        // release: pairs with for_each_slot(): who reads this word has also acquired what the slot's last reader did.
        // The fence puts the store before the load.
        place.store(seen, std::memory_order_release);
        order();  // pairs with heavy() in fence() and release_now()
        // acquire: pairs with the release by which the word was stored. seq_cst: a load is in the one order of all
        // operations of atomic pointers.
        return {seen, word.load(std::memory_order_seq_cst) == seen};
    }

    // Returns: the word, which `place` protects from now on.
    template <class Word>
    [[nodiscard]] std::uintptr_t protect(slot& place, const Word& word) const noexcept {
        while (true) {
            const attempt tried = try_to_protect(place, word, [this] { barrier.light(); });
            if (tried.is_protected) [[likely]]
                return tried.word;
        }
    }

    static void unprotect(slot& place) noexcept {
        // release: pairs with for_each_slot(), claim() and is_first_free(): what is released afterwards was read before
        place.store(record::free, std::memory_order_release);
    }

    // Returns: a slot that all threads share, claimed for the caller. Makes further slots if all are claimed, so that
    // no thread waits for another one; it waits if there is no memory for them.
    [[nodiscard, gnu::noinline]] slot& claim_shared() noexcept {
        while (true) {
            if (slot* const claimed = claim(shared_)) return *claimed;
            slot* found = nullptr;
            records_.for_each([&found](record& each) {
                // relaxed: a record of this kind stays one
                if (found == nullptr && each.use.load(std::memory_order_relaxed) == record::shared) {
                    found = claim(each.all_slots);
                }
            });
            if (found != nullptr) return *found;
            if (record* const made = records_.acquire()) {
                made->use.store(record::shared, std::memory_order_relaxed);
            } else {
                Threading::rest();  // no futex: who frees a slot would pay for those who wait
            }
        }
    }

    // Returns: whether a slot has the word. Requires: a fence since the word was replaced, or all reads of its place
    // happened before.
    [[nodiscard]] bool is_protected(std::uintptr_t word) noexcept {
        bool found = false;
        for_each_slot([word, &found](std::uintptr_t each) { found |= each == word; });
        return found;
    }

    // Effects: calls release(word) when no slot protects the word any more: now, or in a later defer() or flush() of
    // any thread, or leave(). `bytes` will be free then. Requires: the caller has taken this reference out of all
    // shared words. Out of line: a loop that reads and sometimes stores keeps its variables in registers.
    [[gnu::noinline]] void defer(deferred_release added, std::size_t bytes = 0) noexcept {
        record* const mine = own();
        if (Process::is_alone() && (mine == nullptr || mine->deferred.is_empty()) && !is_protected(added.word))
            return added.release(added.word);
        if (mine == nullptr || (!mine->is_releasing && !mine->begin(barrier))) [[unlikely]]
            return defer_in_another(added);
        mine->bytes_since_fence += bytes;
        defer(*mine, added);
    }

    // Effects: as defer(), for a thread whose own() is in another domain.
    [[gnu::cold, gnu::noinline]] void defer_as_guest(deferred_release added) noexcept {
        record* const guest = take_to_use();
        if (guest == nullptr) return release_now(added);
        defer(*guest, added);
        give_back(*guest);
    }

    // Effects: releases what any thread had deferred before the call, and what is deferred by what is released, except
    // what a slot protects. Blocks until other threads have finished a store that they are in. None in a destructor
    // that a release has called. Returns: how much is still deferred.
    std::size_t flush() noexcept {
        record* mine = own();
        if (mine != nullptr && mine->is_releasing) return mine->deferred.size();
        // acquire: pairs with the release below
        flushed_.wait(barrier, [this] { return !is_flushing_.exchange(true, std::memory_order_acquire); });
        const bool is_guest = mine == nullptr;
        if (is_guest) {
            mine = take_to_use();
            Process::set_own(mine);  // destructors that defer more, or flush, use the same
        } else {
            begin_late(*mine);
        }
        std::size_t kept = 0;
        if (mine != nullptr) {
            mine->is_releasing = true;
            take_over_all(*mine);
            drain(*mine);
            mine->is_releasing = false;
            kept = mine->deferred.size();
            mine->end(barrier);
            if (is_guest) {
                Process::set_own(nullptr);
                give_back(*mine);
            }
        }
        is_flushing_.store(false, std::memory_order_release);
        flushed_.notify(barrier);
        return kept;
    }

    // Effects: releases what the calling thread has deferred and no slot protects; then another thread may take its
    // record. To be called at the thread's end.
    void leave() noexcept {
        record* const mine = Process::own();
        if (mine == nullptr) return;
        drain_own(*mine);
        Process::set_own(nullptr);
        give_back(*mine);
    }

    // Effects: in a child of fork, frees the shared slots, and no thread claims what another has deferred. What other
    // threads had in their own slots stays protected: a snapshot may have been any thread's. Requires: there is one
    // thread, and it has claimed no slot.
    void restart_in_child() noexcept {
        for (slot& each : shared_) unprotect(each);
        // relaxed, here and below: there is one thread
        is_flushing_.store(false, std::memory_order_relaxed);
        records_.for_each([](record& each) {
            each.restart(&each == Process::own());
            if (each.use.load(std::memory_order_relaxed) != record::shared) return;
            for (slot& one : each.all_slots) unprotect(one);
        });
    }

    // Between the slots and the words. All modules that use the domain have the same.
    alignas(64) typename Threading::fence barrier;

private:
    static constexpr std::size_t most_between_fences = std::size_t{1} << 14;
    static constexpr std::size_t most_bytes_between_fences = 256 * most_between_fences;
    static constexpr std::size_t first_ring = 2 * most_between_fences;
    static constexpr std::size_t at_once = 64;  // as many releases need not be spread
    static constexpr std::size_t part_of_owed = 1024;
    static constexpr std::size_t most_taken_over = 1024;
    // A fence takes 2 to 14 microseconds. A thread that stores 200'000 times a second, or more often, pays for one in
    // fewer than one store of 10'000.
    static constexpr std::uint32_t milliseconds_between_fences = 50;
    static constexpr std::uint32_t milliseconds_until_idle = 100;

    // Requires: the caller has begun to use the record. Effects: ends that, unless it is in a destructor that examine()
    // called.
    void defer(record& mine, deferred_release added) noexcept {
        const bool is_outermost = !mine.is_releasing;
        mine.is_releasing = true;
        if (mine.deferred.is_full() && !grow(mine) && is_outermost) drain(mine);
        if (mine.deferred.is_full()) {
            release_now(added);
        } else {
            mine.deferred.push(added);
        }
        if (!is_outermost) return;
        if (mine.deferred.unexamined() == 0 && is_fence_due(mine)) fence(mine);
        examine_some(mine);
        mine.is_releasing = false;
        mine.end(barrier);
    }

    // Effects: as defer(), for a thread that has no record, as it is ending, or whose record is claimed.
    [[gnu::cold, gnu::noinline]] void defer_in_another(deferred_release added) noexcept {
        record* const other = take_to_use();
        if (other == nullptr) return release_now(added);
        record* const before = Process::own();
        Process::set_own(other);  // destructors that defer more use the same
        defer(*other, added);
        if (before == nullptr) drain_own(*other);  // it may be the last thread: nothing waits for a later store
        Process::set_own(before);
        give_back(*other);
    }

    // Effects: begins to use the record, once no other thread claims it.
    void begin_late(record& mine) noexcept {
        while (!mine.begin(barrier)) {
            mine.passed_on.wait(barrier, [&mine] { return !mine.is_claimed_now(); });
        }
    }

    // Effects: releases what the thread has deferred and no slot protects.
    void drain_own(record& mine) noexcept {
        begin_late(mine);
        mine.is_releasing = true;
        drain(mine);
        mine.is_releasing = false;
        mine.end(barrier);
    }

    // Effects: releases what no slot protects. Requires: the caller has begun to use the record.
    void drain(record& mine) noexcept {
        // What is released may defer more, and a fence may take over more, which waits for the next one.
        std::size_t kept = 0;
        do {
            kept = 0;
            fence(mine);
            while (mine.deferred.unexamined() > 0) kept += examine(mine);
        } while (mine.deferred.size() > kept);
        mine.owed = 0;
    }

    // Effects: another thread may have the record. Requires: no thread uses it.
    void give_back(record& used) noexcept {
        if (free_if_clean(used)) return;
        left_.fetch_add(1, std::memory_order_relaxed);            // relaxed: a hint
        used.use.store(record::left, std::memory_order_release);  // pairs with the acquire in try_take()
    }

    // Returns: whether nothing was left in the record, so that it is free now. Requires: the caller has taken it.
    bool free_if_clean(record& used) noexcept {
        // A concurrent claim keeps the record `left`; a later fence frees it.
        if (!used.begin(barrier)) return false;
        const bool is_clean = used.is_clean();
        used.end(barrier);
        if (is_clean) {
            give_back_memory(used);
            records_.release(used);
        }
        return is_clean;
    }

    // Returns: one of the slots, which was free; null if none was.
    template <class Slots>
    [[nodiscard]] static slot* claim(Slots& all) noexcept {
        for (slot& each : all) {
            std::uintptr_t none = record::free;
            // acquire: pairs with unprotect(), for what the caller stores next
            if (each.compare_exchange_strong(none, record::nothing, std::memory_order_acquire,
                                             std::memory_order_relaxed)) {
                return &each;
            }
        }
        return nullptr;
    }

    // Effects: gives the calling thread a record. Returns: it, or null if the thread is ending or there is no memory.
    [[nodiscard, gnu::cold, gnu::noinline]] record* enter() noexcept {
        if (!Process::at_thread_end()) return nullptr;
        record* const mine = take();
        Process::set_own(mine);
        return mine;
    }

    // Returns: a record of no thread's, or null if there is no memory.
    [[nodiscard]] record* take() noexcept {
        record* found = nullptr;
        if (left_.load(std::memory_order_relaxed) != 0) {  // relaxed: a hint
            records_.for_each([this, &found](record& each) {
                if (found == nullptr && each.are_free() && try_take(each)) found = &each;
            });
        }
        return found != nullptr ? found : records_.acquire();
    }

    // Returns: the same; the caller has begun to use it.
    [[nodiscard]] record* take_to_use() noexcept {
        record* const taken = take();
        if (taken == nullptr || taken->begin(barrier)) return taken;
        record* const another = take_to_use();  // while another thread takes over what was left there
        give_back(*taken);
        return another;
    }

    // Returns: whether the record was left, and is the caller's now.
    [[nodiscard]] bool try_take(record& other) noexcept {
        // acquire: pairs with the release in give_back(). relaxed: without it nothing is done
        std::uint32_t seen = other.use.load(std::memory_order_relaxed);
        if (seen != record::left || !other.use.compare_exchange_strong(seen, record::taken, std::memory_order_acquire,
                                                                       std::memory_order_relaxed))
            return false;
        left_.fetch_sub(1, std::memory_order_relaxed);
        return true;
    }

    [[nodiscard]] static bool is_fence_due(const record& mine) noexcept {
        if (Process::is_alone() || mine.deferred.size() >= most_between_fences ||
            mine.bytes_since_fence >= most_bytes_between_fences)
            return true;
        // relaxed: a number alone
        return Process::now() - mine.last_fence.load(std::memory_order_relaxed) >= milliseconds_between_fences;
    }

    // Effects: all that the thread has deferred may be examined. Then takes over what others have deferred, which waits
    // for the next fence; unless a thread flushes, which takes over all, and may have passed this record already.
    void fence(record& mine) noexcept {
        const std::uint32_t now = Process::now();
        // relaxed: the light fence of begin() orders. A flush that has not seen this record in use is seen here.
        record* claimed = is_flushing_.load(std::memory_order_relaxed) ? nullptr : claim_others(mine, now);
        mine.last_fence.store(now, std::memory_order_relaxed);
        mine.bytes_since_fence = 0;
        if (!Process::is_alone()) barrier.heavy();
        note_protected(mine);
        mine.deferred.mark_fence();
        while (claimed != nullptr) {
            static_cast<void>(take_over(mine, *std::exchange(claimed, claimed->next_claimed), most_taken_over));
        }
    }

    // Effects: notes which words slots protect.
    void note_protected(record& mine) noexcept {
        mine.protected_then.clear();
        mine.is_incomplete = false;
        for_each_slot([&mine](std::uintptr_t word) {
            if (mine.protected_then.is_full() && !move_protected(mine, 2 * mine.protected_then.room())) {
                mine.is_incomplete = true;
            } else {
                mine.protected_then.insert(word);
            }
        });
    }

    // Returns: false if there is no memory.
    static bool move_protected(record& mine, std::size_t room) noexcept {
        using set = decltype(record::protected_then);
        void* const memory = Process::allocate(set::bytes(room));
        if (memory == nullptr) return false;
        const std::size_t before = set::bytes(mine.protected_then.room());
        std::uintptr_t* const old = mine.protected_then.move_to(static_cast<std::uintptr_t*>(memory), room);
        if (old != nullptr) Process::free(old, before);
        return true;
    }

    // Effects: gives back the memory that was necessary to note many words.
    static void give_back_memory(record& used) noexcept {
        const std::size_t bytes = decltype(used.protected_then)::bytes(used.protected_then.room());
        used.protected_then.clear();
        if (std::uintptr_t* const memory = used.protected_then.move_to(nullptr)) Process::free(memory, bytes);
    }

    // Returns: whether the record's last fence was long before `now`, which was some time ago: the fence may be later.
    [[nodiscard]] static bool is_idle(const record& other, std::uint32_t now) noexcept {
        constexpr std::uint32_t a_minute_before = 0U - 60'000;
        const std::uint32_t passed = now - other.last_fence.load(std::memory_order_relaxed);  // a hint
        return passed >= milliseconds_until_idle && passed < a_minute_before;
    }

    // Effects: claims what ended and idle threads have left. Frees the records in which nothing is left any more.
    // Returns: the list of what was claimed.
    [[nodiscard]] record* claim_others(const record& mine, std::uint32_t now) noexcept {
        record* claimed = nullptr;
        records_.for_each([&](record& each) {
            if (&each == &mine) return;
            const bool is_left =
                each.use.load(std::memory_order_relaxed) == record::left;  // relaxed, here and below: hints
            if (!each.has_deferred.load(std::memory_order_relaxed)) {
                if (is_left && each.are_free() && try_take(each)) give_back(each);
            } else if ((is_left || is_idle(each, now)) && each.claim()) {
                each.next_claimed = std::exchange(claimed, &each);
            }
        });
        return claimed;
    }

    // Effects: takes over what all other threads have deferred. Waits for those that are in a store, but claims nothing
    // meanwhile: a thread may end for which they wait. Requires: the caller flushes.
    void take_over_all(record& mine) noexcept {
        ++flushes_;
        record* busy = nullptr;
        do {
            barrier.heavy();  // a thread that is in a store is seen
            busy = nullptr;
            record* claimed = nullptr;
            records_.for_each([&](record& each) {
                const bool is_done = &each == &mine || each.taken_over_in == flushes_;
                if (is_done || !may_have_deferred(each)) return;
                if (each.claim()) {
                    each.next_claimed = std::exchange(claimed, &each);
                } else {
                    busy = &each;
                }
            });
            if (claimed != nullptr) barrier.heavy();
            while (claimed != nullptr) {
                record& each = *std::exchange(claimed, claimed->next_claimed);
                if (take_over(mine, each, ~std::size_t{0})) {
                    each.taken_over_in = flushes_;
                } else {
                    busy = &each;
                }
            }
            if (busy != nullptr)
                busy->passed_on.wait(barrier, [busy] { return !is_in_use(*busy) && !busy->is_claimed_now(); });
        } while (busy != nullptr);
    }

    [[nodiscard]] static bool may_have_deferred(const record& other) noexcept {
        // relaxed: the heavy fence orders. is_in_use() comes first: end() has stored has_deferred before.
        return other.use.load(std::memory_order_relaxed) != record::lost &&
               (is_in_use(other) || other.has_deferred.load(std::memory_order_relaxed));
    }

    [[nodiscard]] static bool is_in_use(const record& claimed) noexcept {
        return claimed.is_in_use.load(std::memory_order_acquire);  // pairs with end()
    }

    // Effects: takes over up to `most` that are deferred there, unless it is in use, and ends the claim. Returns:
    // whether it was not in use. Requires: a heavy fence since claim().
    bool take_over(record& mine, record& claimed, std::size_t most) noexcept {
        const bool is_used = is_in_use(claimed);
        if (!is_used) {
            for (; most > 0 && !claimed.deferred.is_empty() && (!mine.deferred.is_full() || grow(mine)); --most) {
                mine.deferred.push(claimed.deferred.pop());
            }
            claimed.has_deferred.store(!claimed.deferred.is_empty(), std::memory_order_relaxed);
        }
        claimed.unclaim(barrier);
        return !is_used;
    }

    // Effects: examines all if they are few, else two for the one that was added, and some of those that destructors
    // have deferred besides: otherwise more would come than goes.
    void examine_some(record& mine) noexcept {
        const std::size_t all = mine.deferred.unexamined();
        const std::size_t paid = (mine.owed + part_of_owed - 1) / part_of_owed;
        std::size_t count = all;
        // A branch: with smaller(), clang++ executes a hundredth more in a store.
        if (all > at_once && 2 + paid < all) [[unlikely]]
            count = 2 + paid;
        mine.owed -= detail::smaller(paid, mine.owed);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t before = mine.deferred.size() - 1;
            const std::size_t kept = examine(mine);
            mine.owed += mine.deferred.size() - before - kept;
        }
    }

    // Effects: releases the oldest reference that the thread has deferred, or defers it again if it was protected after
    // the fence. Returns: the number of those deferred again.
    std::size_t examine(record& mine) noexcept {
        const deferred_release oldest = mine.deferred.pop();
        if (mine.protected_then.contains(oldest.word) || (mine.is_incomplete && is_protected(oldest.word))) {
            mine.deferred.push(oldest);
            return 1;
        }
        oldest.release(oldest.word);
        return 0;
    }

    // Returns: false if there is no memory. A ring that is no more in place seldom grows: only for what a reader
    // protects, or one destructor defers.
    [[nodiscard]] static bool grow(record& mine) noexcept {
        const std::size_t before = mine.deferred.room();
        const std::size_t room = before < first_ring ? first_ring : 2 * before;
        void* const memory = Process::allocate(room * sizeof(deferred_release));
        if (memory == nullptr) return false;
        deferred_release* const old = mine.deferred.move_to(static_cast<deferred_release*>(memory), room);
        if (old != nullptr) Process::free(old, before * sizeof(deferred_release));
        return true;
    }

    // Effects: releases the reference. One that a slot still protects is never released, as there is no memory to
    // remember it.
    [[gnu::cold, gnu::noinline]] void release_now(deferred_release single) noexcept {
        barrier.heavy();
        if (!is_protected(single.word)) single.release(single.word);
    }

    template <class Visitor>
    void for_each_slot(Visitor visit) noexcept {
        const auto look = [&visit](const slot& each) {
            // acquire: pairs with unprotect()
            if (const std::uintptr_t word = each.load(std::memory_order_acquire); word > record::nothing) visit(word);
        };
        for (const slot& each : shared_) look(each);
        records_.for_each([&look](record& each) {
            for (const slot& one : each.all_slots) look(one);
        });
    }

    template <class T>
    using atomic = typename Threading::template atomic<T>;

    atomic<bool> is_flushing_ = false;
    std::uint64_t flushes_ = 0;  // changed by who flushes
    asymmetric_event<Threading> flushed_;
    atomic<std::uint32_t> left_ = 0;  // records that ended threads left something in
    alignas(64) std::array<slot, Process::shared_slots> shared_{};
    record_table<Threading, record, Process> records_;
};

}  // namespace freehold::detail
