#pragma once
// A collection of a traced heap: traced_collector::collect is the whole story, a step a line. The files it enters:
//
//   begin       cell_allocator.hpp       stops allocation; a full collection clears all marks
//               stack_roots.hpp          finds the traced_locals, and what a conservative stack refers to
//   mark        stored_edges.hpp         a young collection starts from the stores into old objects,
//               traced_roots.hpp         and any collection from traced_locals and roots
//               traced_marker.hpp        follows all pointers from there,
//               ephemeron_marker.hpp     and ephemerons
//   clear       traced_roots.hpp         weak pointers to the rest
//               traced_finalizers.hpp    the unmarked objects with a finalizer are marked, and all that they lead to
//               ephemeron_marker.hpp     then clears ephemerons
//   sweep       sweeper.hpp              destroys the rest; a cell without a mark is free
//               chunk_table.hpp          gives empty chunks back
//   pace        collection_pacer.hpp     decides when the next one comes
//               external_memory.hpp      knows what objects own outside of the heap
//
// marking_cycle.hpp has what is known of the collection meanwhile.
//
// Marks are sticky: the marks of a collection stay for the young ones after it. These trace only the objects that have
// no mark yet, and the old objects that the write barrier remembers.
//
// A full collection of more objects than options.pause_budget is a cycle (marking_cycle.hpp): `step` goes on with it
// whenever a run of cells is handed out, and a young collection ends it.

#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>  // brings the clock, for a tenth of what <chrono> costs
#include <new>
#include <span>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/assert.hpp"
#include "../../core/collected_generations.hpp"
#include "../../core/exceptions.hpp"
#include "../traced_heap_options.hpp"
#include "cell_allocator.hpp"
#include "cell_blocks.hpp"
#include "collection_pacer.hpp"
#include "ephemeron_marker.hpp"
#include "external_memory.hpp"
#include "frame_list.hpp"
#include "heap_checks.hpp"
#include "held_arguments.hpp"
#include "helped_gray.hpp"
#include "hidden_words.hpp"
#include "marking_cycle.hpp"
#include "stack_roots.hpp"
#include "stored_edges.hpp"
#include "sweeper.hpp"
#include "traced_finalizers.hpp"
#include "traced_marker.hpp"
#include "traced_roots.hpp"
#include "write_barrier.hpp"

namespace freehold::inline v0_2::detail {

class traced_inspector;

class traced_collector {
    traced_space space_;
    cell_blocks blocks_;  // before `cells`, which refer to it

public:
    explicit traced_collector(traced_heap_options options)
        : blocks_(space_.chunks, space_.stores.cycle, options.collect_at_every_allocation),
          options_(with_budget(std::move(options))),
          stack_(space_.chunks, options_.conservative_stack),
          pacer_(options_) {
        space_.collector = this;
        if (!options_.helper) return;
        helper_ = std::make_unique<helper>();
        helper_->marker.help(space_.chunks.wide(), cycle_);
        marking_helper::add(*helper_);
    }

    // Effects: destroys all objects, and empties the handles to them.
    ~traced_collector() {
        expect_not_elsewhere();
        FREEHOLD_EXPECTS(!busy_, "the heap is destroyed while it collects", "freehold::traced_heap");
        if (stack_.is_detached()) {
            stack_.attach_to_destroy();
            space_.attach();
        }
        busy_ = true;
        cycle_.park();
        cycle_.stop();
        cycle_.helped = nullptr;
        if (helper_) marking_helper::remove(*helper_);
        for (std::size_t generation = 0; sweep_all() != 0; ++generation) {  // destructors may have made other objects
            if (generation != collected_generations::most) continue;
            if (const traced_type* const type = sweeper_.type_to_destroy()) collected_generations::report(type->name);
            break;
        }
    }

    // Returns: the collector of the heap that has the object which a member of that type is in.
    [[nodiscard]] static traced_collector& of(const void* member, [[maybe_unused]] const char* type) noexcept {
        if constexpr (heap_checks::is_on) heap_checks::check_member(member, type);
        return *traced_space::of(member).collector;
    }

    // Effects: the heap is the calling thread's, until detach(). Requires: it is no thread's.
    // Throws: std::bad_alloc if the stack is conservative, and the system does not know it; then nothing has changed.
    void attach() {
        FREEHOLD_EXPECTS(stack_.is_detached(),
                         "the heap is attached to a thread already, which must call detach() first",
                         "freehold::traced_heap");
        stack_.attach();
        space_.attach();
    }

