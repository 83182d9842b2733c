#pragma once
// heap_schedule: when a traced heap collects. heap_collection.hpp has what a collection does.
//
// A full collection of more objects than options.pause_budget is a cycle (marking_cycle.hpp): `step` goes on with it
// whenever a run of cells is handed out, and a young collection ends it. In a heap that threads share, the helper
// goes on with it, and they stop for a step only for what it may not trace.

#include <cstddef>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/assert.hpp"
#include "../../core/collected_generations.hpp"
#include "../../core/spinning_mutex.hpp"
#include "cell_blocks.hpp"
#include "construction.hpp"
#include "heap_checks.hpp"
#include "heap_collection.hpp"
#include "space_lock.hpp"
#include "traced_mutator.hpp"
#include "traced_session.hpp"
#include "undeclared_classes.hpp"

namespace freehold::inline v0_2::detail {

class heap_schedule : protected heap_collection {
public:
    // Effects: collects, then runs finalizers; nothing if !may_collect(here). A young collection that `promotes` keeps
    // all young objects without a look at them; in a cycle it follows what points to objects that the cycle has not
    // reached.
    void collect(traced_mutator& here, bool full, bool promotes = false) noexcept {
        stop_at_last(here, [&] { collect_stopped(full, promotes); });
    }

    // Effects: what the allocation of an object of the type does before it takes memory: asks what new objects own and
    // collects, if that is due, else does a step of a cycle or sweep in progress. Nothing if !may_collect(here). `all`
    // stands for no type.
    void collect_if_due(traced_mutator& here, std::size_t index = all) noexcept {
        if (!may_collect(here)) return;
        if (sessions_ != nullptr) return collect_in_session(here, index);
        external_.ask_if_due(index);
        if (options_.collect_at_every_allocation) {
            collect(here, true);
        } else if (is_due()) {
            collect(here, choose_full_or_begin_cycle(), pacer_.promotes_all());
        } else if (has_steps()) {
            step(cycle_.is_running ? pacer_.objects_to_trace() : pacer_.objects_to_sweep());
        }
        if (is_beyond_limit()) collect(here, true);
    }

    // Effects: a full collection in steps begins, unless one is in progress. Young collections and steps go on with it.
    void begin_cycle() noexcept {
        if (busy_ || cycle_.is_running) return;
        busy_ = true;
        sweeper_.sweep_some(all);
        busy_ = false;
        external_.reached.clear();
        due_ = done_ = 0;
        if (helper_ != nullptr && helper_->is_helped()) cycle_.helped = helper_;
        cycle_.is_running = cycle_.is_new = true;
    }

    // Effects: a step of the cycle in progress, or of the sweep after one: traces, or destroys, at most about `objects`
    // objects.
    void step(std::size_t objects) noexcept {
        if (busy_) return;
        const auto stopped = now();
        const auto started = sessions_ == nullptr ? stopped : asked_to_stop_;
        busy_ = true;
        std::size_t work = 0;
        if (cycle_.is_running) {
            marker_.begin(space_.watch, cycle_, external_);
            work = cycle_.is_helped_now() ? step_beside(objects) : mark_in_step(objects);
        } else {
            work = sweeper_.sweep_some(objects);
        }
        busy_ = false;
        report(cycle_.is_running ? traced_pause::mark_step : traced_pause::sweep_step, started, {}, work,
               stopped - started);
    }

    // Returns: whether a cycle or its sweep is in progress.
    [[nodiscard]] bool has_steps() const noexcept { return cycle_.is_running || sweeper_.is_sweeping(); }

    // Effects: a full collection, after which no chunk without an object is kept; nothing if !may_collect(here).
    void trim(traced_mutator& here) noexcept {
        stop_at_last(here, [&] {
            collect_stopped(true, false);
            take_stores();
            if (space_.stores.has_no_slots()) space_.chunks.trim(all, false);
        });
    }

    // Requires: no object is in a constructor that may not throw, where it would be freed.
    static void expect_no_new_object([[maybe_unused]] const traced_mutator& here) noexcept {
        [[maybe_unused]] const std::size_t constructing_without_exceptions = here.constructing_without_exceptions;
        FREEHOLD_EXPECTS(constructing_without_exceptions == 0,
                         "a noexcept constructor of a traced object collects, or comes to a safepoint",
                         "freehold::traced_heap");
    }

