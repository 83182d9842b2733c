#pragma once
// retired_shards: the objects of a process that were retired and are not yet reclaimed.
//
// A thread has a shard of its own as long as there are no more threads than shards, but no shard belongs to a thread:
// nothing must be handed over when a thread ends. A retired object passes four stages:
//
//   open      it was just retired
//   waiting   it waits for the next scan to begin, in whichever shard
//   scanned   the readers that were there when the scan began are asked, one after the other
//   free      its deleter is called
//
// Each retirement does a constant amount of this work, in its own shard, or in another one if there is none. A scan
// begins with a heavy fence, which serves all shards. The order of calls:
//
//   retire   put           locks a shard, and adds the object; record() enters what is open into the ledger
//            step          begins the shard's scan, or goes on with it
//            begin_scan    if the ledger says that it is due: for every `fence_period` objects that the process retires
//            pay           calls deleters; a debt (of a large object) is paid by steps in any shard
//   drain    take_all      from each shard and the inbox, then a scan of its own, generation after generation
//
// What deleters retire is put into a shard when they have returned, before their batch counts as reclaimed: a drain
// that waits for the batches of others finds it. The call that has called them works for it at once, generation after
// generation: else what one object owns, retired by its deleter, could be more than later retirements pay for.
//
// Bound: while threads retire, at most 2 * fence_period + shard_count * chunk objects (adjustable_limits) are not yet
// reclaimed, besides those that are protected, and those in the shards of threads that the system has suspended in the
// middle of a retirement. A thread that finds work only in such shards yields its processor to them, but waits for
// nobody. Deleters that retire objects make it more. A large object counts several times.
//
// Waiting: retirements never wait. A drain sleeps until other threads have reclaimed what they had taken out, and until
// readers end. A drain and a fork rest for moments while a shard is locked, which takes less than a microsecond: unlock
// pays nothing for waiting threads.
//
// Readers: what the readers announce, and its class `scan`; see hazard_readers.hpp and rcu_readers.hpp.
// Limits: shard_count; weight_bits, of a word with the number of scans above; and `adjustable`, as adjustable_limits
// (reclamation_limits.hpp).

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/asymmetric_event.hpp"
#include "../../core/config.hpp"
#include "retired_objects.hpp"

namespace freehold::inline v0_2::detail {

template <class Threading, class Readers, class Limits>
class retired_shards {
    template <class T>
    using atomic = typename Threading::template atomic<T>;
    using shard = retired_shard<Threading, typename Readers::scan>;
    using freed_batch = typename shard::freed_batch;

public:
    static constexpr std::size_t shard_count = Limits::shard_count;

    constexpr retired_shards() noexcept = default;
    retired_shards(const retired_shards&) = delete;
    retired_shards& operator=(const retired_shards&) = delete;

    // Effects: `object`, of that size, will be reclaimed; may reclaim others. Their deleters may retire objects.
    void retire(retired_object& object, std::size_t bytes, retiring_thread& thread) noexcept {
        const std::size_t weight = limits.weight_of(bytes);
        // The outermost call does the work of all: no recursion.
        if (thread.is_reclaiming) [[unlikely]] {
            thread.nested.push(&object);
            thread.nested_weight += weight;
            return;
        }
        freed_batch freed;
        const bool has_worked = put(object, weight, thread, freed);
        thread.debt += has_worked ? weight - 1 : weight;
        pay(thread, freed);
    }

    // Effects: reclaims every object that was retired before the call, and what their deleters retire in turn, except
    // those that remain protected. Blocks until other threads have finished theirs, but not for what is retired later.
    // None if the caller is a deleter.
    void drain(retiring_thread& thread) noexcept {
        if (running_deleters::count != 0) return;
        // acquire: pairs with the release at the end
        const auto begin = [this] { return !is_draining_.exchange(true, std::memory_order_acquire); };
        drained_.wait(readers.fence, begin);
        retired_list all;
        retired_list kept;
        thread.is_reclaiming = true;
        for (shard& each : shards_) {
            lock(each);
            each.take_all(all);
            each.unlock();
        }
        inbox_.take_all(all);
        do {
            reclaim(all, kept, thread);
            for (shard& each : shards_) {
                reclaimed_.wait(readers.fence, [&each] { return each.are_previous_reclaimed(); });
            }
            inbox_.take_all(all);  // what the deleters of others have retired
        } while (!all.empty());
        thread.is_reclaiming = false;
        put_back(std::move(kept), thread);
        is_draining_.store(false, std::memory_order_release);
        drained_.notify(readers.fence);
    }

