#pragma once
// helped_gray: the gray objects of a marking cycle that the helper traces while the program runs.
//
// The helper takes those of its list. What may not be traced beside the program, it returns. What else the barrier of
// the program shades, it adds to an inbox, which has a mutex; but for some numbers, all else is used inside or while
// the helper is parked. Nobody wakes the helper for the inbox: what it does not see is taken when it is parked next.
// Why no store is missed: marking_cycle.hpp.
//
// The helper reaches the objects that it traces without a locked operation, which took 4 to 6 % of the time of both
// threads. So it may unset a bit that the barrier sets meanwhile, and sets it when it takes the object from the inbox.
// If somebody has reached the object in between, it is traced twice.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>  // brings the clock, for a tenth of what <chrono> costs

#include "../../core/growing_buffer.hpp"
#include "../../core/spinning_mutex.hpp"
#include "marking_cycle.hpp"
#include "marking_helper.hpp"
#include "traced_chunk.hpp"
#include "wide_chunks.hpp"

namespace freehold::inline v0_2::detail {

template <class Threading>
class basic_helped_gray : public marking_helper::work<Threading> {
    using base = marking_helper::work<Threading>;

public:
    using base::handshake;

    explicit basic_helped_gray(typename base::function mark) noexcept : base(mark) {}

    gray_objects gray;
    growing_list<const std::byte*> returned;
    bool overflowed = false;

    // For the program.

    // Effects: parks the helper, and takes what is in the inbox.
    void park() noexcept {
        const auto began = std::chrono::steady_clock::now();
        constexpr std::chrono::nanoseconds millisecond(1'000'000);  // another unit costs the compiler a conversion
        const bool has_slept = !handshake.park();
        if (has_slept && std::chrono::steady_clock::now() - began > millisecond) was_late_ = true;
        is_parked_ = true;
        take_inbox();
    }

    void resume() noexcept {
        is_parked_ = false;
        const bool is_more = !gray.empty();
        is_idle_.store(!is_more, std::memory_order_relaxed);  // the handshake orders
        handshake.resume();
        if (is_more) marking_helper::wake();
    }

    [[nodiscard]] bool is_parked() const noexcept { return is_parked_; }

    // Returns: whether the program has waited for the helper for a millisecond in this cycle: the system does not let
    // it run.
    [[nodiscard]] bool was_late() const noexcept { return was_late_; }

    // Returns: whether the helper is not to go on with this cycle.
    [[nodiscard]] bool is_abandoned() const noexcept { return was_late_ || !this->is_helped(); }

    // Effects: the object, which has just been reached, will be traced. Requires: it may be traced beside the program;
    // the helper is parked, or calls this. Returns: false if out of memory.
    [[nodiscard]] bool add(const traced_block& block, std::size_t index) noexcept {
        return !block.is_pushed || gray.objects.push(block.cell(index));
    }

    // Effects: as add, beside the helper. Any thread may call it. Returns: false if out of memory.
    [[nodiscard]] bool add_to_inbox(const std::byte* object) noexcept {
        inbox_mutex_.lock();
        const bool added = inbox_.push(object);
        inbox_mutex_.unlock();
        return added;
    }

    // Effects: takes those of the list that may be traced beside the program, as far as there is memory. Requires: the
    // helper is parked.
    void take_from(gray_objects& list) noexcept {
        const auto take = [](auto& from, auto& to, auto is_concurrent) {
            std::size_t kept = 0;
            for (const auto& each : from) {
                if (!is_concurrent(each) || !to.push(each)) from[kept++] = each;
            }
            from.truncate(kept);
        };
        take(list.objects, gray.objects,
             [](const void* each) { return wide_chunks::block_of(each).type->is_concurrent; });
        take(list.arrays, gray.arrays, [](const partly_traced& each) { return each.type->is_concurrent; });
    }

    // Returns: whether the helper had nothing to do when it left. Only the inbox may have more by now.
    [[nodiscard]] bool is_idle() const noexcept { return is_idle_.load(std::memory_order_relaxed); }

    // Returns: the number of objects that the helper has traced in this cycle, or some less.
    [[nodiscard]] std::size_t traced() const noexcept { return traced_.load(std::memory_order_relaxed); }

    // Effects: a cycle stops. Requires: the helper is parked.
    void clear() noexcept {
        gray.clear();
        returned.truncate(0);
        overflowed = was_late_ = false;
        traced_.store(0, std::memory_order_relaxed);
        is_idle_.store(true, std::memory_order_relaxed);
    }

    // For the helper, or the program in its place.

