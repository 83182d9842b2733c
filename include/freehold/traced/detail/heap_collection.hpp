#pragma once
// heap_collection: how a collection of a traced heap goes. `collect_stopped` is the whole story, a step a line. The
// files it enters:
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
//   pace        collection_pacer.hpp     learns how much survived
//               external_memory.hpp      knows what objects own outside of the heap
//
// marking_cycle.hpp has what is known of the collection meanwhile; heap_schedule.hpp decides when it comes.
//
// Marks are sticky: the marks of a collection stay for the young ones after it. These trace only the objects that have
// no mark yet, and the old objects that the write barrier remembers.

#include <cstddef>
#include <limits>
#include <mutex>  // brings the clock, for a tenth of what <chrono> costs
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/assert.hpp"
#include "../../core/memcheck.hpp"
#include "../traced_heap_options.hpp"
#include "cell_blocks.hpp"
#include "collection_pacer.hpp"
#include "ephemeron_marker.hpp"
#include "external_memory.hpp"
#include "heap_checks.hpp"
#include "heap_helper.hpp"
#include "hidden_words.hpp"
#include "marking_cycle.hpp"
#include "space_lock.hpp"
#include "stored_edges.hpp"
#include "sweeper.hpp"
#include "traced_finalizers.hpp"
#include "traced_marker.hpp"
#include "traced_mutator.hpp"
#include "traced_roots.hpp"
#include "traced_session.hpp"
#include "write_barrier.hpp"

namespace freehold::inline v0_2::detail {

class heap_collection {
protected:
    traced_space space_;
    cell_blocks blocks_;

    explicit heap_collection(traced_heap_options options)
        : blocks_(space_.chunks, space_.cycle, options.collect_at_every_allocation),
          options_(with_budget(std::move(options))),
          pacer_(options_) {
        if (!options_.helper) return;
        helper_ = new heap_helper;
        helper_->marker.help(space_.chunks.wide(), cycle_);
        marking_helper::add(*helper_);
    }

    ~heap_collection() {
        if (helper_ == nullptr) return;
        marking_helper::remove(*helper_);
        delete helper_;
    }

    static constexpr std::size_t all = (std::numeric_limits<std::size_t>::max)();

    // Effects: collects. Requires: all threads that use the heap are stopped, and have scanned their stacks.
    void collect_stopped(bool full, bool promotes) noexcept {
        const auto stopped = now();
        const auto started = sessions_ == nullptr ? stopped : asked_to_stop_;
        park_helper();
        if (!begin(full)) return resume_helper();
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
            mark_roots();
            mark_reachable();
        }
        if (cycle_.is_running) mark_rest_of_cycle();

        const auto is_kept = [this](const listed_handle& each) { return running_.keeps(each.object); };
        space_.handles.weak.clear_unless(running_.is_complete(), is_kept);
        keep_for_finalizers();
        ephemerons_.clear_rest();

        cell_count survivors = blocks_.marked(running_.is_full) - old;
        if (running_.ends_cycle) {
            survivors = sweeper_.adopt_reached(sessions_ != nullptr);
            live_bytes_ = 0;
            cycle_.stop();
            external_.end_cycle();
        }
        live_bytes_ += survivors.bytes;
        external_.end(running_.is_complete(), running_.promotes || running_.overran, is_marked);
        space_.watch.end(is_marked);
        forget_stores();
        running_.work += sweep(running_.is_full);
        if (sessions_ != nullptr) running_.work += sweeper_.sweep_some(pacer_.budget());

        running_.is_complete() ? pacer_.after_full(kept_bytes())
        : running_.overran     ? pacer_.after_overrun()
        : running_.promotes    ? pacer_.after_promotion()
                               : pacer_.after_young(survivors.bytes, kept_bytes(), running_.work);
        report(running_.is_full      ? traced_pause::full
               : running_.ends_cycle ? traced_pause::last_step
                                     : traced_pause::young,
               started, survivors, running_.work, stopped - started);
        busy_ = running_.ends_cycle = cycle_.is_new = false;
        if (sessions_ != nullptr && cycle_.is_running) helper_->take_from(cycle_.gray);
        resume_helper();
    }

