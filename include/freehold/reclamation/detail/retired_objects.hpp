#pragma once
// Where retired objects are: in lists that are linked through the objects, so that retiring allocates nothing; and in
// shards of such lists (retired_shards.hpp).

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/config.hpp"

namespace freehold::inline v0_2::detail {

// The base of every object that can be retired.
struct retired_object {
    constexpr retired_object() noexcept = default;
    // A copy is not retired.
    constexpr retired_object(const retired_object&) noexcept {}
    constexpr retired_object& operator=(const retired_object&) noexcept { return *this; }
    ~retired_object() = default;

    retired_object* next = nullptr;                       // once retired
    void (*reclaim)(retired_object*) noexcept = nullptr;  // once retired: calls the deleter
};

class retired_list {
public:
    constexpr retired_list() noexcept = default;

    retired_list(retired_list&& other) noexcept
        : first_(std::exchange(other.first_, nullptr)), last_(std::exchange(other.last_, nullptr)) {}

    retired_list& operator=(retired_list&&) = delete;
    ~retired_list() = default;

    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }

    void push(retired_object* added) noexcept {
        added->next = first_;
        if (first_ == nullptr) last_ = added;
        first_ = added;
    }

    // Requires: !empty().
    [[nodiscard]] retired_object* pop() noexcept {
        retired_object* const taken = first_;
        first_ = taken->next;
        return taken;
    }

    // Returns: all objects. Effects: empties the list.
    [[nodiscard]] retired_list take() noexcept { return std::move(*this); }

    // Effects: moves all of `added` to this list.
    void append(retired_list&& added) noexcept {
        if (added.empty()) return;
        added.last_->next = first_;
        if (first_ == nullptr) last_ = added.last_;
        first_ = std::exchange(added.first_, nullptr);
    }

    // Returns: the first object, from which the others are linked. Requires: !empty().
    [[nodiscard]] retired_object* first() const noexcept { return first_; }

    // Effects: links `next`, which may be null, behind the last object. Requires: !empty().
    void link_behind(retired_object* next) noexcept { last_->next = next; }

    // Effects: empties the list and calls the deleter of each object, which may retire others.
    void reclaim_all() noexcept {
        while (!empty()) {
            retired_object* const object = pop();
            object->reclaim(object);
        }
    }

private:
    retired_object* first_ = nullptr;
    retired_object* last_ = nullptr;  // unspecified while the list is empty
};

// A list that many threads add to, and one after the other empties. Threading: core/threading.hpp.
template <class Threading>
class retired_inbox {
public:
    constexpr retired_inbox() noexcept = default;

    // Requires: !added.empty().
    void send(retired_list added, std::size_t weight) noexcept {
        weight_.fetch_add(weight, std::memory_order_relaxed);              // relaxed: a number alone
        retired_object* first = objects_.load(std::memory_order_relaxed);  // the exchange orders
        // release: pairs with take_all()
        do {
            added.link_behind(first);
        } while (!objects_.compare_exchange_weak(first, added.first(), std::memory_order_release,
                                                 std::memory_order_relaxed));
    }

    // Returns: the weight of what was moved to `all`.
    std::size_t take_all(retired_list& all) noexcept {
        if (objects_.load(std::memory_order_relaxed) == nullptr) [[likely]]  // relaxed: the exchange orders
            return 0;
        // acquire: pairs with send()
        retired_object* received = objects_.exchange(nullptr, std::memory_order_acquire);
        while (received != nullptr) all.push(std::exchange(received, received->next));
        return weight_.exchange(0, std::memory_order_relaxed);
    }

private:
    typename Threading::template atomic<retired_object*> objects_ = nullptr;
    typename Threading::template atomic<std::size_t> weight_ = 0;
};

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

// What a thread knows of the shards.
struct retiring_thread {
    retired_list nested;  // what deleters have retired that the thread called
    std::size_t nested_weight = 0;
    std::size_t debt = 0;         // the steps of work that it owes
    std::uint32_t shard = 0;      // 1 + its shard; 0 if it has none yet
    std::uint32_t worked_in = 0;  // the shard that it worked in last
    std::uint32_t missed = 0;     // how often in a row the shard that it needed was locked
    bool is_reclaiming = false;
};

// Some of the retired objects of a process. Scan: the class of the readers (retired_shards.hpp).
template <class Threading, class Scan>
struct alignas(64) retired_shard {
    template <class T>
    using atomic = typename Threading::template atomic<T>;

    // How many batches were taken out, and for how many of them the deleters have returned.
    struct batch_counts {
        [[nodiscard]] bool are_reclaimed() const noexcept {
            // acquire: pairs with count_reclaimed(); relaxed: pairs with nothing, as the shard's lock was taken since
            // it was last changed
            return reclaimed.load(std::memory_order_acquire) >= taken.load(std::memory_order_relaxed);
        }
        void count_reclaimed() noexcept { reclaimed.fetch_add(1, std::memory_order_release); }  // see above

        atomic<std::uint64_t> taken = 0;  // changed with the shard locked
        atomic<std::uint64_t> reclaimed = 0;
    };

    // Objects that may be destroyed.
    struct freed_batch {
        retired_list objects;
        batch_counts* counts = nullptr;
        std::uint64_t drains = 0;  // of the shard, when they were taken out
    };

    [[nodiscard]] bool try_lock() noexcept {
        // acquire: pairs with unlock()
        return !is_locked.load(std::memory_order_relaxed) && !is_locked.exchange(true, std::memory_order_acquire);
    }
    void unlock() noexcept { is_locked.store(false, std::memory_order_release); }  // pairs with try_lock()

    // Returns: whether the deleters have returned of all batches that were taken out before the last take_all().
    // Requires: no other thread calls take_all() at this moment.
    [[nodiscard]] bool are_previous_reclaimed() const noexcept { return batches[(drains + 1) % 2].are_reclaimed(); }

    // The rest requires that the shard is locked.

    void take_all(retired_list& all) noexcept {
        all.append(std::move(open));
        all.append(std::move(waiting));
        scan.take_all(all);
        work_from.store(0, std::memory_order_relaxed);
        ++drains;
    }

    // Effects: counts the batch as taken out.
    void take_out(freed_batch& freed) noexcept {
        freed.counts = &batches[drains % 2];
        freed.drains = drains;
        const std::uint64_t taken = freed.counts->taken.load(std::memory_order_relaxed);  // relaxed: under the lock
        freed.counts->taken.store(taken + 1, std::memory_order_relaxed);
    }

    // Effects: forgets what other threads had taken out; takes the number of drains for `drained`. Requires: there is
    // one thread.
    void restart(std::uint64_t drained) noexcept {
        for (batch_counts& each : batches)
            each.reclaimed.store(each.taken.load(std::memory_order_relaxed), std::memory_order_relaxed);
        drains = drained;
    }

    atomic<bool> is_locked = false;
    std::uint64_t drains = 0;  // how often all was taken
    // The number of the scan that brings work; 0 if there is none. Changed with the shard locked; a hint for those who
    // do not hold it, hence relaxed.
    atomic<std::uint64_t> work_from = 0;
    std::uint64_t ticket = 0;    // the number of scans when `waiting` was closed
    std::size_t unrecorded = 0;  // the weight in `open` that the ledger does not have yet
    retired_list open;
    retired_list waiting;
    batch_counts batches[2];  // since the last drain, and before: by its number
    Scan scan;
};

}  // namespace freehold::detail