    // Effects: the heap is no thread's.
    void detach() noexcept {
        expect_attached();
        FREEHOLD_EXPECTS(!busy_ && constructing + constructing_without_exceptions == 0 && held_ == nullptr,
                         "the heap is detached while it collects, or during a constructor, destructor or finalizer of "
                         "one of its objects, or a deferral",
                         "freehold::traced_heap");
        FREEHOLD_EXPECTS(stack_.has_no_locals(),
                         "the heap is detached while a traced_local of this thread refers to one of its objects; let "
                         "its scope end first, and hold a traced_root",
                         "freehold::traced_heap");
        stack_.detach();
        space_.detach();
    }

    // Requires: the heap is attached to the calling thread.
    void expect_attached() const noexcept {
        FREEHOLD_EXPECTS(stack_.is_attached_here(),
                         "the heap is used in a thread that it is not attached to: the thread that has it calls "
                         "detach(), then this one attach()",
                         "freehold::traced_heap");
    }

    // Requires: the heap is not attached to another thread.
    void expect_not_elsewhere() const noexcept {
        FREEHOLD_EXPECTS(stack_.is_detached() || stack_.is_attached_here(),
                         "the heap is destroyed or asked for its size while it is attached to another thread",
                         "freehold::traced_heap");
    }

    // Effects: the heap may have frames from now on. Throws: std::bad_alloc if the system does not know the stack.
    void use_frames() { stack_.use_frames(); }

    void add_frame(frame_record& added) noexcept { stack_.frames().add(added); }

    // Used by traced_heap::make.
    cell_allocator cells{blocks_};
    std::size_t constructing = 0;                     // running constructors that may throw, and so may allocate
    std::size_t constructing_without_exceptions = 0;  // running noexcept constructors
    held_values::list held_by_calls = nullptr;        // of containers that grow

    [[nodiscard]] traced_space& space() noexcept { return space_; }
    [[nodiscard]] std::size_t live_bytes() const noexcept { return live_bytes_; }
    [[nodiscard]] std::size_t heap_bytes() const noexcept { return space_.chunks.bytes(); }

    // Returns: whether the object is in this heap. Requires: null, or it is in some heap.
    [[nodiscard]] bool holds(const void* object) const noexcept { return space_.holds(object); }

    // Effects: run(object) will be called once, when the object can no longer be reached.
    void add_finalizer(const void* object, callback<const void*> run) { finalizers_.add(object, std::move(run)); }

    // Returns: a cell for an object of the type, when the current run has none. Effects: may collect; the objects of
    // `held` survive. Throws: std::bad_alloc.
    [[nodiscard]] void* take_slowly(std::size_t index, const traced_type& type, std::span<const void* const> held) {
        FREEHOLD_EXPECTS(constructing_without_exceptions == 0,
                         "a noexcept constructor of a traced object allocates in the heap", "freehold::traced_heap");
        new_owners* const owners = type.owned_bytes == nullptr ? nullptr : &external_.new_of(index);
        if (may_collect()) {
            if (owners != nullptr) external_.ask(*owners, type);
            collect_if_due(held);
        }
        if (is_beyond_limit()) raise<std::bad_alloc>();
        space_.chunks.max_bytes = options_.limit_bytes - external_.bytes();
        std::size_t max_run = owners != nullptr ? owners->next_run() : all;
        if (cycle_.is_running) {
            max_run = detail::smaller(max_run, detail::larger(pacer_.bytes_until_step() / type.cell_bytes, 1));
        }
        std::byte* const cell = take(index, type, held, max_run);
        if (owners != nullptr) owners->add(cell, 1 + cells.cells_left(index, type), type.cell_bytes);
        return cell;
    }

    // Effects: the object owns `bytes` bytes outside of the heap, besides what its type tells. If too much is owned
    // now, the next allocation collects. Throws: std::bad_alloc.
    void set_external_bytes(const void* object, std::size_t bytes) {
        const traced_block& block = wide_chunks::block_of(object);
        external_.told.set(block.cell(block.index_of(wide_chunks::head_of(object))), bytes);
        if (is_due() || is_beyond_limit()) cells.return_runs();
    }

