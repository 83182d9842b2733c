#pragma once
// retired_lanes: the objects of a process that were retired and are not yet reclaimed.
//
// A thread has a lane of its own as long as there are no more threads than lanes, but no lane belongs to a thread:
// nothing must be handed over when a thread ends. A retired object passes four stages:
//
//   open       it was just retired
//   waiting    it waits for the next examination to begin, in whichever lane
//   examined   the readers that were there when the examination began are asked, one after the other
//   free       its deleter is called
//
// Each retirement does a constant amount of this work, in its own lane or if there is none in another one. To begin an
// examination takes a heavy fence. It serves all lanes, and there is one for every `fence_period` objects that the
// process retires.
//
// What deleters retire is put into a lane when they have returned, before their batch counts as reclaimed: a drain that
// waits for the batches of others finds it.
//
// Bound: at most 2 * fence_period + lane_count * chunk objects (adjustable_limits), and those that are protected, are
// not yet reclaimed, while threads retire; beside those in the lanes of threads that the system has suspended in the
// middle of a retirement. A thread that finds work only in such lanes yields its processor to them, but waits for
// nobody. Deleters that retire objects make it more. A large object counts several times.
//
// Waiting: retirements never wait. A drain sleeps until other threads have reclaimed what they had taken out, and until
// readers end. For a locked lane a drain and a fork rest for moments, since it is locked for less than a microsecond:
// unlocking it pays nothing for those who wait.
//
// Readers: what the readers announce, and its class `examination`; see hazard_readers.hpp and rcu_readers.hpp.
//
// Limits: lane_count; weight_bits, of a word with the number of examinations above; and `adjustable`, as
// adjustable_limits (process_limits.hpp).

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/asymmetric_event.hpp"
#include "../../core/config.hpp"
#include "retired_list.hpp"

namespace freehold::detail {

// The deleters that the calling thread runs, of hazard pointers or RCU: one within another, if a deleter retires what
// the other has.
struct running_deleters {
    FREEHOLD_STATIC_TLS static inline constinit thread_local unsigned count = 0;

    static void run(retired_list& objects) noexcept {
        ++count;
        objects.reclaim_all();
        --count;
    }
};

// What a thread knows of the lanes.
struct retiring_thread {
    retired_list nested;  // what deleters have retired that the thread called
    std::size_t nested_weight = 0;
    std::size_t debt = 0;         // the steps of work that it owes
    std::uint32_t lane = 0;       // 1 + its lane; 0 if it has none yet
    std::uint32_t worked_in = 0;  // the lane that it worked in last
    std::uint32_t missed = 0;     // how often in a row the lane that it needed was locked
    bool is_reclaiming = false;
};

template <class Threading, class Readers, class Limits>
class retired_lanes {
    template <class T>
    using atomic = typename Threading::template atomic<T>;

public:
    static constexpr std::size_t lane_count = Limits::lane_count;

    constexpr retired_lanes() noexcept = default;
    retired_lanes(const retired_lanes&) = delete;
    retired_lanes& operator=(const retired_lanes&) = delete;

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
        for (lane& each : lanes_) {
            lock(each);
            each.take_all(all);
            each.unlock();
        }
        inbox_.take_all(all);
        do {
            reclaim(all, kept, thread);
            for (lane& each : lanes_) {
                if (each.previous_batches().are_reclaimed()) continue;
                reclaimed_.wait(readers.fence, [&each] { return each.previous_batches().are_reclaimed(); });
            }
            inbox_.take_all(all);  // what the deleters of others have retired
        } while (!all.empty());
        thread.is_reclaiming = false;
        put_back(std::move(kept), thread);
        is_draining_.store(false, std::memory_order_release);
        drained_.notify(readers.fence);
    }

    // Effects: begins an examination: readers that are there now are those it will ask. Returns: its number.
    std::uint64_t begin_examination() noexcept {
        std::uint64_t seen = ledger_.load(std::memory_order_relaxed);  // the exchange orders
        std::uint64_t number = 0;
        do {
            number = seen / one_fence + 1;
            // acquire: pairs with record(), also of those whose weight an earlier examination has taken. A reader that
            // sees the examination sees what they had unlinked.
        } while (!ledger_.compare_exchange_weak(seen, number * one_fence, std::memory_order_acquire,
                                                std::memory_order_relaxed));
        readers.begin_examination(number);
        std::uint64_t last = begun_.load(std::memory_order_relaxed);
        // relaxed: the heavy fence is the release that pairs with has_work()
        while (last < number && !begun_.compare_exchange_weak(last, number, std::memory_order_relaxed)) {
        }
        return number;
    }