    // Effects: waits while the sessions are stopped; nothing if !may_collect(here).
    void come_to_safepoint(traced_mutator& here) noexcept {
        if (may_collect(here)) sessions_->come_to_safepoint(here, helping());
    }

protected:
    using heap_collection::heap_collection;

    // Returns: whether this thread runs no constructor or destructor of an object of this heap, and no collection.
    [[nodiscard]] bool may_collect(const traced_mutator& here) const noexcept {
        return !busy_ && here.constructing == 0;
    }

    [[nodiscard]] bool is_beyond_limit() const noexcept {
        const std::size_t external = external_.bytes();
        return external > options_.limit_bytes || space_.chunks.bytes() > options_.limit_bytes - external;
    }

    // Effects: stops all threads that use the heap, and calls work(). Returns: false if another session has stopped
    // them meanwhile instead.
    template <class Work>
    bool stop_threads(traced_mutator& here, Work work) noexcept {
        expect_no_new_object(here);
        if (sessions_ != nullptr) {
            const auto work_without_helper = [&] {
                work();
                resume_helper();
            };
            return sessions_->stop(here, [this] { begin_to_stop(); }, work_without_helper, helping());
        }
        here.stack.scan_locals();
        work();
        return true;
    }

    // Effects: the same; then runs finalizers.
    template <class Work>
    bool stop(traced_mutator& here, Work work) noexcept {
        if (!stop_threads(here, work)) return false;
        run_finalizers(here);
        return true;
    }

    // Effects: as stop(), and again until it calls work(). Nothing if no collection may come.
    template <class Work>
    void stop_at_last(traced_mutator& here, Work work) noexcept {
        while (may_collect(here) && !stop(here, work)) {
        }
    }

    // Returns: whether threads that share the heap are to stop for a step: the helper may not trace what is gray.
    [[nodiscard]] bool is_step_due() const noexcept {
        return cycle_.is_running && !cycle_.gray.empty() && late_objects() != 0;
    }

    // Effects: if the helper is late, as where the processors are busy, marks some objects in its place. Requires:
    // threads share the heap, and its lock.
    void mark_for_the_helper(traced_mutator& here) noexcept {
        if (!cycle_.is_running || sessions_->is_stopped()) return;
        const std::size_t objects = pacer_.objects_to_trace();
        due_ += objects;
        if (late_objects() < least_late() || (helper_->is_idle() && !helper_->is_abandoned())) return;
        cycle_.park();
        // A `trace` may read a traced_ptr, whose check would lock the heap's mutex.
        spinning_mutex*& locked_by_checks = static_cast<traced_session&>(here).checked.mutex;
        spinning_mutex* const locked = std::exchange(locked_by_checks, nullptr);
        done_ += helper_->marker.trace_gray(helper_->gray, detail::larger(objects, least_late()));
        locked_by_checks = locked;
        resume_helper();
    }

    // Returns: whether a collection is due. Remembered stores are work for it as well.
    [[nodiscard]] bool is_due() noexcept {
        if (pacer_.is_due(external_.gained())) return true;
        if (cycle_.is_running ? seems_done() || pacer_.is_cycle_overdue(kept_bytes()) : pacer_.is_overdue(kept_bytes()))
            return true;
        return work_of_stores() + space_.stores.targets.size() >= pacer_.budget();
    }

private:
    // Returns: whether nothing gray is known. The next collection finds out.
    [[nodiscard]] bool seems_done() noexcept {
        return cycle_.is_helped_now() ? cycle_.gray.empty() && cycle_.helped->is_idle() : cycle_.has_no_gray();
    }

    // Effects: a step, while the helper marks: traces what the helper may not trace, and some of the helper's objects
    // if that is late, as where the processors are busy. Returns: the number of objects.
    std::size_t step_beside(std::size_t objects) noexcept {
        due_ += objects;
        std::size_t work = marker_.step(cycle_.gray, objects);
        done_ += work;
        const std::size_t late = late_objects();
        if ((late < least_late() || helper_->is_idle()) && helper_->is_helped()) return work;
        park_helper();
        work += mark_in_step(detail::smaller(late, pacer_.budget()));
        resume_helper();
        return work;
    }

