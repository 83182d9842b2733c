#pragma once
// traced_collector: when a traced heap collects, and how its threads allocate meanwhile. heap_collection.hpp has what a
// collection does.
//
// A full collection of more objects than options.pause_budget is a cycle (marking_cycle.hpp): `step` goes on with it
// whenever a run of cells is handed out, and a young collection ends it. In a heap that threads share, only the helper
// goes on with it.

#include <cstddef>
#include <new>
#include <span>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/assert.hpp"
#include "../../core/collected_generations.hpp"
#include "../../core/exceptions.hpp"
#include "../traced_heap_options.hpp"
#include "cell_blocks.hpp"
#include "construction.hpp"
#include "external_memory.hpp"
#include "heap_checks.hpp"
#include "heap_collection.hpp"
#include "space_lock.hpp"
#include "traced_mutator.hpp"
#include "traced_session.hpp"
#include "undeclared_classes.hpp"
#include "write_barrier.hpp"

namespace freehold::inline v0_2::detail {

class traced_inspector;

class traced_collector : heap_collection {
public:
    explicit traced_collector(traced_heap_options options) : heap_collection(std::move(options)) {
        space_.collector = this;
    }

    // Effects: the thread of the mutator uses the heap. Requires: the heap has no other.
    void set_mutator(traced_mutator& only) noexcept { only_ = &only; }

    // Effects: the threads with sessions use the heap.
    void share(traced_sessions& sessions) noexcept { sessions_ = &sessions; }

    [[nodiscard]] cell_blocks& blocks() noexcept { return blocks_; }
    [[nodiscard]] const traced_heap_options& options() const noexcept { return options_; }

    // Effects: destroys all objects, and empties the handles to them.
    void destroy_all(traced_mutator& last) noexcept {
        expect_not_elsewhere(last);
        FREEHOLD_EXPECTS(!busy_, "the heap is destroyed while it collects", "freehold::traced_heap");
        if (last.stack.is_detached()) {
            last.stack.attach_to_destroy();
            space_.attach();
        }
        busy_ = true;
        cycle_.park();
        cycle_.stop();
        cycle_.helped = nullptr;
        for (std::size_t generation = 0; sweep_all() != 0; ++generation) {  // destructors may have made other objects
            if (generation != collected_generations::most) continue;
            if (const traced_type* const type = sweeper_.type_to_destroy()) collected_generations::report(type->name);
            break;
        }
    }

    // Returns: the mutator of the calling thread in the heap that has the object which a member of that type is in.
    [[nodiscard]] static traced_mutator& mutator_for(const void* member, [[maybe_unused]] const char* type) noexcept {
        if constexpr (heap_checks::is_on) heap_checks::check_member(member, type);
        return traced_space::of(member).collector->mutator();
    }

    // Effects: the heap is the calling thread's, until detach(). Requires: it is no thread's.
    // Throws: std::bad_alloc if the stack is conservative, and the system does not know it; then nothing has changed.
    void attach(traced_mutator& only) {
        FREEHOLD_EXPECTS(only.stack.is_detached(),
                         "the heap is attached to a thread already, which must call detach() first",
                         "freehold::traced_heap");
        only.stack.attach();
        space_.attach();
    }

    // Effects: the heap is no thread's.
    void detach(traced_mutator& only) noexcept {
        expect_attached(only);
        FREEHOLD_EXPECTS(!is_in_a_call(only),
                         "the heap is detached while it collects, or during a constructor, destructor or finalizer of "
                         "one of its objects, or a deferral",
                         "freehold::traced_heap");
        FREEHOLD_EXPECTS(only.stack.has_no_locals(),
                         "the heap is detached while a traced_local of this thread refers to one of its objects; let "
                         "its scope end first, and hold a traced_root",
                         "freehold::traced_heap");
        only.stack.detach();
        space_.detach();
    }

    // Requires: the heap is attached to the calling thread.
    static void expect_attached([[maybe_unused]] const traced_mutator& only) noexcept {
        FREEHOLD_EXPECTS(only.stack.is_attached_here(),
                         "the heap is used in a thread that it is not attached to: the thread that has it calls "
                         "detach(), then this one attach()",
                         "freehold::traced_heap");
    }

    // Requires: the heap is not attached to another thread.
    static void expect_not_elsewhere([[maybe_unused]] const traced_mutator& only) noexcept {
        FREEHOLD_EXPECTS(only.stack.is_detached() || only.stack.is_attached_here(),
                         "the heap is destroyed or asked for its size while it is attached to another thread",
                         "freehold::traced_heap");
    }