    // Returns: what the objects own outside of the heap, as far as is known.
    [[nodiscard]] std::size_t external_bytes() const noexcept { return external_.bytes(); }

    // The functions that follow do nothing while a constructor or destructor of an object of this heap is running.

    // Effects: collects, then runs finalizers. A young collection that `promotes` keeps all young objects without a
    // look at them; in a cycle it follows what points to objects that the cycle has not reached.
    void collect(bool full, std::span<const void* const> held, bool promotes = false) noexcept {
        if (!may_collect()) return;
        const auto started = now();
        park_helper();
        if (!begin(full)) return cycle_.resume();
        const cell_count old = blocks_.marked(running_.is_full);
        external_.begin(running_.is_full);
        if (!running_.is_full) running_.work = work_of_stores();

        running_.promotes = promotes && !running_.is_full;
        if (running_.promotes) blocks_.mark_young();

        if (!running_.promotes || cycle_.is_running) {
            if (!running_.is_full && !(running_.promotes && cycle_.is_new)) {
                edges_.mark(pacer_.budget());
                mark_from_frames();
            }
            mark_roots(held);
            mark_reachable();
        }
        if (cycle_.is_running) mark_rest_of_cycle();

        const auto is_kept = [this](const listed_handle& each) { return running_.keeps(each.object); };
        space_.handles.weak.clear_unless(running_.is_complete(), is_kept);
        keep_for_finalizers();
        ephemerons_.clear_rest();

        cell_count survivors = blocks_.marked(running_.is_full) - old;
        if (running_.ends_cycle) {
            survivors = sweeper_.adopt_reached();
            live_bytes_ = 0;
            cycle_.stop();
            external_.end_cycle();
        }
        live_bytes_ += survivors.bytes;
        external_.end(running_.is_complete(), running_.promotes || running_.overran, is_marked);
        space_.watch.end(is_marked);
        forget_stores();
        running_.work += sweep(running_.is_full);

        running_.is_complete() ? pacer_.after_full(kept_bytes())
        : running_.overran     ? pacer_.after_overrun()
        : running_.promotes    ? pacer_.after_promotion()
                               : pacer_.after_young(survivors.bytes, kept_bytes(), running_.work);
        report(running_.is_full      ? traced_pause::full
               : running_.ends_cycle ? traced_pause::last_step
                                     : traced_pause::young,
               started, survivors, running_.work);
        busy_ = running_.ends_cycle = cycle_.is_new = false;
        cycle_.resume();
        run_finalizers(held);
    }

    // Effects: what an allocation does before it takes memory: collects if that is due, else does a step of a cycle or
    // sweep in progress.
    void collect_if_due(std::span<const void* const> held) noexcept {
        if (!may_collect()) return;
        if (options_.collect_at_every_allocation) {
            collect(true, held);
        } else if (is_due()) {
            collect(choose_full_or_begin_cycle(), held, pacer_.promotes_all());
        } else if (has_steps()) {
            step(cycle_.is_running ? pacer_.objects_to_trace() : pacer_.objects_to_sweep());
        }
        if (is_beyond_limit()) collect(true, held);
    }

