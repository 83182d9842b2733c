#pragma once
// hazard_domain: all hazard pointers of a process, and the objects that were retired and are not yet reclaimed.
//
// Retired objects are in lanes. A thread has a lane of its own as long as there are no more threads than lanes, but no
// lane belongs to a thread: nothing must be handed over when a thread ends. A retired object passes four stages:
//
//   open       it was just retired
//   waiting    it waits for the next heavy fence, of whichever lane
//   examined   it is looked up among the hazard pointers that were read after that fence
//   free       its deleter is called
//
// Each retirement does a constant amount of this work. One heavy fence serves all lanes, and there is one for every
// `fence_period` objects that the process retires.
//
// Bound: at most 2 * fence_period + lane_count * chunk objects, and those that are protected, are not yet reclaimed,
// while threads run. Objects of more than 256 bytes count once for each 256 bytes.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "hazard_examination.hpp"
#include "hazard_slots.hpp"
#include "retired_list.hpp"

namespace freehold::detail {

// What a thread knows of a hazard_domain.
struct retiring_thread {
    std::uint32_t lane = 0;  // 1 + its lane; 0 if it has none yet
    std::uint32_t helped = 0;  // the lane that it helped last
    std::size_t debt = 0;    // the steps that its running deleters owe
    bool is_reclaiming = false;
};

template <class Threading>
class hazard_domain {
    template <class T>
    using atomic = typename Threading::template atomic<T>;

public:
    using slot = hazard_slot<Threading>;

    static constexpr std::uint64_t fence_period = 16'384;
    static constexpr std::uint64_t chunk = 256;
    static constexpr std::size_t lane_count = 16;

    constexpr hazard_domain() noexcept = default;
    hazard_domain(const hazard_domain&) = delete;
    hazard_domain& operator=(const hazard_domain&) = delete;

    // Returns: a slot that protects nothing; null if out of memory.
    [[nodiscard]] slot* acquire_slot() noexcept {
        fence.register_process();
        return slots_.acquire();
    }

    void release_slot(slot& freed) noexcept { slots_.release(freed); }

    // Effects: `object` will be reclaimed; may reclaim others. Its deleter may retire objects.
    void retire(retired_object& object, std::size_t bytes, retiring_thread& thread) noexcept {
        const std::size_t weight = 1 + bytes / 257;
        thread.debt += weight;
        // What a deleter retires is only put into a lane. The outermost call does the work of all: no recursion.
        if (thread.is_reclaiming) return put(object, weight, thread);
        put(object, weight, thread);
        thread.is_reclaiming = true;
        while (thread.debt != 0) {
            --thread.debt;
            retired_list free;
            work(thread, free);
            free.reclaim_all();
        }
        thread.is_reclaiming = false;
    }

    // Effects: reclaims every object that was retired before the call and that nobody protects.
    void reclaim_unprotected(retiring_thread& thread) noexcept {
        retired_list all;
        for (lane& each : lanes_) {
            while (!each.try_lock()) Threading::yield();
            each.take_all(all);
            each.unlock();
        }
        if (all.empty()) return;
        raise_fence();
        hazard_examination<Threading> examination;
        retired_list free;
        retired_list kept;
        examination.begin(std::move(all));
        while (!examination.is_done()) examination.step(slots_, free, kept);
        while (!kept.empty()) put(*kept.pop(), 1, thread);
        free.reclaim_all();
    }

    [[no_unique_address]] typename Threading::fence fence;

private:
    // ledger_: the weight that was retired since the last heavy fence began, and above it the number of fences that
    // have begun.
    static constexpr std::uint64_t one_fence = std::uint64_t{1} << 32;
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    struct alignas(64) lane {
        [[nodiscard]] bool try_lock() noexcept {
            // acquire: pairs with unlock()
            return !is_locked.load(std::memory_order_relaxed) && !is_locked.exchange(true, std::memory_order_acquire);
        }
        void unlock() noexcept { is_locked.store(false, std::memory_order_release); }  // pairs with try_lock()

        // Effects: puts the object into the inbox: the lane need not be locked.
        void send(retired_object& object) noexcept {
            object.next = inbox.load(std::memory_order_relaxed);  // the exchange orders
            // release: pairs with receive()
            while (!inbox.compare_exchange_weak(object.next, &object, std::memory_order_release,
                                                std::memory_order_relaxed)) {
            }
        }

        // The rest requires that the lane is locked.

        void receive() noexcept {
            if (inbox.load(std::memory_order_relaxed) == nullptr) [[likely]]
                return;
            // acquire: pairs with send()
            retired_object* received = inbox.exchange(nullptr, std::memory_order_acquire);
            while (received != nullptr) {
                open.push(std::exchange(received, received->next));
                ++unrecorded;
            }
        }

        void take_all(retired_list& all) noexcept {
            receive();
            all.append(std::move(open));
            all.append(std::move(waiting));
            examination.take_all(all);
            work_from.store(never, std::memory_order_relaxed);
        }

        atomic<bool> is_locked = false;
        atomic<retired_object*> inbox = nullptr;
        // The number of the fence whose completion brings work: 0 if there is work already. Written with the lane
        // locked; a hint for those who do not hold it.
        atomic<std::uint64_t> work_from = never;
        std::uint64_t ticket = 0;      // the number of fences that had begun when `waiting` was closed
        std::uint64_t unrecorded = 0;  // the weight in `open` that the ledger does not have yet
        retired_list open;
        retired_list waiting;
        hazard_examination<Threading> examination;
    };