    // Returns: whether a constructor, destructor or finalizer of an object may be running, or a deferral.
    [[nodiscard]] bool is_in_a_call(const traced_mutator& here) const noexcept { return busy_ || here.is_in_a_call(); }

    [[nodiscard]] traced_space& space() noexcept { return space_; }
    [[nodiscard]] std::size_t live_bytes() const noexcept {
        return between_stops([this] { return live_bytes_; });
    }
    [[nodiscard]] std::size_t heap_bytes() const noexcept {
        return between_stops([this] { return space_.chunks.bytes(); });
    }

    // Returns: whether the object is in this heap. Requires: null, or it is in some heap.
    [[nodiscard]] bool holds(const void* object) const noexcept { return space_.holds(object); }

    // Effects: run(object) will be called once, when the object can no longer be reached.
    void add_finalizer(const void* object, callback<const void*> run) {
        const space_lock held(space_.mutex);
        finalizers_.add(object, std::move(run));
    }

    // Returns: a cell for an object of the type, when the current run has none. Effects: may collect; the objects of
    // `held` survive. Throws: std::bad_alloc.
    [[nodiscard]] void* take_slowly(traced_mutator& here, std::size_t index, const traced_type& type,
                                    std::span<const void* const> held) {
        [[maybe_unused]] const std::size_t constructing_without_exceptions = here.constructing_without_exceptions;
        FREEHOLD_EXPECTS(constructing_without_exceptions == 0,
                         "a noexcept constructor of a traced object allocates in the heap", "freehold::traced_heap");
        const traced_mutator::holding held_by_call(here, held);
        if (sessions_ != nullptr && type.owned_bytes == nullptr) {
            std::byte* const cell = take_from_block(here, index, type);
            if (cell != nullptr) return cell;
        }
        collect_if_due(here, index);
        return take_or_collect(here, [&] { return take(here, index, type); });
    }

    // Returns: the mutator of the calling thread.
    [[nodiscard]] traced_mutator& mutator() const noexcept {
        return sessions_ == nullptr ? *only_ : *traced_session::here;
    }

    // Returns: the session of the calling thread. Requires: it is one of this heap.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE traced_session& session() const noexcept {
        [[maybe_unused]] const bool the_thread_has_a_session_of_this_heap = has_session();
        FREEHOLD_EXPECTS(the_thread_has_a_session_of_this_heap,
                         "the heap is used in a thread without a session of it, or in a pause of that",
                         "freehold::shared_traced_heap");
        return *traced_session::here;
    }

    // Returns: mutator(). Requires: the calling thread uses the heap.
    [[nodiscard]] traced_mutator& checked_mutator() const noexcept {
        if (sessions_ != nullptr) return session();
        expect_attached(*only_);
        return *only_;
    }

    // Effects: the object owns `bytes` bytes outside of the heap, besides what its type tells. If too much is owned
    // now, the next allocation collects. Throws: std::bad_alloc.
    void set_external_bytes(traced_mutator& here, const void* object, std::size_t bytes) {
        const space_lock held(space_.mutex);
        const traced_block& block = wide_chunks::block_of(object);
        external_.told.set(block.cell(block.index_of(wide_chunks::head_of(object))), bytes);
        if (is_due() || is_beyond_limit()) sessions_ == nullptr ? here.cells.return_runs() : here.cells.close();
    }

    // Returns: what the objects own outside of the heap, as far as is known.
    [[nodiscard]] std::size_t external_bytes() const noexcept {
        return between_stops([this] { return external_.bytes(); });
    }

    // The functions that follow do nothing while a constructor or destructor of an object of this heap is running.

    // Effects: collects, then runs finalizers. A young collection that `promotes` keeps all young objects without a
    // look at them; in a cycle it follows what points to objects that the cycle has not reached.
    void collect(traced_mutator& here, bool full, bool promotes = false) noexcept {
        stop_at_last(here, [&] { collect_stopped(full, promotes); });
    }