    // Effects: destroys all objects. Returns: the number of those with a destructor.
    std::size_t sweep_all() noexcept {
        each_mutator([](traced_mutator& each) {
            each.cells.stop_runs();
            each.stack.empty_locals();
        });
        space_.handles.clear();
        forget_stores();
        blocks_.clear_marks();
        return sweep(true);
    }

    void park_helper() noexcept {
        if (cycle_.helped == nullptr) return;
        cycle_.park();
        if (sessions_ != nullptr || !cycle_.helped->is_abandoned()) return;
        // This is a child that was forked, or it would wait again and again: the program does the rest of the cycle.
        if (!cycle_.gray.append(helper_->gray)) cycle_.overflowed = true;
        helper_->clear();
        cycle_.helped = nullptr;
    }

    // Returns: what a stopped session does: it marks what the one that collects has not marked yet.
    [[nodiscard]] auto helping() noexcept {
        return [this] {
            if (!team_.join()) return;
            traced_marker marker;
            marker.begin(space_.watch, cycle_, external_);
            marker.work_for(team_);
        };
    }

    // Effects: what the threads have stored is in space_.stores.
    void take_stores() noexcept {
        if (sessions_ != nullptr) sessions_->take_stores();
    }

    // Effects: the helper goes on, unless the threads that share the heap do the rest of the cycle.
    void resume_helper() noexcept {
        if (cycle_.helped != nullptr && cycle_.helped->is_parked() && !cycle_.helped->is_abandoned()) cycle_.resume();
    }

    // Returns: the bytes of the objects from before the last collection, with what they own outside of the heap.
    [[nodiscard]] std::size_t kept_bytes() const noexcept { return live_bytes_ + external_.kept(); }

    // Returns: the work for the slots that were stored into: each leads to a distant place, unlike most other objects.
    [[nodiscard]] std::size_t work_of_stores() const noexcept {
        const std::size_t stored = space_.stores.heap_slots.size() + space_.stores.far_slots.size();
        return pacer_.promotes_all() && !cycle_.is_running ? stored / 4 : 4 * stored;
    }

    // Only a program with a callback reads the clock.
    [[nodiscard]] std::chrono::steady_clock::time_point now() const noexcept {
        return options_.on_collection ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
    }

    void report(traced_pause kind, std::chrono::steady_clock::time_point started, const cell_count& survivors,
                std::size_t work, std::chrono::nanoseconds stopping = {}) const noexcept {
        if (!options_.on_collection) return;
        const bool complete = kind == traced_pause::full || kind == traced_pause::last_step;
        options_.on_collection({complete, started, now() - started, survivors.objects, survivors.bytes, live_bytes_,
                                space_.chunks.bytes(), external_.bytes(), kind, work, stopping});
    }

    template <class Use>
    void each_mutator(Use use) const {
        for (traced_mutator* each = sessions_ == nullptr ? only_ : sessions_->first(); each != nullptr;
             each = each->next)
            use(*each);
    }

    traced_mutator* only_ = nullptr;                       // of a heap of one thread
    traced_sessions* sessions_ = nullptr;                  // of one that threads share
    std::chrono::steady_clock::time_point asked_to_stop_;  // when the sessions were
    sweeper sweeper_{blocks_};
    const traced_heap_options options_;
    marking_cycle& cycle_ = space_.cycle;
    traced_marker marker_;
    marking_team team_;
    external_memory external_;
    traced_finalizers finalizers_;
    std::size_t live_bytes_ = 0;     // of marked objects
    std::size_t due_ = 0;            // objects that a cycle beside the program should have traced by now,
    std::size_t done_ = 0;           // and that the program has traced
    heap_helper* helper_ = nullptr;  // owns it
    collection_pacer pacer_;
    running_collection running_;
    stored_edges edges_{space_.stores, blocks_, running_, marker_};
    ephemeron_marker ephemerons_{space_, running_, marker_};
    bool busy_ = false;  // collecting, in a step, or destroying all

private:
    // Fewer objects are marked sooner by one thread: others must wake, and then each mark is a locked operation.
    static constexpr std::size_t least_for_team = 65536;