    // Effects: locks a lane, the thread's own if nobody else has it. Returns: null if all are locked.
    [[nodiscard]] lane* lock_lane(retiring_thread& thread) noexcept {
        if (thread.lane == 0) [[unlikely]] {
            // relaxed: any number will do
            thread.lane = next_lane_.fetch_add(1, std::memory_order_relaxed) % lane_count + 1;
        }
        for (std::size_t i = 0; i < lane_count; ++i) {
            lane& each = lanes_[(thread.lane - 1 + i) % lane_count];
            if (each.try_lock()) [[likely]]
                return &each;
        }
        return nullptr;
    }

    void put(retired_object& object, std::size_t weight, retiring_thread& thread) noexcept {
        lane* const mine = lock_lane(thread);
        if (mine == nullptr) return lanes_[thread.lane - 1].send(object);
        mine->receive();
        mine->open.push(&object);
        mine->unrecorded += weight;
        const bool is_fence_due = mine->unrecorded >= chunk && record(*mine);
        mine->unlock();
        if (is_fence_due) [[unlikely]]
            raise_fence();
    }

    // Effects: enters what was retired into the ledger, and lets the open objects wait for the next fence, if none has
    // begun since the waiting ones wait. Returns: whether a fence is due.
    [[nodiscard]] bool record(lane& mine) noexcept {
        // acq_rel: the objects were unlinked before the next fence begins, which reads this or what follows it
        const std::uint64_t before = ledger_.fetch_add(mine.unrecorded, std::memory_order_acq_rel);
        const std::uint64_t begun = before / one_fence;
        const std::uint64_t retired = before % one_fence + std::exchange(mine.unrecorded, 0);
        if (mine.waiting.empty() || mine.ticket == begun) {
            mine.waiting.append(std::move(mine.open));
            mine.ticket = begun;
            // relaxed: a hint
            if (mine.examination.is_done()) mine.work_from.store(begun + 1, std::memory_order_relaxed);
        }
        return retired >= fence_period;
    }

    // Effects: a heavy fence, unless another thread has begun one just now.
    void raise_fence() noexcept {
        std::uint64_t seen = ledger_.load(std::memory_order_relaxed);  // the exchange orders
        std::uint64_t number = 0;
        do {
            number = seen / one_fence + 1;
            // acq_rel: pairs with record()
        } while (!ledger_.compare_exchange_weak(seen, number * one_fence, std::memory_order_acq_rel,
                                                std::memory_order_relaxed));
        fence.heavy();
        std::uint64_t last = completed_.load(std::memory_order_relaxed);
        // release: pairs with work(): the hazard pointers are read after the fence
        while (last < number && !completed_.compare_exchange_weak(last, number, std::memory_order_release,
                                                                  std::memory_order_relaxed)) {
        }
    }

    // Effects: does one step of work in the thread's lane; if there is none, in another lane.
    void work(retiring_thread& thread, retired_list& free) noexcept {
        if (work_in(lanes_[thread.lane - 1], free)) return;
        thread.helped = (thread.helped + 1) % lane_count;
        static_cast<void>(work_in(lanes_[thread.helped], free));
    }

    // Returns: whether there was work.
    [[nodiscard]] bool work_in(lane& busy, retired_list& free) noexcept {
        // acquire: pairs with raise_fence()
        const std::uint64_t completed = completed_.load(std::memory_order_acquire);
        if (busy.work_from.load(std::memory_order_relaxed) > completed || !busy.try_lock()) return false;
        if (busy.examination.is_done()) {
            // Another thread may have been here since the hint was read.
            if (!busy.waiting.empty() && busy.ticket < completed) {
                busy.examination.begin(std::move(busy.waiting));
                busy.work_from.store(0, std::memory_order_relaxed);  // relaxed: a hint, as below
            }
        } else {
            busy.examination.step(slots_, free, busy.open);
            if (busy.examination.is_done()) {
                busy.work_from.store(busy.waiting.empty() ? never : busy.ticket + 1, std::memory_order_relaxed);
            }
        }
        busy.unlock();
        return true;
    }

    alignas(64) atomic<std::uint64_t> ledger_ = 0;
    alignas(64) atomic<std::uint64_t> completed_ = 0;  // the number of the last fence that has completed
    atomic<std::uint32_t> next_lane_ = 0;
    lane lanes_[lane_count];
    hazard_slots<Threading> slots_;
};

}  // namespace freehold::detail
