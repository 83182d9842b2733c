#pragma once
// reader_domain: the threads that read and replace shared words.
//
// A shared word counts one owner of what it names. A reader protects the word in a slot (a hazard pointer), looks
// whether it is still the same, and may then use what it names, or count an owner of its own. A writer that has
// replaced the word defers the release of the old owner until no slot protects the word.
//
// The reader stores its slot and then loads the word; the writer replaces the word and then loads the slots. At least
// one must see the other's store. The reader pays nothing for that but order in the compiler: the
// writer's heavy fence (membarrier) orders all threads of the process, and one serves thousands of releases.
//
// A thread has a record: its slots, and what it has deferred (reader_record.hpp, deferred_releases.hpp). The order of
// calls:
//
//   protect   try_to_protect    stores the word in a slot, and looks whether it is still the same
//   defer     push              adds the word to what the thread has deferred
//             fence             if it is due; takes over what ended and idle threads have deferred (claim_others)
//             scan_some         releases what no slot protected after the last fence
//   flush     take_over_all     takes over what all threads have deferred
//             drain             a fence and a scan, until only what is protected is left
//   leave     drain, give_back  the record is free, or `left` if another thread reads by its slot, or a reference could
//                               not be released: for the next thread that begins, or until a fence finds it clean
//
// Waiting: flush() and the end of a thread sleep while another thread uses or claims a record. claim_shared() rests, if
// there is no memory.
//
// Thread safety: all functions may be called by any thread. Exceptions: none; without memory for a thread's record its
// readers share a few slots. Complexity: defer() scans what waits if that is 64 entries at most, else two; a fence
// reads the slots of the threads that have records.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/asymmetric_event.hpp"
#include "../../core/asymmetric_fence.hpp"
#include "../../core/config.hpp"
#include "../../core/record_table.hpp"
#include "deferred_releases.hpp"
#include "reader_record.hpp"

namespace freehold::inline v0_2::detail {

// Threading: core/threading.hpp. Process provides, as static members (atomic_pointer_domain.hpp has those of a
// process):
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

    // Returns: the word, which `place` protects from now on.
    template <class Word>
    [[nodiscard]] std::uintptr_t protect(slot& place, const Word& word) const noexcept {
        while (true) {
            const auto tried = record::try_to_protect(place, word, [this] { barrier.light(); });
            if (tried.is_protected) [[likely]]
                return tried.word;
        }
    }

    static void unprotect(slot& place) noexcept { record::unprotect(place); }