    // Effects: a full collection in steps begins, unless one is in progress. Young collections and steps go on with it.
    void begin_cycle() noexcept {
        if (!may_collect() || cycle_.is_running) return;
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
        if (!may_collect()) return;
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
    void trim() noexcept {
        if (!may_collect()) return;
        collect(true, {});
        if (space_.stores.has_no_slots()) space_.chunks.trim(all, false);
    }

private:
    friend traced_inspector;

    static constexpr std::size_t all = (std::numeric_limits<std::size_t>::max)();

    // Marking less than that takes no longer than starting threads.
    static constexpr std::size_t least_bytes_for_threads = std::size_t{8} * 1024 * 1024;

    // What marks in the helper.
    struct helper : helped_gray {
        helper() noexcept : helped_gray(&mark) {}

        traced_marker marker;

    private:
        static constexpr int slices = 16;
        static constexpr std::size_t objects_of_slice = 64;

        static bool mark(work& its) noexcept {
            auto& self = static_cast<helper&>(its);
            for (int i = 0; i < slices && self.has_more(); ++i) {
                if (self.handshake.is_wanted() || marking_helper::is_to_stop()) return true;
                self.count(self.marker.trace_gray(self.gray, objects_of_slice));
            }
            return self.has_more();
        }
    };

    // A helper marks what is not done in one pause.
    [[nodiscard]] static traced_heap_options with_budget(traced_heap_options options) noexcept {
        constexpr std::size_t usual = 8192;
        if (options.helper) options.pause_budget = detail::smaller(options.pause_budget, usual);
        return options;
    }

    void park_helper() noexcept {
        if (cycle_.helped == nullptr) return;
        cycle_.park();
        if (cycle_.helped->is_helped() && !cycle_.helped->was_late()) return;
        // This is a child that was forked, or it would wait again and again: the program does the rest of the cycle.
        if (!cycle_.gray.append(helper_->gray)) cycle_.overflowed = true;
        helper_->clear();
        cycle_.helped = nullptr;
    }

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
        const helped_gray& helped = *cycle_.helped;
        const bool is_late = helped.was_late() || done_ + helped.traced() + pacer_.budget() < due_;
        if ((!is_late || helped.is_idle()) && helped.is_helped()) return work;
        park_helper();
        if (work < objects) {
            const std::size_t more = marker_.step(objects - work);
            done_ += more;
            work += more;
        }
        cycle_.resume();
        return work;
    }

    // Returns: whether no constructor or destructor of an object of this heap is running.
    [[nodiscard]] bool may_collect() const noexcept { return !busy_ && constructing == 0; }

    // Returns: the bytes of the objects from before the last collection, with what they own outside of the heap.
    [[nodiscard]] std::size_t kept_bytes() const noexcept { return live_bytes_ + external_.kept(); }

    [[nodiscard]] bool is_beyond_limit() const noexcept {
        const std::size_t external = external_.bytes();
        return external > options_.limit_bytes || heap_bytes() > options_.limit_bytes - external;
    }

    // Returns: a cell. Effects: a full collection if there is no memory. Throws: std::bad_alloc.
    [[nodiscard]] std::byte* take(std::size_t index, const traced_type& type,
                                  [[maybe_unused]] std::span<const void* const> held, std::size_t max_run) {
#ifdef __cpp_exceptions
        try {
            return cells.take(index, type, pacer_, max_run);
        } catch (const std::bad_alloc&) {
            if (!may_collect()) throw;
        }
        collect(true, held);
#endif
        return cells.take(index, type, pacer_, max_run);
    }

    // The arguments of a make whose collection runs finalizers, which may collect in turn.
    struct held_objects {
        std::span<const void* const> objects;
        const held_objects* outer;
    };

    [[nodiscard]] static bool is_marked(const void* object) noexcept {
        const traced_block& block = wide_chunks::block_of(object);
        return block.is_marked(block.index_of(object));
    }

    // Returns: whether a collection is due. Remembered stores are work for it as well.
    [[nodiscard]] bool is_due() noexcept {
        if (pacer_.is_due(external_.gained())) return true;
        if (cycle_.is_running ? seems_done() || pacer_.is_cycle_overdue(kept_bytes()) : pacer_.is_overdue(kept_bytes()))
            return true;
        return work_of_stores() + space_.stores.targets.size() >= pacer_.budget();
    }

    // Returns: the work for the slots that were stored into: each leads to a distant place, unlike most other objects.
    [[nodiscard]] std::size_t work_of_stores() const noexcept {
        const std::size_t stored = space_.stores.heap_slots.size() + space_.stores.far_slots.size();
        return pacer_.promotes_all() && !cycle_.is_running ? stored / 4 : 4 * stored;
    }

    // Returns: whether the collection that is due is a full one. Effects: begins a cycle instead, if that is better.
    [[nodiscard]] bool choose_full_or_begin_cycle() noexcept {
        if (!pacer_.is_bounded()) return pacer_.is_full_due(kept_bytes());
        if (cycle_.is_running) return pacer_.is_cycle_overdue(kept_bytes());
        if (!pacer_.is_cycle_due(kept_bytes())) return false;
        if (!can_be_a_cycle()) return pacer_.is_full_due(kept_bytes());
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
        return old > pacer_.budget() && with_buffers <= old / 4;
    }