    // Effects: begins a scan: readers that are there now are those it will ask. Returns: its number.
    std::uint64_t begin_scan() noexcept {
        std::uint64_t seen = ledger_.load(std::memory_order_relaxed);  // the exchange orders
        std::uint64_t number = 0;
        do {
            number = seen / one_scan + 1;
            // acquire: pairs with record(), also of those whose weight an earlier scan has taken. A reader that
            // sees the scan sees what they had unlinked.
        } while (!ledger_.compare_exchange_weak(seen, number * one_scan, std::memory_order_acquire,
                                                std::memory_order_relaxed));
        readers.begin_scan(number);
        std::uint64_t last = begun_.load(std::memory_order_relaxed);
        // relaxed: the heavy fence is the release that pairs with has_work()
        while (last < number && !begun_.compare_exchange_weak(last, number, std::memory_order_relaxed)) {
        }
        return number;
    }

    // Effects: no other thread changes a shard until unlock_after_fork() or restart_in_child(). Each module of a
    // process calls it, and each thread that forks; the first call locks, and the others wait for that.
    void lock_for_fork() noexcept {
        // relaxed: the locks order
        if (forking_.fetch_add(one_fork, std::memory_order_relaxed) == 0) {
            for (shard& each : shards_) lock(each);
            // release: pairs with the acquire below: what others did in the shards is in each copy of the process
            forking_.fetch_or(are_locked, std::memory_order_release);
            locked_.notify(readers.fence);
            return;
        }
        locked_.wait(readers.fence, [this] { return (forking_.load(std::memory_order_acquire) & are_locked) != 0; });
    }

    void unlock_after_fork() noexcept {
        constexpr std::uint32_t last = one_fork | are_locked;
        std::uint32_t seen = forking_.load(std::memory_order_relaxed);  // the exchange orders
        // release and acquire: pair with each other: all copies were made when the last one unlocks
        while (!forking_.compare_exchange_weak(seen, seen == last ? 0 : seen - one_fork, std::memory_order_acq_rel,
                                               std::memory_order_relaxed)) {
        }
        if (seen != last) return;
        for (shard& each : shards_) each.unlock();
    }

    // Effects: in a child of fork, the only thread can use the shards. What other threads had taken out is lost.
    // Returns: whether it is the first call since the fork; another one has no effect.
    bool restart_in_child() noexcept {
        // relaxed: there is one thread
        if (forking_.exchange(0, std::memory_order_relaxed) == 0) return false;
        for (shard& each : shards_) {
            each.restart(shards_[0].drains);  // a drain of another thread had come so far
            each.unlock();
        }
        is_draining_.store(false, std::memory_order_relaxed);
        return true;
    }

    Readers readers;
    [[no_unique_address]] typename Limits::adjustable limits;

private:
    // ledger_: the weight that was retired since the last scan, and above it the number of scans. A scan takes
    // microseconds, so 2^44 of them take a year at least. The weight is less than 2^20: whoever finds it large begins a
    // scan, and each shard can add the most once before that.
    static constexpr std::uint64_t one_scan = std::uint64_t{1} << Limits::weight_bits;

    static constexpr std::uint32_t are_locked = 1;
    static constexpr std::uint32_t one_fork = 2;

    // Effects: locks a shard, the thread's own if nobody else has it. Returns: null if all are locked.
    [[nodiscard]] shard* lock_shard(retiring_thread& thread) noexcept {
        if (thread.shard == 0) [[unlikely]] {
            // relaxed: any number will do
            thread.shard = next_shard_.fetch_add(1, std::memory_order_relaxed) % shard_count + 1;
        }
        shard& own = shards_[thread.shard - 1];
        return own.try_lock() ? &own : lock_any();
    }