    // Effects: no other thread changes a lane until unlock_after_fork() or restart_in_child(). Each module of a process
    // calls it, and each thread that forks; the first call locks, and the others wait for that.
    void lock_for_fork() noexcept {
        // relaxed: the locks order
        if (forking_.fetch_add(one_fork, std::memory_order_relaxed) == 0) {
            for (lane& each : lanes_) lock(each);
            // release: pairs with the acquire below: what others did in the lanes is in each copy of the process
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
        for (lane& each : lanes_) each.unlock();
    }

    // Effects: in a child of fork, the only thread can use the lanes. What other threads had taken out is lost.
    // Returns: whether it is the first call since the fork; another one has no effect.
    bool restart_in_child() noexcept {
        // relaxed: there is one thread
        if (forking_.exchange(0, std::memory_order_relaxed) == 0) return false;
        for (lane& each : lanes_) {
            for (batch_count& batches : each.batches) batches.restart();
            each.drains = lanes_[0].drains;  // a drain of another thread had come so far
            each.unlock();
        }
        is_draining_.store(false, std::memory_order_relaxed);
        return true;
    }

    Readers readers;
    [[no_unique_address]] typename Limits::adjustable limits;

private:
    // ledger_: the weight that was retired since the last examination, and above it the number of examinations. An
    // examination takes microseconds, so 2^44 of them take a year at least. Its weight is less than 2^20: whoever finds
    // it large begins an examination, and each lane can add the most once before that.
    static constexpr std::uint64_t one_fence = std::uint64_t{1} << Limits::weight_bits;

    static constexpr std::uint32_t are_locked = 1;
    static constexpr std::uint32_t one_fork = 2;

    // How many batches were taken out of a lane, and for how many of them the deleters have returned.
    struct batch_count {
        [[nodiscard]] bool are_reclaimed() const noexcept {
            // acquire: pairs with the release of whoever reclaimed them; relaxed: pairs with nothing, as the lane's
            // lock was taken since it was last changed
            return reclaimed.load(std::memory_order_acquire) >= taken.load(std::memory_order_relaxed);
        }

        // Effects: forgets what other threads had taken. Requires: there is one thread.
        void restart() noexcept { reclaimed.store(taken.load(std::memory_order_relaxed), std::memory_order_relaxed); }

        atomic<std::uint64_t> taken = 0;  // changed with the lane locked
        atomic<std::uint64_t> reclaimed = 0;
    };

    // Objects that may be destroyed.
    struct freed_batch {
        retired_list objects;
        batch_count* count = nullptr;
        std::uint64_t drains = 0;  // of the lane, when they were taken out
    };

    // What found no lane to be put into, and what deleters retired that a drain waits for.
    struct inbox {
        void send(retired_list added, std::size_t added_weight) noexcept {
            weight.fetch_add(added_weight, std::memory_order_relaxed);        // relaxed: a number alone
            retired_object* first = objects.load(std::memory_order_relaxed);  // the exchange orders
            // release: pairs with take_all()
            do {
                added.link_behind(first);
            } while (!objects.compare_exchange_weak(first, added.first(), std::memory_order_release,
                                                    std::memory_order_relaxed));
        }

        // Returns: the weight of what was moved to `all`.
        std::size_t take_all(retired_list& all) noexcept {
            if (objects.load(std::memory_order_relaxed) == nullptr) [[likely]]  // relaxed: the exchange orders
                return 0;
            // acquire: pairs with send()
            retired_object* received = objects.exchange(nullptr, std::memory_order_acquire);
            while (received != nullptr) all.push(std::exchange(received, received->next));
            return weight.exchange(0, std::memory_order_relaxed);
        }

        atomic<retired_object*> objects = nullptr;
        atomic<std::size_t> weight = 0;
    };

    struct alignas(64) lane {
        [[nodiscard]] bool try_lock() noexcept {
            // acquire: pairs with unlock()
            return !is_locked.load(std::memory_order_relaxed) && !is_locked.exchange(true, std::memory_order_acquire);
        }
        void unlock() noexcept { is_locked.store(false, std::memory_order_release); }  // pairs with try_lock()

        // Requires: no thread takes all at this moment, but the caller.
        [[nodiscard]] batch_count& previous_batches() noexcept { return batches[(drains + 1) % 2]; }

        // The rest requires that the lane is locked.

        [[nodiscard]] batch_count& current_batches() noexcept { return batches[drains % 2]; }

        void take_all(retired_list& all) noexcept {
            all.append(std::move(open));
            all.append(std::move(waiting));
            examined.take_all(all);
            work_from.store(0, std::memory_order_relaxed);
            ++drains;
        }

        atomic<bool> is_locked = false;
        std::uint64_t drains = 0;  // how often all was taken
        // The number of the examination that brings work; 0 if there is none. Changed with the lane locked; a hint for
        // those who do not hold it, hence relaxed.
        atomic<std::uint64_t> work_from = 0;
        std::uint64_t ticket = 0;      // the number of examinations when `waiting` was closed
        std::uint64_t unrecorded = 0;  // the weight in `open` that the ledger does not have yet
        retired_list open;
        retired_list waiting;
        batch_count batches[2];  // since the last drain, and before: by its number
        typename Readers::examination examined;
    };

    // Effects: locks a lane, the thread's own if nobody else has it. Returns: null if all are locked.
    [[nodiscard]] lane* lock_lane(retiring_thread& thread) noexcept {
        if (thread.lane == 0) [[unlikely]] {
            // relaxed: any number will do
            thread.lane = next_lane_.fetch_add(1, std::memory_order_relaxed) % lane_count + 1;
        }
        lane& own = lanes_[thread.lane - 1];
        return own.try_lock() ? &own : lock_any();
    }

    [[nodiscard, gnu::cold, gnu::noinline]] lane* lock_any() noexcept {
        for (lane& each : lanes_) {
            if (each.try_lock()) return &each;
        }
        return nullptr;
    }

    // Effects: locks the lane. For those who may wait: who has locked it may need the caller's processor.
    static void lock(lane& each) noexcept {
        while (!each.try_lock()) Threading::rest();
    }

    // Effects: puts the object into a lane. Does a step of work there if there is work. Returns: whether it did.
    bool put(retired_object& object, std::size_t weight, retiring_thread& thread, freed_batch& freed) noexcept {
        lane* const mine = lock_lane(thread);
        if (mine == nullptr) [[unlikely]] {
            retired_list single;
            single.push(&object);
            inbox_.send(std::move(single), weight);
            miss(thread);
            return false;
        }
        mine->open.push(&object);
        mine->unrecorded += weight;
        const bool is_fence_due = mine->unrecorded >= limits.chunk() && record(*mine);
        const bool has_worked = has_work(*mine) && step(*mine, freed);
        mine->unlock();
        if (is_fence_due) [[unlikely]]
            static_cast<void>(begin_examination());
        return has_worked;
    }

    // Effects: puts into a lane what the deleters of the batch have retired; or into the inbox, if a drain waits for
    // the batch: it has taken what is in the lanes.
    [[gnu::cold, gnu::noinline]] void put_nested(retiring_thread& thread, const freed_batch& reclaimed) noexcept {
        const std::size_t weight = std::exchange(thread.nested_weight, 0);
        thread.debt += weight;
        lane* const mine = lock_lane(thread);
        const bool is_awaited = mine == nullptr || mine->drains > reclaimed.drains;
        if (is_awaited) {
            inbox_.send(thread.nested.take(), weight);
        } else {
            mine->open.append(thread.nested.take());
            mine->unrecorded += weight;
        }
        const bool is_fence_due = !is_awaited && mine->unrecorded >= limits.chunk() && record(*mine);
        if (mine != nullptr) mine->unlock();
        if (is_fence_due) static_cast<void>(begin_examination());
    }

    // Effects: what a drain found protected waits for the next examination.
    void put_back(retired_list&& kept, retiring_thread& thread) noexcept {
        if (kept.empty()) return;
        lane* mine = lock_lane(thread);
        if (mine == nullptr) lock(*(mine = &lanes_[0]));
        mine->open.append(std::move(kept));
        static_cast<void>(record(*mine));  // whether an examination is due the next retirements notice
        mine->unlock();
    }

    // Effects: enters what was retired into the ledger, and lets the open objects wait for the next examination, unless
    // one has begun since the waiting ones wait. Returns: whether an examination is due.
    [[nodiscard]] bool record(lane& mine) noexcept {
        // relaxed: is_draining_ is set before a drain takes what is in the lane. During a drain, what was sent is its
        // own.
        if (!is_draining_.load(std::memory_order_relaxed)) mine.unrecorded += inbox_.take_all(mine.open);
        // release: the objects were unlinked before the next examination begins, which reads this or what follows it
        const std::uint64_t recorded = detail::smaller(mine.unrecorded, 2 * limits.fence_period());
        mine.unrecorded -= recorded;
        const std::uint64_t before = ledger_.fetch_add(recorded, std::memory_order_release);
        const std::uint64_t number = before / one_fence;
        const std::uint64_t retired = before % one_fence + recorded;
        if (mine.waiting.empty() || mine.ticket == number) {
            mine.waiting.append(std::move(mine.open));
            mine.ticket = number;
            if (mine.examined.is_done()) mine.work_from.store(number + 1, std::memory_order_relaxed);
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
        if (freed.count == nullptr) return;
        running_deleters::run(freed.objects);
        if (!thread.nested.empty()) [[unlikely]]
            put_nested(thread, freed);
        // release: pairs with are_reclaimed()
        std::exchange(freed.count, nullptr)->reclaimed.fetch_add(1, std::memory_order_release);
        reclaimed_.notify(readers.fence);
    }

    // Effects: does a step in the lane where the thread worked last, or if there is no work, in the next one.
    void work(retiring_thread& thread, freed_batch& freed) noexcept {
        if (work_in(lanes_[thread.worked_in], thread, freed)) return;
        thread.worked_in = (thread.worked_in + 1) % lane_count;
        static_cast<void>(work_in(lanes_[thread.worked_in], thread, freed));
    }

    // Returns: whether it did a step.
    [[nodiscard]] bool work_in(lane& busy, retiring_thread& thread, freed_batch& freed) noexcept {
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

    // Effects: yields the processor after as many misses as there are lanes: the system may have suspended the thread
    // that locked the lane, in favor of this one.
    void miss(retiring_thread& thread) noexcept {
        if (++thread.missed < lane_count) [[likely]]
            return;
        thread.missed = 0;
        Threading::yield();
    }

    [[nodiscard]] bool has_work(const lane& busy) const noexcept {
        const std::uint64_t from = busy.work_from.load(std::memory_order_relaxed);
        return from != 0 && from <= begun_.load(std::memory_order_acquire);  // pairs with begin_examination()
    }

    // Returns: whether there was something to do but wait. Requires: the lane is locked, and has_work().
    bool step(lane& busy, freed_batch& freed) noexcept {
        if (busy.examined.is_done()) {
            busy.examined.begin(std::move(busy.waiting), busy.ticket + 1);
            // What is open waits from now on, also if the lane's thread retires no more. Whether an examination is due
            // the next retirements notice.
            static_cast<void>(record(busy));
            return true;
        }
        const bool has_worked = busy.examined.step(readers, freed.objects, busy.open);
        if (!freed.objects.empty()) {
            freed.count = &busy.current_batches();
            freed.drains = busy.drains;
            const std::uint64_t taken = freed.count->taken.load(std::memory_order_relaxed);  // relaxed: under the lock
            freed.count->taken.store(taken + 1, std::memory_order_relaxed);
        }
        if (busy.examined.is_done()) {
            // What remains protected waits for the next examination, also if no thread retires in this lane any more.
            static_cast<void>(record(busy));
            busy.work_from.store(busy.waiting.empty() ? 0 : busy.ticket + 1, std::memory_order_relaxed);
        }
        return has_worked;
    }

    // Effects: reclaims the objects and what their deleters retire, except those that remain protected, which are moved
    // to `kept`. Requires: thread.is_reclaiming.
    void reclaim(retired_list& all, retired_list& kept, retiring_thread& thread) noexcept {
        typename Readers::examination examined;
        retired_list freed;
        while (!all.empty()) {
            const std::uint64_t number = begin_examination();
            examined.begin(all.take(), number);
            while (!examined.is_done()) {
                if (!examined.step(readers, freed, kept)) examined.wait(readers);
            }
            running_deleters::run(freed);
            all.append(thread.nested.take());
            thread.nested_weight = 0;
        }
    }

    alignas(64) atomic<std::uint64_t> ledger_ = 0;
    alignas(64) atomic<std::uint64_t> begun_ = 0;  // the number of the last examination whose fence is done
    atomic<std::uint32_t> next_lane_ = 0;
    atomic<bool> is_draining_ = false;
    atomic<std::uint32_t> forking_ = 0;  // the calls of lock_for_fork(), times one_fork, and are_locked
    asymmetric_event<Threading> drained_;
    asymmetric_event<Threading> locked_;     // for a fork
    asymmetric_event<Threading> reclaimed_;  // a batch
    inbox inbox_;
    lane lanes_[lane_count];
};

}  // namespace freehold::detail