    // Effects: goes on with the cycle within the budget. If no gray objects are left, this collection ends the cycle.
    void mark_rest_of_cycle() noexcept {
        running_.work += marker_.trace_gray(running_.work < pacer_.budget() ? pacer_.budget() - running_.work : 1);
        if (cycle_.overflowed || !cycle_.has_no_gray()) return;
        running_.ends_cycle = true;
        blocks_.each_block([this](const traced_block& block) {
            if (block.type->trace_outside == nullptr) return;
            for (std::size_t i = 0; i < block.cells; ++i) {
                if (!block.is_reached(i)) continue;
                marker_.look_into(block, i);
                ++running_.work;
            }
        });
        mark_reachable();
    }

    // Effects: prepares to mark. Returns: false if out of memory for what the stack refers to, which must not be freed.
    [[nodiscard]] bool begin(bool full) noexcept {
        cells.stop_runs();
        if (!stack_.scan_locals() || !stack_.scan_words()) {
            pacer_.start_again();
            return false;
        }
        if constexpr (heap_checks::is_on) check_frames();
        busy_ = true;
        running_ = {.is_full = full || !space_.stores.has_all_slots || cycle_.overflowed};
        if (running_.is_full && cycle_.is_running) {
            blocks_.clear_reached();
            cycle_.stop();
        }
        space_.watch.begin();
        marker_.begin(space_.watch, cycle_, external_);
        if (running_.is_full) {
            blocks_.clear_marks();
            live_bytes_ = 0;
        }
        return true;
    }

    // Effects: destroys all objects. Returns: the number of those with a destructor.
    std::size_t sweep_all() noexcept {
        cells.stop_runs();
        stack_.empty_locals();
        space_.handles.clear();
        forget_stores();
        blocks_.clear_marks();
        return sweep(true);
    }

    // Effects: what is allocated or stored from now on belongs to the next collection.
    void forget_stores() noexcept {
        space_.stores.forget();
        blocks_.forget_use();
    }

    void mark_roots(std::span<const void* const> held) noexcept {
        for (const void* const object : stack_.found()) marker_.mark(object);
        space_.handles.roots.each(running_.is_full || cycle_.is_new,
                                  [this](const listed_handle& root) { marker_.mark(root.object); });
        space_.handles.roots.age();
        const held_objects now{held, held_};
        for (const held_objects* each = &now; each != nullptr; each = each->outer) {
            for (const void* const object : each->objects) {
                if (holds(object)) marker_.mark(object);
            }
        }
        held_values::mark_all(held_by_calls, marker_);
        finalizers_.each_due(0, [this](const void* object) { marker_.mark(object); });
    }

    // Effects: marks what the traced_locals in old frames lead to, as stores into them are not remembered.
    void mark_from_frames() noexcept {
        stack_.frames().each([this](const frame_record& frame) {
            const traced_block& block = wide_chunks::block_of(&frame);
            const std::size_t index = block.index_of(wide_chunks::head_of(&frame));
            if (running_.promotes ? block.is_reached(index) : block.is_marked(index)) marker_.look_into(block, index);
        });
    }

    // Effects: marks all that can be reached from marked objects, through ephemerons too.
    void mark_reachable() noexcept {
        drain_all();
        while (ephemerons_.mark()) {
            ephemerons_.drain();
            drain_all();
        }
    }

    void drain_all() noexcept {
        do {
            drain();
            if (running_.ends_cycle) running_.work += marker_.trace_gray(all);
        } while (trace_what_overflowed());
    }

    // Effects: if a list was out of memory, traces all objects again that may have been on it. Returns: whether.
    bool trace_what_overflowed() noexcept {
        const bool of_marked = marker_.take_overflow();
        const bool of_reached = running_.ends_cycle && std::exchange(cycle_.overflowed, false);
        if (of_marked) {
            blocks_.each_marked([](const traced_type& type) { return type.trace != nullptr; },
                                [this](const traced_type& type, const void* object) {
                                    marker_.look_into(type, object);
                                    marker_.drain();
                                });
        }
        if (of_reached) {
            blocks_.each_block([this](const traced_block& block) {
                for (std::size_t i = 0; i < block.cells; ++i) {
                    if (block.is_reached(i)) marker_.look_into(block, i);
                }
            });
        }
        return of_marked || of_reached;
    }