    // Returns: a slot that all threads share, claimed for the caller. Makes further slots if all are claimed, so that
    // no thread waits for another one; it waits if there is no memory for them.
    [[nodiscard]] FREEHOLD_NOINLINE slot& claim_shared() noexcept {
        while (true) {
            if (slot* const claimed = shared_.claim_slot()) return *claimed;
            slot* found = nullptr;
            records_.for_each([&found](record& each) {
                // relaxed: a record of this kind stays one
                if (found == nullptr && each.use.load(std::memory_order_relaxed) == record::shared)
                    found = each.claim_slot();
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
        bool found = shared_.protects(word);
        records_.for_each([word, &found](const record& each) { found = found || each.protects(word); });
        return found;
    }

    // Effects: calls release(word) when no slot protects the word any more: now, or in a later defer() or flush() of
    // any thread, or leave(). `bytes` will be free then. Requires: the caller has taken this reference out of all
    // shared words. Out of line: a loop that reads and sometimes stores keeps its variables in registers.
    FREEHOLD_NOINLINE void defer(deferred_release added, std::size_t bytes = 0) noexcept {
        record* const mine = own();
        if (Process::is_alone() && (mine == nullptr || mine->deferred.is_empty()) && !is_protected(added.word))
            return added.release(added.word);
        if (mine == nullptr || (!mine->is_releasing && !mine->begin(barrier))) [[unlikely]]
            return defer_in_another(added);
        mine->bytes_since_fence += bytes;
        defer_into(*mine, added);
    }

    // Effects: as defer(), for a thread whose own() is in another domain.
    FREEHOLD_COLD FREEHOLD_NOINLINE void defer_as_guest(deferred_release added) noexcept {
        record* const guest = take_to_use();
        if (guest == nullptr) return release_now(added);
        defer_into(*guest, added);
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
            mine->begin_late(barrier);
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
        shared_.free_all();
        // relaxed, here and below: there is one thread
        is_flushing_.store(false, std::memory_order_relaxed);
        records_.for_each([](record& each) {
            each.restart(&each == Process::own());
            if (each.use.load(std::memory_order_relaxed) == record::shared) each.free_all();
        });
    }

    // Between the slots and the words. All modules that use the domain have the same.
    alignas(64) typename Threading::fence barrier;

private:
    static constexpr std::size_t most_taken_over = 1024;  // at a time

    // Requires: the caller has begun to use the record. Effects: ends that, unless it is in a destructor that a scan
    // called.
    void defer_into(record& mine, deferred_release added) noexcept {
        const bool is_outermost = !mine.is_releasing;
        mine.is_releasing = true;
        if (!mine.deferred.push(added)) [[unlikely]]
            defer_without_memory(mine, added, is_outermost);
        if (!is_outermost) return;
        if (mine.deferred.unscanned() == 0 && mine.is_fence_due()) fence(mine);
        mine.deferred.scan_some(protection_test());
        mine.is_releasing = false;
        mine.end(barrier);
    }

    FREEHOLD_COLD FREEHOLD_NOINLINE void defer_without_memory(record& mine, deferred_release added,
                                                              bool may_drain) noexcept {
        if (may_drain) drain(mine);
        if (!may_drain || !mine.deferred.push(added)) release_now(added);
    }

    // Effects: as defer(), for a thread that has no record, as it is ending, or whose record is claimed.
    FREEHOLD_COLD FREEHOLD_NOINLINE void defer_in_another(deferred_release added) noexcept {
        record* const other = take_to_use();
        if (other == nullptr) return release_now(added);
        record* const before = Process::own();
        Process::set_own(other);  // destructors that defer more use the same
        defer_into(*other, added);
        if (before == nullptr) drain_own(*other);  // it may be the last thread: nothing waits for a later store
        Process::set_own(before);
        give_back(*other);
    }

    // Effects: releases what the thread has deferred and no slot protects.
    void drain_own(record& mine) noexcept {
        mine.begin_late(barrier);
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
            fence(mine);
            kept = mine.deferred.scan_all(protection_test());
        } while (mine.deferred.size() > kept);
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
        if (is_clean) used.deferred.shrink();
        used.end(barrier);
        if (is_clean) records_.release(used);
        return is_clean;
    }

    // Effects: gives the calling thread a record. Returns: it, or null if the thread is ending or there is no memory.
    [[nodiscard]] FREEHOLD_COLD FREEHOLD_NOINLINE record* enter() noexcept {
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

    // Effects: all that the thread has deferred may be scanned. Then takes over what others have deferred, which waits
    // for the next fence; unless a thread flushes, which takes over all, and may have passed this record already.
    void fence(record& mine) noexcept {
        const std::uint32_t now = Process::now();
        // relaxed: the light fence of begin() orders. A flush that has not seen this record in use is seen here.
        record* claimed = is_flushing_.load(std::memory_order_relaxed) ? nullptr : claim_others(mine, now);
        mine.last_fence.store(now, std::memory_order_relaxed);
        mine.bytes_since_fence = 0;
        if (!Process::is_alone()) barrier.heavy();
        mine.deferred.note_fence([this](auto& visit) {
            shared_.for_each_protected(visit);
            records_.for_each([&visit](const record& each) { each.for_each_protected(visit); });
        });
        while (claimed != nullptr) {
            mine.take_over(*std::exchange(claimed, claimed->next_claimed), most_taken_over, barrier);
        }
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
            } else if ((is_left || each.is_idle(now)) && each.claim()) {
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
                if (is_done || !each.may_have_deferred()) return;
                if (each.claim()) {
                    each.next_claimed = std::exchange(claimed, &each);
                } else {
                    busy = &each;
                }
            });
            if (claimed != nullptr) barrier.heavy();
            while (claimed != nullptr) {
                record& each = *std::exchange(claimed, claimed->next_claimed);
                if (mine.take_over(each, ~std::size_t{0}, barrier)) {
                    each.taken_over_in = flushes_;
                } else {
                    busy = &each;
                }
            }
            if (busy != nullptr)
                busy->passed_on.wait(barrier, [busy] { return !busy->is_in_use_now() && !busy->is_claimed_now(); });
        } while (busy != nullptr);
    }

    // What deferred_releases asks for.
    [[nodiscard]] auto protection_test() noexcept {
        return [this](std::uintptr_t word) { return is_protected(word); };
    }

    // Effects: releases the reference. One that a slot still protects is never released, as there is no memory to
    // remember it.
    FREEHOLD_COLD FREEHOLD_NOINLINE void release_now(deferred_release single) noexcept {
        barrier.heavy();
        if (!is_protected(single.word)) single.release(single.word);
    }

    template <class T>
    using atomic = typename Threading::template atomic<T>;

    atomic<bool> is_flushing_ = false;
    std::uint64_t flushes_ = 0;  // changed by who flushes
    asymmetric_event<Threading> flushed_;
    atomic<std::uint32_t> left_ = 0;  // records that ended threads left something in
    word_slots<Threading, Process::shared_slots> shared_;
    record_table<Threading, record, Process> records_;
};

}  // namespace freehold::detail
