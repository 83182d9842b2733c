#pragma once
// rcu_readers: the regions of RCU protection that are open, and which retired objects were retired before all of them.
//
// A reader announces 1 + the number of the last examination when it opens a region, and 0 when it closes it. A region
// that was opened after an examination had begun cannot reach what was unlinked before. So an object may be destroyed
// when each reader was seen with 0 or with more than the examination's number.

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "reader_slots.hpp"
#include "retired_list.hpp"

namespace freehold::detail {

template <class Threading>
class rcu_readers {
    template <class T>
    using atomic = typename Threading::template atomic<T>;

public:
    using slots_type = reader_slots<Threading, std::uint64_t>;
    using slot = typename slots_type::slot;

    class grace_period;
    class examination;

    constexpr rcu_readers() noexcept = default;

    // Effects: opens a region. Requires: no region is open in the slot.
    void open(slot& mine) noexcept {
        // acquire: pairs with begin_examination(): a region that announces the examination sees what was unlinked
        // before
        const std::uint64_t number = examination_.load(std::memory_order_acquire);
        // release: pairs with grace_period::has_ended(): the thread has closed its earlier regions. A relaxed store
        // would hide that: it does not continue the release sequence of close().
        mine.value.store(number + 1, std::memory_order_release);
        // Either this region sees what was unlinked before a heavy fence, or the examination after it sees the region.
        fence.light();
    }

    // Effects: closes the region of the slot.
    void close(slot& mine) noexcept {
        mine.value.store(0, std::memory_order_release);  // pairs with grace_period::has_ended()
    }

    // The same for a thread that has no slot, as memory is exhausted. No grace period ends while there is one.
    void open_without_slot() noexcept {
        unslotted_.fetch_add(1, std::memory_order_relaxed);  // relaxed: the fence orders
        fence.light();
    }
    void close_without_slot() noexcept {
        unslotted_.fetch_sub(1, std::memory_order_release);  // pairs with grace_period::has_ended()
    }

    // Effects: regions from now on announce the number; the heavy half of the fence.
    void begin_examination(std::uint64_t number) noexcept {
        std::uint64_t last = examination_.load(std::memory_order_relaxed);  // the exchange orders
        // release: pairs with open(), which sees also what earlier examinations released
        while (last < number && !examination_.compare_exchange_weak(last, number, std::memory_order_release,
                                                                    std::memory_order_relaxed)) {
        }
        fence.heavy();
    }

    // Effects: closes all regions that are not in a slot of `thread`. Requires: there is one thread.
    void close_all_but_of(pthread_t thread) noexcept {
        // relaxed: there is one thread
        for (std::uint32_t i = 0; i != all_slots.size(); ++i) {
            if (::pthread_equal(all_slots[i].thread, thread) == 0)
                all_slots[i].value.store(0, std::memory_order_relaxed);
        }
        unslotted_.store(0, std::memory_order_relaxed);
    }

    [[no_unique_address]] typename Threading::fence fence;
    slots_type all_slots;

private:
    alignas(64) atomic<std::uint64_t> examination_ = 0;  // the number of the last one
    alignas(64) atomic<std::uint32_t> unslotted_ = 0;
};

// The time until all regions that were open when an examination began are closed.
template <class Threading>
class rcu_readers<Threading>::grace_period {
public:
    constexpr grace_period() noexcept = default;

    // Requires: begin_examination(number) has returned.
    explicit grace_period(std::uint64_t number) noexcept : number_(number) {}

    // Effects: asks up to `count` readers more. Returns: whether all have been found outside of the old regions.
    [[nodiscard]] bool has_ended(rcu_readers& readers, std::uint32_t count) noexcept {
        // acquire, here and below: pairs with the release with which a region is closed
        if (next_ == 0 && readers.unslotted_.load(std::memory_order_acquire) != 0) return false;
        const std::uint32_t end = readers.all_slots.size();
        for (; count != 0 && next_ != end; --count, ++next_) {
            const std::uint64_t seen = readers.all_slots[next_].value.load(std::memory_order_acquire);
            if (seen != 0 && seen <= number_) return false;
        }
        return next_ == end;
    }

private:
    std::uint64_t number_ = 0;
    std::uint32_t next_ = 0;  // the reader that is asked next
};

// Waits for a grace period, and then frees all objects.
template <class Threading>
class rcu_readers<Threading>::examination {
public:
    constexpr examination() noexcept = default;

    [[nodiscard]] bool is_done() const noexcept { return objects_.empty(); }

    // Effects: begins with `objects`. Requires: is_done(); begin_examination(number) was called after they were retired
    // and has returned before this call.
    void begin(retired_list&& objects, std::uint64_t number) noexcept {
        objects_.append(std::move(objects));
        grace_ = grace_period(number);
        has_ended_ = false;
    }

    // Effects: does one step: asks up to eight readers, or appends two objects to `free`; more if there are thousands
    // of readers. Returns: false if it has to wait for a reader. Requires: !is_done().
    bool step(rcu_readers& readers, retired_list& free, retired_list&) noexcept {
        if (has_ended_) {
            for (int count = 2; count != 0 && !objects_.empty(); --count) free.push(objects_.pop());
            return true;
        }
        has_ended_ = grace_.has_ended(readers, 8 + readers.all_slots.size() / 1024);
        return has_ended_;
    }

    // Effects: moves the objects to `all`, and is done.
    void take_all(retired_list& all) noexcept { all.append(std::move(objects_)); }

private:
    retired_list objects_;
    grace_period grace_;
    bool has_ended_ = false;
};

}  // namespace freehold::detail