    [[nodiscard]] FREEHOLD_COLD FREEHOLD_NOINLINE shard* lock_any() noexcept {
        for (shard& each : shards_) {
            if (each.try_lock()) return &each;
        }
        return nullptr;
    }

    // Effects: locks the shard. For those who may wait: who has locked it may need the caller's processor.
    static void lock(shard& each) noexcept {
        while (!each.try_lock()) Threading::rest();
    }

    // Effects: puts the object into a shard. Does a step of work there if there is work. Returns: whether it did.
    bool put(retired_object& object, std::size_t weight, retiring_thread& thread, freed_batch& freed) noexcept {
        shard* const mine = lock_shard(thread);
        if (mine == nullptr) [[unlikely]] {
            retired_list single;
            single.push(&object);
            inbox_.send(std::move(single), weight);
            miss(thread);
            return false;
        }
        mine->open.push(&object);
        const bool is_scan_due = add(*mine, weight);
        const bool has_worked = has_work(*mine) && step(*mine, freed);
        mine->unlock();
        if (is_scan_due) [[unlikely]]
            begin_scan();
        return has_worked;
    }

    // Effects: puts into a shard what the deleters of the batch have retired; or into the inbox, if a drain waits for
    // the batch: it has taken what is in the shards.
    FREEHOLD_COLD FREEHOLD_NOINLINE void put_nested(retiring_thread& thread, const freed_batch& reclaimed) noexcept {
        const std::size_t weight = std::exchange(thread.nested_weight, 0);
        thread.debt += weight;
        shard* const mine = lock_shard(thread);
        bool is_scan_due = false;
        if (mine == nullptr || mine->drains > reclaimed.drains) {
            inbox_.send(thread.nested.take(), weight);
        } else {
            mine->open.append(thread.nested.take());
            is_scan_due = add(*mine, weight);
        }
        if (mine != nullptr) mine->unlock();
        if (is_scan_due) begin_scan();
    }

    // Effects: what a drain found protected waits for the next scan.
    void put_back(retired_list&& kept, retiring_thread& thread) noexcept {
        if (kept.empty()) return;
        shard* mine = lock_shard(thread);
        if (mine == nullptr) lock(*(mine = &shards_[0]));
        mine->open.append(std::move(kept));
        record(*mine);  // the next retirements notice whether a scan is due
        mine->unlock();
    }

    // Effects: counts what was added to the open objects. Returns: whether a scan is due. Requires, as each function
    // with a shard below: the shard is locked.
    [[nodiscard]] bool add(shard& mine, std::size_t weight) noexcept {
        mine.unrecorded += weight;
        return mine.unrecorded >= limits.chunk() && record(mine);
    }

    // Effects: enters what was retired into the ledger, and lets the open objects wait for the next scan, unless
    // one has begun since the waiting ones wait. Returns: whether a scan is due.
    bool record(shard& mine) noexcept {
        // relaxed: is_draining_ is set before a drain takes what is in the shard. During a drain, what was sent is its
        // own.
        if (!is_draining_.load(std::memory_order_relaxed)) mine.unrecorded += inbox_.take_all(mine.open);
        // release: the objects were unlinked before the next scan begins, which reads this or what follows it
        const std::size_t recorded =
            detail::smaller(mine.unrecorded, static_cast<std::size_t>(2 * limits.fence_period()));
        mine.unrecorded -= recorded;
        const std::uint64_t before = ledger_.fetch_add(recorded, std::memory_order_release);
        const std::uint64_t number = before / one_scan;
        const std::uint64_t retired = before % one_scan + recorded;
        if (mine.waiting.empty() || mine.ticket == number) {
            mine.waiting.append(std::move(mine.open));
            mine.ticket = number;
            if (mine.scan.is_done()) mine.work_from.store(number + 1, std::memory_order_relaxed);
        }
        return retired >= limits.fence_period();
    }

    // Effects: pays the thread's debt: reclaims the batch, and does a step of work for each object that was retired.
    void pay(retiring_thread& thread, freed_batch& freed) noexcept {
        thread.is_reclaiming = true;
        reclaim(thread, freed);
        for (; thread.debt != 0; --thread.debt) {
            work(thread, freed);
            reclaim(thread, freed);
        }
        thread.is_reclaiming = false;
    }