    std::size_t mark_in_step(std::size_t objects) noexcept {
        const std::size_t work = marker_.step(objects);
        done_ += work;
        return work;
    }

    // Returns: by how many objects the helper must be late to be parked for that.
    [[nodiscard]] std::size_t least_late() const noexcept { return detail::smaller(pacer_.budget(), 256); }

    // Returns: by how many objects the marking is behind what is due; a budget of them is allowed, unless the helper
    // was late.
    [[nodiscard]] std::size_t late_objects() const noexcept {
        const std::size_t done = done_ + helper_->traced() + (helper_->was_late() ? 0 : pacer_.budget());
        return due_ - detail::smaller(done, due_);
    }

    // Effects: parks the helper, which may have the processor that a session needs to come to its safepoint.
    void begin_to_stop() noexcept {
        asked_to_stop_ = now();
        park_helper();
    }

    // Effects: a safepoint; collects if that is due. New objects are asked while all are stopped: then nobody changes
    // them.
    void collect_in_session(traced_mutator& here, std::size_t index) noexcept {
        sessions_->come_to_safepoint(here, helping());
        if (options_.collect_at_every_allocation) return collect(here, true);
        const auto is_due_now = [this] { return is_due() || is_beyond_limit(); };
        const auto is_stop_due = [&] {
            const space_lock held(space_.mutex);
            sessions_->take_stores(here);
            return external_.is_due(index) || is_due_now() || is_step_due();
        };
        if (!is_stop_due()) return;
        stop(here, [&] {
            external_.ask_if_due(index);
            if (is_due_now()) {
                const bool is_full = is_beyond_limit() || choose_full_or_begin_cycle();
                collect_stopped(is_full, pacer_.promotes_all());
            } else if (is_step_due()) {
                step(detail::smaller(late_objects(), pacer_.budget()));
            }
        });
    }

    // Returns: whether the collection that is due is a full one. Effects: begins a cycle instead, if that is better.
    [[nodiscard]] bool choose_full_or_begin_cycle() noexcept {
        if (!pacer_.is_bounded()) return pacer_.is_full_due(kept_bytes());
        if (cycle_.is_running) return pacer_.is_cycle_overdue(kept_bytes());
        if (!pacer_.is_cycle_due(kept_bytes())) return false;
        const bool is_helped = helper_ != nullptr && helper_->is_helped();
        if (!can_be_a_cycle() || (sessions_ != nullptr && !is_helped)) return pacer_.is_full_due(kept_bytes());
        begin_cycle();
        return false;
    }

    // Returns: whether the next full collection exceeds the budget, and a cycle's last pause would be much shorter.
    // That pause traces all objects again that own pointers outside of the heap: a buffer is moved from one container
    // to another without a store of a traced_ptr.
    [[nodiscard]] bool can_be_a_cycle() noexcept {
        std::size_t old = 0;
        std::size_t with_buffers = 0;
        blocks_.each_block([&](const traced_block& block) {
            const std::size_t work = block.marked * traced_marker::work_of(*block.type);
            old += work;
            if (block.type->trace_outside != nullptr) with_buffers += work;
        });
        pacer_.begin_cycle(old, live_bytes_);
        if (old <= pacer_.budget()) return false;
        if constexpr (heap_checks::is_on) {
            if (with_buffers > detail::smaller(old / 4, pacer_.budget())) report_undeclared(with_buffers);
        }
        return with_buffers <= old / 4;
    }

    // Effects: reports which classes could declare that their pointers are inside. The last pause of a cycle would
    // trace `retraced` objects again.
    void report_undeclared(std::size_t retraced) noexcept {
        undeclared_classes found;
        blocks_.each_marked(
            [](const traced_type& type) { return type.find_undeclared != nullptr; },
            [&found](const traced_type& type, const void* object) { type.find_undeclared(object, found); });
        found.report(retraced);
    }

    // Effects: runs the finalizers that are due. What they allocate may collect.
    void run_finalizers(traced_mutator& here) noexcept {
        const construction running(&here.finalizing);
        finalizers_.run_due(
            [this] { return space_lock(space_.mutex); },
            [](const void* object) { collected_generations::report(wide_chunks::block_of(object).type->name); });
    }
};

}  // namespace freehold::detail
