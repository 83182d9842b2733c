#pragma once
// rcu_readers: the regions of RCU protection that are open, and which retired objects were retired before all of them.
//
// A reader announces the number of the last scan when it opens a region, and 0 when it closes it. A region that was
// opened after a scan had begun cannot reach what was unlinked before. So an object may be destroyed when each reader
// was seen with 0 or with at least the scan's number.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/asymmetric_event.hpp"
#include "../../core/asymmetric_fence.hpp"
#include "../../core/config.hpp"
#include "../../core/platform/threads.hpp"
#include "../../core/record_table.hpp"
#include "retired_objects.hpp"

namespace freehold::inline v0_2::detail {

// What a thread announces: the number of regions that are open one in another, and above it the number of the
// scan; or 0. In a cache line of its own.
template <class Threading>
struct alignas(64) region_slot : table_entry<Threading> {
    typename Threading::template atomic<std::uint64_t> value = 0;
    asymmetric_event<Threading> closed;
    thread_id thread = no_thread;  // that has it
};

// Threading: core/threading.hpp; Limits: core/record_table.hpp.
template <class Threading, class Limits>
class rcu_readers {
    template <class T>
    using atomic = typename Threading::template atomic<T>;

public:
    using slot = region_slot<Threading>;
    using table = record_table<Threading, slot, Limits>;

    static constexpr std::uint64_t one_region = 1;
    static constexpr std::uint64_t one_scan = std::uint64_t{1} << 20;  // more regions do not nest
    static constexpr std::uint64_t regions = one_scan - 1;

    class grace_period;
    class scan;

    constexpr rcu_readers() noexcept = default;

    // Returns: the number of regions that are open in the slot, which is the calling thread's.
    [[nodiscard]] static std::uint64_t open_in(const slot& mine) noexcept { return value_in(mine) & regions; }

    // Returns: whether no region is open in the slot.
    [[nodiscard]] static bool is_closed(const slot& mine) noexcept { return value_in(mine) == 0; }

    // Effects: as open() and close() below. Requires: a light fence is one for the compiler alone.
    FREEHOLD_ALWAYS_INLINE void open_light(slot& mine) noexcept { open(mine, light_fence); }
    FREEHOLD_ALWAYS_INLINE static void close_light(slot& mine) noexcept { close(mine, light_fence); }

    // Effects: opens and closes a region within another one.
    static void open_another(slot& mine) noexcept {
        // release: as open(); a relaxed store would hide that the earlier regions are closed
        mine.value.store(value_in(mine) + one_region, std::memory_order_release);
    }
    static void close_inner(slot& mine) noexcept {
        mine.value.store(value_in(mine) - one_region, std::memory_order_release);  // as above
    }

    // Effects: opens a region. Requires: no region is open in the slot; order() is a light fence.
    template <class Order>
    FREEHOLD_ALWAYS_INLINE void open(slot& mine, Order order) noexcept {
        // acquire: pairs with begin_scan(): a region that announces the scan sees what was unlinked
        // before
        const std::uint64_t opened = last_scan_.load(std::memory_order_acquire) + one_region;
        // release: pairs with grace_period::is_old(): the thread has closed its earlier regions. A relaxed store
        // would hide that: it does not continue the release sequence of close().
        mine.value.store(opened, std::memory_order_release);
        // Either this region sees what was unlinked before a heavy fence, or the scan after it sees the region.
        order();
    }
    void open(slot& mine) noexcept {
        open(mine, [this] { fence.light(); });
    }

    // Effects: closes the region of the slot. Requires: order() is a light fence.
    template <class Order>
    FREEHOLD_ALWAYS_INLINE static void close(slot& mine, Order order) noexcept {
        mine.value.store(0, std::memory_order_release);  // pairs with grace_period::is_old()
        order();                                         // pairs with the heavy fence of whoever waits for the region
        mine.closed.notify_ordered();
    }
    void close(slot& mine) noexcept {
        close(mine, [this] { fence.light(); });
    }

    // The same for a thread that has no slot, as memory is exhausted. No grace period ends while there is one.
    void open_without_slot() noexcept {
        unslotted_.fetch_add(1, std::memory_order_relaxed);  // relaxed: the fence orders
        fence.light();
    }
    void close_without_slot() noexcept {
        unslotted_.fetch_sub(1, std::memory_order_release);  // pairs with grace_period::has_ended()
        unslotted_closed_.notify(fence);
    }

    // Effects: regions from now on announce the number; the heavy half of the fence.
    void begin_scan(std::uint64_t number) noexcept {
        const std::uint64_t announced = number * one_scan;
        std::uint64_t last = last_scan_.load(std::memory_order_relaxed);  // the exchange orders
        // release: pairs with open(), which sees also what earlier scans released
        while (last < announced && !last_scan_.compare_exchange_weak(last, announced, std::memory_order_release,
                                                                     std::memory_order_relaxed)) {
        }
        fence.heavy();
    }