    // Effects: the object, which a pointer leads to, will be traced unless it is young or was reached before.
    void reach(traced_block& block, std::size_t index) noexcept {
        if (!block.is_marked(index)) return;
        if (block.type->is_concurrent) {
            if (block.reach<Threading>(index) && !add(block, index)) overflowed = true;
            return;
        }
        if (!block.reach_among_threads<Threading>(index)) return;
        ++block.helped_count;
        if (!block.is_pushed) return;
        if (!returned.push(block.cell(index))) overflowed = true;
    }

    void count(std::size_t traced) noexcept {
        traced_.store(traced_.load(std::memory_order_relaxed) + traced, std::memory_order_relaxed);
    }

    // Returns: whether there is more to trace. Effects: takes the inbox if there is not.
    [[nodiscard]] bool has_more() noexcept {
        if (gray.empty()) take_inbox();
        const bool is_idle = gray.empty();
        is_idle_.store(is_idle, std::memory_order_relaxed);
        return !is_idle;
    }

private:
    void take_inbox() noexcept {
        inbox_mutex_.lock();
        taken_.swap(inbox_);
        inbox_mutex_.unlock();
        for (const std::byte* const object : taken_) {
            traced_block& block = traced_chunk::block_of(object);
            const std::size_t index = block.index_of(object);
            block.reach_again<Threading>(index);
            if (!add(block, index)) overflowed = true;
        }
        taken_.truncate(0);
    }

    growing_list<const std::byte*> inbox_;
    growing_list<const std::byte*> taken_;  // from there
    typename Threading::mutex inbox_mutex_;
    typename Threading::template atomic<std::size_t> traced_ = 0;
    typename Threading::template atomic<bool> is_idle_ = true;
    bool is_parked_ = true;
    bool was_late_ = false;
};

// The helper of a cycle is parked during the lifetime.
template <class Threading>
class [[nodiscard]] parked_helper {
public:
    explicit parked_helper(basic_marking_cycle<Threading>& cycle) noexcept
        : cycle_(cycle.is_helped_now() ? &cycle : nullptr) {
        if (cycle_ != nullptr) cycle_->park();
    }
    parked_helper(const parked_helper&) = delete;
    parked_helper& operator=(const parked_helper&) = delete;
    ~parked_helper() {
        if (cycle_ != nullptr) cycle_->resume();
    }

private:
    basic_marking_cycle<Threading>* cycle_;
};

template <class Threading>
inline void basic_marking_cycle<Threading>::shade_beside(traced_block& block, std::size_t index) noexcept {
    if (!block.type->is_concurrent) {
        if (!block.template reach_among_threads<Threading>(index)) return;
        ++block.reached_count;
        if (block.is_pushed && !gray.objects.push(block.cell(index))) overflowed = true;
    } else if (helped->is_parked()) {
        if (block.template reach<Threading>(index) && !helped->add(block, index)) overflowed = true;
    } else if (block.template reach_among_threads<Threading>(index)) {
        if (!helped->add_to_inbox(block.cell(index))) overflowed = true;
    }
}

template <class Threading>
inline void basic_marking_cycle<Threading>::shade_among_threads(traced_block& block, std::size_t index,
                                                                typename Threading::mutex& mutex) noexcept {
    if (!block.template reach_among_threads<Threading>(index)) return;
    const bool is_concurrent = block.type->is_concurrent;
    const std::byte* const object = block.cell(index);
    if (is_concurrent ? helped->add_to_inbox(object) : !block.is_pushed) return;
    mutex.lock();
    if (is_concurrent || !gray.objects.push(object)) overflowed = true;
    mutex.unlock();
}

template <class Threading>
inline void basic_marking_cycle<Threading>::park_helper() noexcept {
    helped->park();
    if (!gray.objects.append(helped->returned) || helped->overflowed) overflowed = true;
    helped->returned.truncate(0);
}

template <class Threading>
inline bool basic_marking_cycle<Threading>::is_helped_now() const noexcept {
    return helped != nullptr && !helped->is_parked();
}

template <class Threading>
inline void basic_marking_cycle<Threading>::resume_helper() const noexcept {
    helped->resume();
}

template <class Threading>
inline gray_objects* basic_marking_cycle<Threading>::any_gray() noexcept {
    if (!gray.empty()) return &gray;
    return helped != nullptr && !helped->gray.empty() ? &helped->gray : nullptr;
}

template <class Threading>
inline void basic_marking_cycle<Threading>::stop() noexcept {
    gray.clear();
    if (helped != nullptr) helped->clear();
    is_running = is_new = overflowed = false;
}

}  // namespace freehold::detail