    // Effects: marks what can be reached from marked objects. If that is too much for a young collection, it keeps all
    // young objects instead.
    void drain() noexcept {
        if (running_.is_full && options_.mark_threads > 1 && heap_bytes() >= least_bytes_for_threads &&
            running_.work == 0) {
            running_.work += marker_.drain_with(options_.mark_threads - 1);
            blocks_.count_marks();
            return;
        }
        if (running_.is_full || !pacer_.is_bounded()) {
            running_.work += marker_.drain();
            return;
        }
        running_.work += marker_.drain(2 * pacer_.budget());
        if (marker_.is_drained()) return;
        running_.overran = true;
        blocks_.mark_young();
        marker_.give_up();
    }

    // Effects: marks the objects to be finalized, and all that can be reached from them.
    void keep_for_finalizers() noexcept {
        const std::size_t before = finalizers_.due();
        finalizers_.take_due(running_.is_complete(), [this](const void* object) { return running_.keeps(object); });
        finalizers_.each_due(before, [this](const void* object) { marker_.mark(object); });
        mark_reachable();
    }

    // Effects: destroys the objects that are not marked. Returns: their number.
    std::size_t sweep(bool full) noexcept {
        const std::size_t destroyed = sweeper_.sweep(full);
        if constexpr (heap_checks::is_on) check_hidden();
        // Unless a destructor's store has marked a card in an empty chunk.
        if (space_.stores.has_no_slots()) space_.chunks.trim(full ? all : 2);
        return destroyed;
    }

    // Requires: each traced_local in a frame points to an object of this heap.
    void check_frames() const noexcept {
        stack_.frames().each([this](const frame_record& frame) {
            for (const local_root* each = frame.locals; each != nullptr; each = each->next()) {
                [[maybe_unused]] const bool the_local_is_to_an_object_of_the_heap_of_the_frame =
                    each->get() == nullptr || space_.chunks.contains(each->get());
                FREEHOLD_EXPECTS(
                    the_local_is_to_an_object_of_the_heap_of_the_frame,
                    "a traced_local in a coroutine whose frame is in a heap points to an object of another "
                    "heap; hold a traced_root there",
                    "freehold::traced_frame");
            }
        });
    }

    // Requires: after a full collection, no object holds a pointer to a freed one where `trace` does not look.
    void check_hidden() const noexcept {
        if (!running_.is_full || options_.conservative_stack || finalizers_.due() != 0 || is_memcheck()) return;
        hidden_words words(space_.chunks);
        blocks_.each_marked(
            [](const traced_type& type) { return type.check_hidden != nullptr; },
            [&words](const traced_type& type, const void* object) { type.check_hidden(object, words); });
    }

    // Only a program with a callback reads the clock.
    [[nodiscard]] std::chrono::steady_clock::time_point now() const noexcept {
        return options_.on_collection ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
    }

    void report(traced_pause kind, std::chrono::steady_clock::time_point started, const cell_count& survivors,
                std::size_t work) const noexcept {
        if (!options_.on_collection) return;
        const bool complete = kind == traced_pause::full || kind == traced_pause::last_step;
        options_.on_collection({complete, started, now() - started, survivors.objects, survivors.bytes, live_bytes_,
                                heap_bytes(), external_bytes(), kind, work});
    }

    // Effects: runs the finalizers that are due. What they allocate may collect.
    void run_finalizers(std::span<const void* const> held) noexcept {
        if (finalizers_.due() == 0) return;
        const held_objects waiting{held, held_};
        held_ = &waiting;
        finalizers_.run_due(
            [](const void* object) { collected_generations::report(wide_chunks::block_of(object).type->name); });
        held_ = waiting.outer;
    }

    sweeper sweeper_{blocks_};
    const traced_heap_options options_;
    stack_roots stack_;
    marking_cycle& cycle_ = space_.stores.cycle;
    traced_marker marker_;
    external_memory external_;
    traced_finalizers finalizers_;
    const held_objects* held_ = nullptr;
    std::size_t live_bytes_ = 0;  // of marked objects
    std::size_t due_ = 0;         // objects that a cycle beside the program should have traced by now,
    std::size_t done_ = 0;        // and that the program has traced
    std::unique_ptr<helper> helper_;
    collection_pacer pacer_;
    running_collection running_;
    stored_edges edges_{space_.stores, blocks_, running_, marker_};
    ephemeron_marker ephemerons_{space_, running_, marker_};
    bool busy_ = false;  // collecting, in a step, or destroying all
};

}  // namespace freehold::detail