    // Effects: calls the deleters of the batch.
    void reclaim(retiring_thread& thread, freed_batch& freed) noexcept {
        if (freed.counts == nullptr) return;
        running_deleters::run(freed.objects);
        if (!thread.nested.empty()) [[unlikely]]
            put_nested(thread, freed);
        std::exchange(freed.counts, nullptr)->count_reclaimed();
        reclaimed_.notify(readers.fence);
    }

    // Effects: does a step in the shard where the thread worked last, or if there is no work, in the next one.
    void work(retiring_thread& thread, freed_batch& freed) noexcept {
        if (work_in(shards_[thread.worked_in], thread, freed)) return;
        thread.worked_in = (thread.worked_in + 1) % shard_count;
        static_cast<void>(work_in(shards_[thread.worked_in], thread, freed));
    }

    // Returns: whether it did a step.
    [[nodiscard]] bool work_in(shard& busy, retiring_thread& thread, freed_batch& freed) noexcept {
        if (!has_work(busy)) return false;
        if (!busy.try_lock()) {
            miss(thread);
            return false;
        }
        thread.missed = 0;
        const bool has_worked = has_work(busy) && step(busy, freed);
        busy.unlock();
        return has_worked;
    }

    // Effects: yields the processor after as many misses as there are shards: the system may have suspended the thread
    // that locked the shard, in favor of this one.
    void miss(retiring_thread& thread) noexcept {
        if (++thread.missed < shard_count) [[likely]]
            return;
        thread.missed = 0;
        Threading::yield();
    }

    [[nodiscard]] bool has_work(const shard& busy) const noexcept {
        const std::uint64_t from = busy.work_from.load(std::memory_order_relaxed);
        return from != 0 && from <= begun_.load(std::memory_order_acquire);  // pairs with begin_scan()
    }

    // Returns: whether there was something to do but wait. Requires: the shard is locked, and has_work().
    bool step(shard& busy, freed_batch& freed) noexcept {
        if (busy.scan.is_done()) {
            busy.scan.begin(std::move(busy.waiting), busy.ticket + 1);
            // What is open waits from now on, also if the shard's thread retires no more.
            record(busy);
            return true;
        }
        const bool has_worked = busy.scan.step(readers, freed.objects, busy.open);
        if (!freed.objects.empty()) busy.take_out(freed);
        if (busy.scan.is_done()) {
            // What remains protected waits for the next scan, also if no thread retires in this shard any more.
            record(busy);
            busy.work_from.store(busy.waiting.empty() ? 0 : busy.ticket + 1, std::memory_order_relaxed);
        }
        return has_worked;
    }

    // Effects: reclaims the objects and what their deleters retire, except those that remain protected, which are moved
    // to `kept`. Requires: thread.is_reclaiming.
    void reclaim(retired_list& all, retired_list& kept, retiring_thread& thread) noexcept {
        typename Readers::scan scan;
        retired_list freed;
        while (!all.empty()) {
            const std::uint64_t number = begin_scan();
            scan.begin(all.take(), number);
            while (!scan.is_done()) {
                if (!scan.step(readers, freed, kept)) scan.wait(readers);
            }
            running_deleters::run(freed);
            all.append(thread.nested.take());
            thread.nested_weight = 0;
        }
    }

    alignas(64) atomic<std::uint64_t> ledger_ = 0;
    alignas(64) atomic<std::uint64_t> begun_ = 0;  // the number of the last scan whose fence is done
    atomic<std::uint32_t> next_shard_ = 0;
    atomic<bool> is_draining_ = false;
    atomic<std::uint32_t> forking_ = 0;  // the calls of lock_for_fork(), times one_fork, and are_locked
    asymmetric_event<Threading> drained_;
    asymmetric_event<Threading> locked_;     // for a fork
    asymmetric_event<Threading> reclaimed_;  // a batch
    retired_inbox<Threading> inbox_;         // what found no shard, and what deleters retired that a drain waits for
    shard shards_[shard_count];
};

}  // namespace freehold::detail