    // Effects: closes all regions that are not in a slot of `thread`. Requires: there is one thread.
    void close_all_but_of(thread_id thread) noexcept {
        all_slots.for_each([thread](slot& each) {
            // relaxed: there is one thread
            if (each.thread != thread) each.value.store(0, std::memory_order_relaxed);
        });
        unslotted_.store(0, std::memory_order_relaxed);
    }

    [[no_unique_address]] typename Threading::fence fence;
    table all_slots;

private:
    static void light_fence() noexcept { std::atomic_signal_fence(std::memory_order_seq_cst); }

    // relaxed: the thread has stored the value itself
    [[nodiscard]] static std::uint64_t value_in(const slot& mine) noexcept {
        return mine.value.load(std::memory_order_relaxed);
    }

    alignas(64) atomic<std::uint64_t> last_scan_ = 0;  // the number of the last one, times one_scan
    alignas(64) atomic<std::uint32_t> unslotted_ = 0;
    asymmetric_event<Threading> unslotted_closed_;
};

// The time until all regions that were open when a scan began are closed.
template <class Threading, class Limits>
class rcu_readers<Threading, Limits>::grace_period {
public:
    constexpr grace_period() noexcept = default;

    // Requires: begin_scan(number) has returned.
    explicit grace_period(std::uint64_t number) noexcept : begin_(number * one_scan) {}

    // Effects: asks up to `count` readers more. Returns: whether all have been found outside of the old regions.
    [[nodiscard]] bool has_ended(rcu_readers& readers, std::uint32_t count) noexcept {
        if (has_unslotted(readers)) return false;
        return walk_.advance(readers.all_slots, count, [this](slot& each) {
            has_begun_ = true;
            open_ = is_old(each) ? &each : nullptr;
            return open_ == nullptr;
        });
    }

    // Effects: blocks until has_ended().
    void wait(rcu_readers& readers) noexcept {
        while (!has_ended(readers, ~std::uint32_t{0})) {
            if (open_ != nullptr) {
                open_->closed.wait(readers.fence, [this] { return !is_old(*open_); });
            } else {
                readers.unslotted_closed_.wait(readers.fence, [&] { return !has_unslotted(readers); });
            }
        }
    }

private:
    // Once a reader was asked, the old regions without a slot are closed.
    [[nodiscard]] bool has_unslotted(const rcu_readers& readers) const noexcept {
        // acquire, here and below: pairs with the release with which a region is closed
        return !has_begun_ && readers.unslotted_.load(std::memory_order_acquire) != 0;
    }

    [[nodiscard]] bool is_old(const slot& asked) const noexcept {
        const std::uint64_t seen = asked.value.load(std::memory_order_acquire);
        return seen != 0 && seen < begin_;
    }

    std::uint64_t begin_ = 0;  // what a region announces at least that is not old
    typename table::walk walk_;
    slot* open_ = nullptr;  // in which an old region was found
    bool has_begun_ = false;
};

// Waits for a grace period, and then frees all objects.
template <class Threading, class Limits>
class rcu_readers<Threading, Limits>::scan {
public:
    constexpr scan() noexcept = default;

    [[nodiscard]] bool is_done() const noexcept { return objects_.empty(); }

    // Effects: begins with `objects`. Requires: is_done(); begin_scan(number) was called after they were retired
    // and has returned before this call.
    void begin(retired_list&& objects, std::uint64_t number) noexcept {
        objects_.append(std::move(objects));
        grace_ = grace_period(number);
        has_ended_ = false;
    }

    // Effects: does one step: asks up to eight readers, or appends two objects to `free`; more if there are thousands
    // of readers. Returns: false if readers are left to ask, or to wait for. Requires: !is_done().
    bool step(rcu_readers& readers, retired_list& free, retired_list&) noexcept {
        if (has_ended_) {
            for (int count = 2; count != 0 && !objects_.empty(); --count) free.push(objects_.pop());
            return true;
        }
        has_ended_ = grace_.has_ended(readers, 8 + readers.all_slots.made() / 1024);
        return has_ended_;
    }

    // Effects: blocks until no step has to wait for a reader.
    void wait(rcu_readers& readers) noexcept { grace_.wait(readers); }

    // Effects: moves the objects to `all`, and is done.
    void take_all(retired_list& all) noexcept { all.append(std::move(objects_)); }

private:
    retired_list objects_;
    grace_period grace_;
    bool has_ended_ = false;
};

}  // namespace freehold::detail