    // Effects: what the allocation of an object of the type does before it takes memory: asks what new objects own and
    // collects, if that is due, else does a step of a cycle or sweep in progress. `all` stands for no type.
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
        if (helper_ && helper_->is_helped()) cycle_.helped = helper_.get();
        cycle_.is_running = cycle_.is_new = true;
    }

    // Effects: a step of the cycle in progress, or of the sweep after one: traces, or destroys, at most about `objects`
    // objects.
    void step(std::size_t objects) noexcept {
        if (busy_) return;
        const auto started = now();
        busy_ = true;
        std::size_t work = 0;
        if (cycle_.is_running) {
            marker_.begin(space_.watch, cycle_, external_);
            work = cycle_.is_helped_now() ? step_beside(objects) : marker_.step(objects);
        } else {
            work = sweeper_.sweep_some(objects);
        }
        busy_ = false;
        report(cycle_.is_running ? traced_pause::mark_step : traced_pause::sweep_step, started, {}, work);
    }

    // Returns: whether a cycle or its sweep is in progress.
    [[nodiscard]] bool has_steps() const noexcept { return cycle_.is_running || sweeper_.is_sweeping(); }

    // Effects: a full collection, after which no chunk without an object is kept.
    void trim(traced_mutator& here) noexcept {
        stop_at_last(here, [&] {
            collect_stopped(true, false);
            take_stores();
            if (space_.stores.has_no_slots()) space_.chunks.trim(all, false);
        });
    }

    // Effects: the session is over, and other sessions allocate in its blocks.
    void end(traced_session& session) noexcept {
        {
            const space_lock held(space_.mutex);
            pacer_.count_young(session.cells.end());
        }
        sessions_->end(session);
    }

    // Requires: no object is in a constructor that may not throw, where it would be freed.
    static void expect_no_new_object([[maybe_unused]] const traced_mutator& here) noexcept {
        [[maybe_unused]] const std::size_t constructing_without_exceptions = here.constructing_without_exceptions;
        FREEHOLD_EXPECTS(constructing_without_exceptions == 0,
                         "a noexcept constructor of a traced object collects, or comes to a safepoint",
                         "freehold::traced_heap");
    }

    // Effects: waits while the sessions are stopped.
    void come_to_safepoint(traced_mutator& here) noexcept {
        if (may_collect(here)) sessions_->come_to_safepoint(here, helping());
    }

