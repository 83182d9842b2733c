#pragma once
// When a traced heap collects, whether the collection is a full one, and how fast a marking cycle goes on.

#include <cstddef>
#include <limits>
#include <utility>

#include "../../core/alignment.hpp"
#include "../traced_heap_options.hpp"

namespace freehold::inline v0_2::detail {

class collection_pacer {
public:
    explicit collection_pacer(const traced_heap_options& options) noexcept
        : nursery_for_each_(detail::smaller(options.nursery_bytes, never)),
          max_for_each_(detail::clamp(options.max_nursery_bytes, nursery_for_each_, never)),
          growth_factor_(options.growth_factor),
          min_full_bytes_(detail::smaller(options.min_full_bytes, never)),
          budget_(detail::clamp(options.pause_budget, std::size_t{1}, never)),
          cycle_part_(options.helper ? 2 : 8) {}

    // Effects: the next nursery is for as many threads, of which each has a cache.
    void set_threads(std::size_t count) noexcept {
        nursery_bytes_ = detail::clamp(nursery_for_each_ * count, nursery_for_each_, max_for_each_);
        const std::size_t threads = detail::larger(count, 1);
        max_nursery_bytes_ = detail::smaller(max_for_each_, never / threads) * threads;
        if (!is_bounded()) affordable_ = nursery_bytes_;
    }

    // Effects: counts bytes that were allocated since the last collection.
    void count_young(std::size_t bytes) noexcept {
        left_ -= static_cast<std::ptrdiff_t>(bytes);
        since_step_ += bytes;
    }

    // Returns: whether there is a budget.
    [[nodiscard]] bool is_bounded() const noexcept { return budget_ != never; }

    // Returns: the number of objects that a pause may trace or destroy.
    [[nodiscard]] std::size_t budget() const noexcept { return budget_; }

    // Effects: begins a cycle that has to trace `objects` objects, and is to end when cycle_bytes(live_bytes) are
    // allocated.
    void begin_cycle(std::size_t objects, std::size_t live_bytes) noexcept {
        bytes_for_an_object_ =
            static_cast<double>(cycle_bytes(live_bytes)) / static_cast<double>(detail::larger(objects, 1));
        since_step_ = 0;
        // A large object may have exceeded what was due.
        cycle_end_ = detail::larger(full_bytes_, live_bytes + cycle_bytes(live_bytes)) + nursery_for_each_;
    }

    // Returns: the number of objects that are to be traced for what was allocated since the last step.
    [[nodiscard]] std::size_t objects_to_trace() noexcept {
        const double due = static_cast<double>(std::exchange(since_step_, 0)) / bytes_for_an_object_;
        return due < static_cast<double>(budget_) ? static_cast<std::size_t>(due) + 1 : budget_;
    }

    // Returns: the number of objects that are to be destroyed for what was allocated since the last step: a block for
    // each eighth of one.
    [[nodiscard]] std::size_t objects_to_sweep() noexcept {
        return detail::smaller(std::exchange(since_step_, 0) / 64 + 1, budget_);
    }

    // Returns: the number of bytes that may be allocated before the next step of a cycle. A step takes a sixteenth of
    // the budget, since there are more steps than all other pauses.
    [[nodiscard]] std::size_t bytes_until_step() const noexcept {
        const double bytes = static_cast<double>(budget_) / 16 * bytes_for_an_object_;
        return bytes < static_cast<double>(never) ? static_cast<std::size_t>(bytes) : never;
    }

    // Returns: the bytes that a thread may take for objects of that size before it asks whether a collection is due.
    // Stores into as many objects take a quarter of the budget.
    [[nodiscard]] std::size_t bytes_between(std::size_t cell_bytes) const noexcept {
        return detail::smaller(nursery_for_each_, budget_ < never / cell_bytes ? budget_ * cell_bytes : never) / 16;
    }

    // Returns: whether a collection is due.
    [[nodiscard]] bool is_due() const noexcept { return left_ <= 0; }

    // Returns: the same. Since the last one, objects have gained `external_bytes` outside of the
    // heap.
    [[nodiscard]] bool is_due(std::size_t external_bytes) const noexcept {
        return is_due() || external_bytes / external_weight >= nursery_bytes_;
    }

    // Returns: whether a full collection is due before the nursery is full, as old objects have gained so much.
    // `live_bytes` survived the last collection; here and below, with what they own now.
    [[nodiscard]] bool is_overdue(std::size_t live_bytes) const noexcept {
        return live_bytes >= full_bytes_ + nursery_bytes_;
    }

    // Returns: whether a cycle has fallen behind: it goes on as the heap grows, and not as objects gain memory outside.
    [[nodiscard]] bool is_cycle_overdue(std::size_t live_bytes) const noexcept { return live_bytes / 2 >= cycle_end_; }

    // Returns: whether it should be a full one.
    [[nodiscard]] bool is_full_due(std::size_t live_bytes) const noexcept {
        return live_bytes + expected_survivors_ >= full_bytes_;
    }