    // Marking less than that takes no longer than starting threads.
    static constexpr std::size_t least_bytes_for_threads = std::size_t{8} * 1024 * 1024;

    // A helper marks what is not done in one pause.
    [[nodiscard]] static traced_heap_options with_budget(traced_heap_options options) noexcept {
        constexpr std::size_t usual = 8192;
        if (options.helper) options.pause_budget = detail::smaller(options.pause_budget, usual);
        return options;
    }

    [[nodiscard]] static bool is_marked(const void* object) noexcept {
        const traced_block& block = wide_chunks::block_of(object);
        return block.is_marked(block.index_of(object));
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
        take_stores();
        std::size_t allocating = 0;
        each_mutator([&allocating](traced_mutator& each) { allocating += each.cells.stop_runs() ? 1 : 0; });
        pacer_.set_threads(allocating);
        bool has_all = true;
        each_mutator([&has_all](traced_mutator& each) {
            has_all = each.stack.keep_objects() && each.stack.scan_words() && has_all;
        });
        if (!has_all) {
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

    // Effects: what is allocated or stored from now on belongs to the next collection.
    void forget_stores() noexcept {
        space_.stores.forget();
        blocks_.forget_use();
    }

    void mark_roots() noexcept {
        each_mutator([this](const traced_mutator& each) { mark_roots(each); });
        space_.handles.roots.each(running_.is_full || cycle_.is_new,
                                  [this](const listed_handle& root) { marker_.mark(root.object); });
        space_.handles.roots.age();
        finalizers_.each_due(0, [this](const void* object) { marker_.mark(object); });
    }

    void mark_roots(const traced_mutator& of) noexcept {
        for (const void* const object : of.stack.found()) marker_.mark(object);
        for (const held_objects* each = of.held; each != nullptr; each = each->outer) {
            for (const void* const object : each->objects) {
                if (space_.holds(object)) marker_.mark(object);
            }
        }
        held_values::mark_all(of.held_by_calls, marker_);
    }

    // Effects: marks what the traced_locals in old frames lead to, as stores into them are not remembered.
    void mark_from_frames() noexcept {
        space_.frames.each([this](const frame_record& frame) {
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
        if (running_.is_full || !pacer_.is_bounded()) return drain_in_team();
        running_.work += marker_.drain(2 * pacer_.budget());
        if (marker_.is_drained()) return;
        running_.overran = true;
        blocks_.mark_young();
        marker_.give_up();
    }

    // Effects: marks what can be reached from marked objects, together with the stopped sessions and
    // options_.mark_threads.
    void drain_in_team() noexcept {
        const bool has_threads = running_.is_full && options_.mark_threads > 1 &&
                                 space_.chunks.bytes() >= least_bytes_for_threads && running_.work == 0;
        if (sessions_ == nullptr && !has_threads) {
            running_.work += marker_.drain();
            return;
        }
        running_.work += marker_.drain_some(least_for_team);
        if (marker_.is_drained()) return;
        running_.work += marker_.drain_with(team_, has_threads ? options_.mark_threads - 1 : 0, [this] {
            if (sessions_ != nullptr) sessions_->call_for_help();
        });
        blocks_.count_marks(running_.is_full);
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
        take_stores();
        if (space_.stores.has_no_slots()) space_.chunks.trim(full ? all : 2);
        return destroyed;
    }

    // Requires: each traced_local in a frame points to an object of this heap.
    void check_frames() const noexcept {
        space_.frames.each([this](const frame_record& frame) {
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
};

}  // namespace freehold::detail