private:
    friend traced_inspector;

    // Returns: whether nothing gray is known. The next collection finds out.
    [[nodiscard]] bool seems_done() noexcept {
        return cycle_.is_helped_now() ? cycle_.gray.empty() && cycle_.helped->is_idle() : cycle_.has_no_gray();
    }

    // Effects: a step, while the helper marks: traces what that may not trace, and some of its own if it is late, as
    // where the processors are busy. Returns: the number of objects.
    std::size_t step_beside(std::size_t objects) noexcept {
        due_ += objects;
        std::size_t work = marker_.step(cycle_.gray, objects);
        done_ += work;
        const std::size_t late = late_objects();
        if ((late < least_late() || helper_->is_idle()) && helper_->is_helped()) return work;
        park_helper();
        const std::size_t more = marker_.step(detail::smaller(late, pacer_.budget()));
        done_ += more;
        resume_helper();
        return work + more;
    }

    // Returns: how many objects are worth to park the helper.
    [[nodiscard]] std::size_t least_late() const noexcept { return detail::smaller(pacer_.budget(), 256); }

    // Returns: the objects that the helper, with what the program has traced, is more than a budget behind what is due;
    // or all that it is, if it was late.
    [[nodiscard]] std::size_t late_objects() const noexcept {
        const std::size_t done = done_ + helper_->traced() + (helper_->was_late() ? 0 : pacer_.budget());
        return due_ - detail::smaller(done, due_);
    }

    [[nodiscard]] FREEHOLD_ALWAYS_INLINE bool has_session() const noexcept {
        return traced_session::here != nullptr && &traced_session::here->heap == this;
    }

    // Returns: get(), which reads what a collection changes. Any thread may call it: one without a session waits while
    // those that have one are stopped.
    template <class Get>
    [[nodiscard]] std::size_t between_stops(Get get) const noexcept {
        const bool waits = sessions_ != nullptr && !has_session();
        if (waits) sessions_->enter();
        const space_lock held(space_.mutex);
        const std::size_t got = get();
        if (waits) sessions_->leave();
        return got;
    }

    // Returns: whether no constructor or destructor of an object of this heap is running.
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

    // Effects: parks the helper, which may have the processor that a session needs to come to its safepoint.
    void begin_to_stop() noexcept {
        asked_to_stop_ = now();
        park_helper();
    }

    // Effects: as stop(), and again until it calls work(). Nothing if no collection may come.
    template <class Work>
    void stop_at_last(traced_mutator& here, Work work) noexcept {
        while (may_collect(here) && !stop(here, work)) {
        }
    }

    // Returns: a cell of the session's own block, or a null pointer. Nothing is locked, except for the checks.
    [[nodiscard]] std::byte* take_from_block(traced_mutator& here, std::size_t index,
                                             const traced_type& type) noexcept {
        const space_lock held(heap_checks::is_on ? space_.mutex : nullptr);
        return here.cells.take_from_block(index, type, pacer_.bytes_between(type.cell_bytes));
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
            return external_.is_due(index) || is_due_now();
        };
        if (!is_stop_due()) return;
        stop(here, [&] {
            external_.ask_if_due(index);
            if (!is_due_now()) return;
            const bool is_full = is_beyond_limit() || choose_full_or_begin_cycle();
            collect_stopped(is_full, pacer_.promotes_all());
        });
    }

    // Effects: if the helper is late, as where the processors are busy, marks some objects in its place. Threads that
    // share a heap make no other steps.
    void mark_for_the_helper(traced_mutator& here) noexcept {
        if (!cycle_.is_running || sessions_->is_stopped()) return;
        const std::size_t objects = pacer_.objects_to_trace();
        due_ += objects;
        if (late_objects() < least_late() || (helper_->is_idle() && !helper_->is_abandoned())) return;
        cycle_.park();
        // A `trace` may read a traced_ptr, whose check would lock what is locked.
        spinning_mutex*& locked_by_checks = static_cast<traced_session&>(here).checked.mutex;
        spinning_mutex* const locked = std::exchange(locked_by_checks, nullptr);
        done_ += helper_->marker.trace_gray(helper_->gray, detail::larger(objects, least_late()));
        locked_by_checks = locked;
        resume_helper();
    }

    // Returns: a cell, as take_slowly. Throws: std::bad_alloc.
    [[nodiscard]] std::byte* take(traced_mutator& here, std::size_t index, const traced_type& type) {
        const space_lock held(space_.mutex);
        expect_room();
        if (sessions_ != nullptr) mark_for_the_helper(here);
        new_owners* const owners =
            type.owned_bytes == nullptr ? nullptr : &external_.new_of(index, sessions_ != nullptr);
        const std::size_t most = detail::smaller(owners != nullptr ? owners->max_run() : all, max_run(type));
        // Not those of a run that a destructor has found, or that another thread has closed: they were noted then.
        const bool notes = owners != nullptr && here.cells.cells_left(index, type) == 0;
        std::byte* const cell = here.cells.take(index, type, pacer_, most);
        if (notes) owners->add(cell, 1 + here.cells.cells_left(index, type), type.cell_bytes);
        if (sessions_ != nullptr) sessions_->open(here);
        return cell;
    }

    // Returns: the cells that may be taken before the next step of a cycle.
    [[nodiscard]] std::size_t max_run(const traced_type& type) const noexcept {
        return cycle_.is_running ? detail::larger(pacer_.bytes_until_step() / type.cell_bytes, 1) : all;
    }

    // Effects: chunks may be added up to the limit. Throws: std::bad_alloc if the heap is beyond it.
    void expect_room() {
        if (is_beyond_limit()) raise<std::bad_alloc>();
        space_.chunks.max_bytes = options_.limit_bytes - external_.bytes();
    }

    // Returns: take(), a cell. Effects: a full collection if there is no memory; some, where other threads may take
    // what it has freed. Throws: std::bad_alloc.
    template <class Take>
    [[nodiscard]] std::byte* take_or_collect([[maybe_unused]] traced_mutator& here, Take take) {
#ifdef __cpp_exceptions
        for (int tries = sessions_ == nullptr ? 1 : 4; tries != 0; --tries) {
            try {
                return take();
            } catch (const std::bad_alloc&) {
                // A heap of one thread that is beyond its limit has collected.
                if (!may_collect(here) || (sessions_ == nullptr && is_beyond_limit())) throw;
            }
            collect(here, true);
        }
#endif
        return take();
    }

    // Returns: whether a collection is due. Remembered stores are work for it as well.
    [[nodiscard]] bool is_due() noexcept {
        if (pacer_.is_due(external_.gained())) return true;
        if (cycle_.is_running ? seems_done() || pacer_.is_cycle_overdue(kept_bytes()) : pacer_.is_overdue(kept_bytes()))
            return true;
        return work_of_stores() + space_.stores.targets.size() >= pacer_.budget();
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