    // Returns: whether a cycle should begin, to end when a full collection would be due. It is asked once a nursery.
    [[nodiscard]] bool is_cycle_due(std::size_t live_bytes) const noexcept {
        return is_full_due(live_bytes + cycle_bytes(live_bytes) + space_);
    }

    void after_full(std::size_t live_bytes) noexcept {
        const double grown = static_cast<double>(live_bytes) * growth_factor_;
        full_bytes_ = grown < static_cast<double>(never)
                          ? detail::larger(min_full_bytes_, static_cast<std::size_t>(grown))
                          : never;
        to_promote_ = 0;
        start_again();
    }

    // Effects: defers the next collection if most of the young objects survived, as they are expected to do again:
    // until a full one is due, or max_nursery_bytes are allocated. With a budget, the collections until then keep all
    // young objects (promotes_all()). The next nursery shall take half of the budget, if its objects are as these: of
    // these `work` were traced or destroyed.
    void after_young(std::size_t survived_bytes, std::size_t live_bytes, std::size_t work) noexcept {
        const bool most_survived = is_due() && survived_bytes >= space_ / 4 * 3;
        const std::size_t until_full = full_bytes_ - detail::smaller(live_bytes, full_bytes_);
        const std::size_t deferral = detail::clamp(until_full, nursery_bytes_, max_nursery_bytes_);
        if (!is_bounded()) return most_survived ? start(deferral, deferral) : start_again();
        if (is_due()) affordable_ = affordable(work);
        to_promote_ = most_survived && budget_ >= min_budget_to_promote ? deferral : 0;
        start(to_promote_ != 0 ? nursery_bytes_ : affordable_, 0);
    }

    // Returns: whether the next collection is to keep all young objects, without a look at them.
    [[nodiscard]] bool promotes_all() const noexcept { return to_promote_ != 0; }

    void after_promotion() noexcept {
        to_promote_ -= detail::smaller(to_promote_, space_);
        start(to_promote_ != 0 ? nursery_bytes_ : affordable_, 0);
    }

    // Effects: as after_young, for a young collection that did not get through within twice the budget.
    void after_overrun() noexcept {
        affordable_ = detail::larger(detail::smaller(affordable_, space_) / 4, nursery_bytes_ / 16);
        start_again();
    }

    // Effects: the next collection comes after nursery_bytes, or earlier if the budget wants it.
    void start_again() noexcept { start(affordable_, 0); }

private:
    // A number of bytes that no program allocates, and twice that fits in a std::size_t.
    static constexpr std::size_t never = (std::numeric_limits<std::ptrdiff_t>::max)();

    // So many bytes outside of the heap count like one in it: a collection frees both, but the nursery is small to stay
    // in the processor's caches.
    static constexpr std::size_t external_weight = 4;

    // Returns: how much is allocated during a cycle.
    [[nodiscard]] std::size_t cycle_bytes(std::size_t live_bytes) const noexcept { return live_bytes / cycle_part_; }

    // Returns: the bytes of a nursery that takes half of the budget, if the last one took `work`.
    [[nodiscard]] std::size_t affordable(std::size_t work) const noexcept {
        const double taken = static_cast<double>(space_) - static_cast<double>(left_);
        const double bytes = taken * static_cast<double>(budget_) / 2 / static_cast<double>(detail::larger(work, 1));
        if (bytes >= static_cast<double>(nursery_bytes_)) return nursery_bytes_;
        return detail::larger(static_cast<std::size_t>(bytes), nursery_bytes_ / 16);
    }

    // What is promoted unseen, a cycle must trace faster than it is made.
    static constexpr std::size_t min_budget_to_promote = 1024;

    void start(std::size_t space, std::size_t expected_survivors) noexcept {
        space_ = space;
        left_ = static_cast<std::ptrdiff_t>(space);
        expected_survivors_ = expected_survivors;
    }

    const std::size_t nursery_for_each_;
    const std::size_t max_for_each_;
    const double growth_factor_;
    const std::size_t min_full_bytes_;
    const std::size_t budget_;
    const std::size_t cycle_part_;                   // of the live bytes is allocated during a cycle
    std::size_t nursery_bytes_ = nursery_for_each_;  // of all threads
    std::size_t max_nursery_bytes_ = max_for_each_;  // the same, of a deferred collection
    std::size_t affordable_ = nursery_bytes_;
    std::size_t to_promote_ = 0;      // bytes
    double bytes_for_an_object_ = 0;  // how much may be allocated while a cycle traces one object
    std::size_t cycle_end_ = never;   // the live bytes that are expected at its end
    std::size_t since_step_ = 0;      // bytes that were allocated
    std::size_t full_bytes_ = min_full_bytes_;
    std::size_t space_ = nursery_bytes_;                         // the bytes of the nursery
    std::ptrdiff_t left_ = static_cast<std::ptrdiff_t>(space_);  // until a collection is due
    std::size_t expected_survivors_ = 0;                         // bytes, after a deferral
};

}  // namespace freehold::detail
