#pragma once
// A collection of a traced heap: traced_collector::collect is the whole story, a step a line. The files it enters:
//
//   begin       cell_allocator.hpp       stops allocation; a full collection clears all marks
//               thread_stack.hpp         finds what a conservative stack refers to
//   mark        write_barrier.hpp        a young collection starts from the stores into old objects,
//               local_roots.hpp,         and any collection from traced_locals and roots
//               traced_roots.hpp
//               traced_marker.hpp        follows all pointers from there
//   clear       traced_roots.hpp         weak pointers to the rest
//               traced_marker.hpp        marks the unmarked objects with a finalizer, and all that they lead to
//               traced_roots.hpp         then clears ephemerons
//   sweep       cell_allocator.hpp       destroys the rest; a cell without a mark is free
//               chunk_table.hpp          gives empty chunks back
//   pace        collection_pacer.hpp     decides when the next one comes
//               external_memory.hpp      knows what objects own outside of the heap
//
// Marks are sticky: the marks of a collection stay for the young ones after it. These trace only the objects that have
// no mark yet, and the old objects that the write barrier remembers.
//
// A full collection of more objects than options.pause_budget is a cycle (marking_cycle.hpp): `step` goes on with it
// whenever a run of cells is handed out, and a young collection ends it.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>  // brings the clock, for a tenth of what <chrono> costs
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../../core/alignment.hpp"
#include "../../core/assert.hpp"
#include "../../core/exceptions.hpp"
#include "../../core/growing_buffer.hpp"
#include "../traced_heap_options.hpp"
#include "cell_allocator.hpp"
#include "collection_pacer.hpp"
#include "external_memory.hpp"
#include "local_roots.hpp"
#include "thread_stack.hpp"
#include "traced_finalizers.hpp"
#include "traced_marker.hpp"
#include "traced_roots.hpp"
#include "waiting_ephemerons.hpp"
#include "write_barrier.hpp"

namespace freehold::detail {

class traced_inspector;

class traced_collector {
    traced_space space_;  // before `cells`, which refer to it

public:
    explicit traced_collector(traced_heap_options options)
        : cells(space_.chunks, options.collect_at_every_allocation), options_(std::move(options)), pacer_(options_) {
        find_stack();
    }

    traced_collector(const traced_collector&) = delete;
    traced_collector& operator=(const traced_collector&) = delete;

    // Effects: destroys all objects, and empties the handles to them.
    ~traced_collector() {
        expect_not_elsewhere();
        FREEHOLD_EXPECTS(!busy_, "the heap is destroyed while it collects", "freehold::traced_heap");
        if (thread_ == nullptr) attach_space();
        busy_ = true;
        cycle_.stop();
        do {
            cells.stop_runs();
            empty_handles();
            forget_stores();
            clear_marks();
        } while (sweep(true) != 0);  // destructors may have made other objects
    }

    // Effects: the heap is the calling thread's, until detach(). Requires: it is no thread's.
    // Throws: std::bad_alloc if the stack is conservative, and the system does not know it; then nothing has changed.
    void attach() {
        FREEHOLD_EXPECTS(thread_ == nullptr, "the heap is attached to a thread already, which must call detach() first",
                         "freehold::traced_heap");
        find_stack();
        attach_space();
    }

    // Effects: the heap is no thread's.
    void detach() noexcept {
        expect_attached();
        FREEHOLD_EXPECTS(!busy_ && constructing + constructing_without_exceptions == 0 && held_ == nullptr,
                         "the heap is detached while it collects, or during a constructor, destructor or finalizer of "
                         "one of its objects, or a deferral",
                         "freehold::traced_heap");
        FREEHOLD_EXPECTS(has_no_locals(),
                         "the heap is detached while a traced_local of this thread refers to one of its objects; let "
                         "its scope end first, and hold a traced_root",
                         "freehold::traced_heap");
        space_.detach();
        thread_ = nullptr;
    }

    // Requires: the heap is attached to the calling thread.
    void expect_attached() const noexcept {
        FREEHOLD_EXPECTS(is_attached_here(),
                         "the heap is used in a thread that it is not attached to: the thread that has it calls "
                         "detach(), then this one attach()",
                         "freehold::traced_heap");
    }

    // Requires: the heap is not attached to another thread.
    void expect_not_elsewhere() const noexcept {
        FREEHOLD_EXPECTS(thread_ == nullptr || is_attached_here(),
                         "the heap is destroyed or asked for its size while it is attached to another thread",
                         "freehold::traced_heap");
    }

    // Used by traced_heap::make.
    cell_allocator cells;
    std::size_t constructing = 0;                     // running constructors that may throw, and so may allocate
    std::size_t constructing_without_exceptions = 0;  // running noexcept constructors

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
        if (!busy_ && constructing == 0) {
            if (owners != nullptr) external_.ask(*owners, type);
            if (options_.collect_at_every_allocation) {
                collect(true, held);
            } else if (is_due()) {
                collect(choose_full_or_begin_cycle(), pacer_.promotes_all(), held);
            } else if (has_steps()) {
                step(cycle_.is_running ? pacer_.objects_to_trace() : pacer_.objects_to_sweep());
            }
            if (is_beyond_limit()) collect(true, held);
        }
        if (is_beyond_limit()) raise<std::bad_alloc>();
        space_.chunks.max_bytes = options_.limit_bytes - external_.bytes();
        std::size_t max_run = owners != nullptr ? owners->next_run() : all;
        if (cycle_.is_running) {
            max_run = detail::min(max_run, detail::max(pacer_.bytes_until_step() / type.cell_bytes, 1));
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

    // Effects: collects, unless a constructor or destructor of an object of this heap is running; then runs finalizers.
    void collect(bool full, std::span<const void* const> held) noexcept { collect(full, false, held); }

    // Effects: a full collection in steps begins. Young collections and steps go on with it. Nothing while a
    // constructor or destructor of an object of this heap is running, or a cycle.
    void begin_cycle() noexcept {
        if (busy_ || constructing != 0 || cycle_.is_running) return;
        busy_ = true;
        cells.sweep_some(all);
        busy_ = false;
        external_.reached.clear();
        cycle_.is_running = cycle_.is_new = true;
    }

    // Effects: a step of the cycle in progress, or of the sweep after one: traces, or destroys, at most about so many
    // objects. Nothing while a constructor or destructor of an object of this heap is running.
    void step(std::size_t objects) noexcept {
        if (busy_ || constructing != 0) return;
        const auto started = now();
        busy_ = true;
        std::size_t work = 0;
        if (cycle_.is_running) {
            marker_.begin(space_.watch, cycle_, external_);
            work = marker_.step(objects);
        } else {
            work = cells.sweep_some(objects);
        }
        busy_ = false;
        report(cycle_.is_running ? traced_pause::mark_step : traced_pause::sweep_step, started, {}, work);
    }

    // Returns: whether a cycle or its sweep is in progress.
    [[nodiscard]] bool has_steps() const noexcept { return cycle_.is_running || cells.is_sweeping(); }

    // Effects: a full collection, after which no chunk without an object is kept. Nothing where collect() does nothing.
    void trim() noexcept {
        if (busy_ || constructing != 0) return;
        collect(true, {});
        if (space_.stores.has_no_slots()) space_.chunks.trim(all, false);
    }

private:
    friend traced_inspector;

    static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

    [[nodiscard]] bool is_attached_here() const noexcept { return thread_ == &local_roots::here; }

    void attach_space() noexcept {
        space_.attach();
        thread_ = &local_roots::here;
    }

    void find_stack() {
        if (options_.conservative_stack) stack_.emplace();
    }

    // Returns: whether no traced_local of the thread refers to an object.
    [[nodiscard]] bool has_no_locals() const noexcept {
        bool has_none = true;
        thread_->each([&](const local_root& root) { has_none = has_none && !space_.contains(root.get()); });
        return has_none;
    }

    // Marking less than that takes no longer than starting threads.
    static constexpr std::size_t least_bytes_for_threads = std::size_t{8} * 1024 * 1024;

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
            if (busy_ || constructing != 0) throw;
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

    // Effects: as the public one. A young collection that `promotes` keeps all young objects. It looks only for edges
    // to objects that a cycle has not reached.
    void collect(bool full, bool promotes, std::span<const void* const> held) noexcept {
        if (busy_ || constructing != 0) return;
        const auto started = now();
        if (!begin(full)) return;
        const cell_count old = cells.marked(full_);
        external_.begin(full_);
        work_ = full_ ? 0 : work_of_stores();

        promotes_ = promotes && !full_;
        overran_ = false;
        if (promotes_) cells.mark_young();

        if (!promotes_ || cycle_.is_running) {
            if (!full_ && !(promotes_ && cycle_.is_new)) mark_from_stores();
            mark_roots(held);
            mark_reachable();
        }
        if (cycle_.is_running) mark_rest_of_cycle();

        clear_weak_handles();
        keep_for_finalizers();
        clear_ephemerons();

        cell_count survivors = cells.marked(full_) - old;
        if (ends_cycle_) {
            survivors = cells.adopt_reached();
            live_bytes_ = 0;
            cycle_.stop();
            external_.end_cycle();
        }
        live_bytes_ += survivors.bytes;
        external_.end(is_complete(), promotes_ || overran_, is_marked);
        space_.watch.end(is_marked);
        forget_stores();
        work_ += sweep(full_);

        is_complete() ? pacer_.after_full(kept_bytes())
        : overran_ ? pacer_.after_overrun()
        : promotes_   ? pacer_.after_promotion()
                      : pacer_.after_young(survivors.bytes, kept_bytes(), work_);
        report(full_         ? traced_pause::full
               : ends_cycle_ ? traced_pause::last_step
                             : traced_pause::young,
               started, survivors, work_);
        busy_ = ends_cycle_ = cycle_.is_new = false;
        run_finalizers(held);
    }

    [[nodiscard]] static bool is_marked(const void* object) noexcept {
        const traced_block& block = wide_chunks::block_of(object);
        return block.is_marked(block.index_of(object));
    }

    // Returns: whether a collection is due. Remembered stores are work for it as well.
    [[nodiscard]] bool is_due() const noexcept {
        if (pacer_.is_due(external_.gained())) return true;
        if (cycle_.is_running ? cycle_.gray.empty() || is_cycle_overdue() : pacer_.is_overdue(kept_bytes()))
            return true;
        return work_of_stores() + space_.stores.targets.size() >= pacer_.budget();
    }

    [[nodiscard]] bool is_cycle_overdue() const noexcept { return pacer_.is_cycle_overdue(kept_bytes()); }

    // Returns: the work for the slots that were stored into: each leads to a distant place, unlike most other objects.
    [[nodiscard]] std::size_t work_of_stores() const noexcept {
        const std::size_t slots = space_.stores.slots.size() + space_.stores.far_slots.size();
        return pacer_.promotes_all() && !cycle_.is_running ? slots / 4 : 4 * slots;
    }

    // Returns: whether the collection that is due is a full one. Effects: begins a cycle instead, if that is better.
    [[nodiscard]] bool choose_full_or_begin_cycle() noexcept {
        if (!pacer_.is_bounded()) return pacer_.is_full_due(kept_bytes());
        if (cycle_.is_running) return is_cycle_overdue();
        if (!pacer_.is_cycle_due(kept_bytes())) return false;
        if (!can_be_a_cycle()) return pacer_.is_full_due(kept_bytes());
        begin_cycle();
        return false;
    }

    // Returns: whether the next full collection exceeds the budget, and a cycle's last pause would be much shorter.
    // That pause traces all objects again that own pointers outside of the heap: a buffer is moved from one container
    // to another without a store of a traced_ptr.
    [[nodiscard]] bool can_be_a_cycle() noexcept {
        cell_count old;
        std::size_t with_buffers = 0;
        cells.each_block([&](const traced_block& block) {
            old += {block.marked, 0};
            if (block.type->trace_outside != nullptr) with_buffers += block.marked;
        });
        pacer_.begin_cycle(old.objects, live_bytes_);
        return old.objects > pacer_.budget() && with_buffers <= old.objects / 4;
    }

    // Returns: whether the running collection looks at old objects too.
    [[nodiscard]] bool is_complete() const noexcept { return full_ || ends_cycle_; }

    // Returns: whether the object lives on, as far as the running collection has marked.
    [[nodiscard]] bool is_kept(const void* object) const noexcept {
        const traced_block& block = wide_chunks::block_of(object);
        const std::size_t index = block.index_of(object);
        return ends_cycle_ ? block.is_reached(index) : block.is_marked(index);
    }

    // Effects: goes on with the cycle within the budget. If no gray objects are left, this collection ends the cycle.
    void mark_rest_of_cycle() noexcept {
        work_ += marker_.trace_gray(work_ < pacer_.budget() ? pacer_.budget() - work_ : 1);
        if (cycle_.overflowed || !cycle_.gray.empty()) return;
        ends_cycle_ = true;
        cells.each_block([this](const traced_block& block) {
            if (block.type->trace_outside == nullptr) return;
            for (std::size_t i = 0; i < block.cells; ++i) {
                if (!block.is_reached(i)) continue;
                marker_.look_into(block, i);
                ++work_;
            }
        });
        mark_reachable();
    }

    // Effects: prepares to mark. Returns: false if out of memory for what the stack refers to, which must not be freed.
    [[nodiscard]] bool begin(bool full) noexcept {
        cells.stop_runs();
        if (!scan_locals() || (stack_ && !scan_stack())) {
            pacer_.start_again();
            return false;
        }
        busy_ = true;
        full_ = full || !space_.stores.has_all_slots || cycle_.overflowed;
        if (full_ && cycle_.is_running) {
            cells.clear_reached();
            cycle_.stop();
        }
        space_.watch.begin();
        marker_.begin(space_.watch, cycle_, external_);
        if (full_) clear_marks();
        return true;
    }

    void empty_handles() noexcept {
        thread_->each([this](local_root& root) {
            if (space_.chunks.object_at(root.get()) != nullptr) root.set(nullptr);
        });
        space_.handles.clear();
    }

    void clear_marks() noexcept {
        cells.clear_marks();
        live_bytes_ = 0;
    }

    // Effects: notes the objects that traced_locals refer to. What looks like one may be left over on the stack, with
    // another word behind it. Returns: false if out of memory. Requires, here and below: no run is in use, and marks
    // are not cleared yet.
    [[nodiscard]] bool scan_locals() noexcept {
        on_stack_.truncate(0);
        bool noted = true;
        thread_->each([&](const local_root& root) { noted = note(root.get()) && noted; });
        return noted;
    }

    // Effects: notes the objects that a conservative stack seems to refer to. Returns: false if out of memory.
    [[nodiscard]] bool scan_stack() noexcept {
        bool noted = true;
        stack_->each_word([&](const void* word) { noted = note(word) && noted; });
        return noted;
    }

    [[nodiscard]] bool note(const void* address) noexcept {
        const void* const object = space_.chunks.object_at(address);
        return object == nullptr || on_stack_.push(object);
    }

    // Effects: traces the old objects that may point to young ones: those on the cards that the write barrier has
    // listed, and those with slots outside of the heap.
    void mark_from_stores() noexcept {
        ++young_collections_;
        const growing_list<const void*>& slots = space_.stores.slots;
        constexpr std::size_t ahead = 8;
        for (std::size_t i = 0; i < slots.size(); ++i) {
            if (i + ahead < slots.size()) traced_chunk::fetch(slots.begin()[i + ahead]);
            trace_stored_into(slots.begin()[i]);
        }
        for (const void* const slot : space_.stores.far_slots) trace_stored_into_far(slot);
        mark_from_outside();
    }

    // Effects: traces the old objects on the card of the slot, or the one in the slot.
    void trace_stored_into(const void* slot) noexcept {
        traced_block& block = traced_chunk::block_of(slot);
        const auto stored = traced_chunk::stored_into(traced_chunk::at(slot)->card_of(slot), slot);
        if (block.is_large()) {
            traced_block& first = traced_chunk::block_of(block.begin);
            if (!first.is_marked(0)) return;  // it may be gone, with the type of an array
            if (block.type->trace_part != nullptr) {
                marker_.look_into(first, 0, stored);
            } else if (std::exchange(first.retraced, young_collections_) != young_collections_) {
                marker_.look_into(first, 0);
            }
            return;
        }
        const std::size_t last = detail::min(block.index_of(&stored.back()), block.cells - 1);
        for (std::size_t i = block.index_of(stored.data()); i <= last; ++i) {
            if (promotes_ ? block.is_reached(i) : block.is_marked(i)) marker_.look_into(block, i, stored);
        }
    }

    // Effects: the same for a slot after the first 4 MiB of an array.
    void trace_stored_into_far(const void* slot) noexcept {
        const traced_block& block = wide_chunks::block_of(slot);
        const std::uint8_t card = *wide_chunks::chunk_of(slot).far_card_of(slot);
        if (block.is_marked(0)) marker_.look_into(block, 0, traced_chunk::stored_into(card, slot));
    }

    // Effects: marks the objects that were stored outside of the heap; or traces all old objects that may own such a
    // slot. Tracing is more exact, as it does not keep what was removed again. But it takes longer, and stores must pay
    // for it.
    void mark_from_outside() noexcept {
        const remembered_set& stores = space_.stores;
        constexpr std::ptrdiff_t edges_for_a_store = 4;
        outside_credit_ += edges_for_a_store * static_cast<std::ptrdiff_t>(stores.targets.size());
        const bool is_affordable = last_outside_edges_ <= static_cast<std::ptrdiff_t>(pacer_.budget());
        if (stores.has_all_targets && (outside_credit_ <= 0 || !is_affordable || promotes_)) {
            for (const void* const object : stores.targets) marker_.mark(object);
            return;
        }
        if (stores.has_all_targets && stores.targets.empty()) return;
        if (outside_credit_ < 0) outside_credit_ = 0;
        last_outside_edges_ = 0;
        each_marked([](const traced_type& type) { return type.trace_outside != nullptr; },
                    [this](const traced_type& type, const void* object) {
                        last_outside_edges_ += static_cast<std::ptrdiff_t>(type.trace_outside(object, marker_));
                    });
        outside_credit_ -= last_outside_edges_;
    }

    // Effects: what is allocated or stored from now on belongs to the next collection.
    void forget_stores() noexcept {
        space_.stores.forget();
        cells.forget_use();
    }

    void mark_roots(std::span<const void* const> held) noexcept {
        for (const void* const object : on_stack_) marker_.mark(object);
        space_.handles.roots.each(full_ || cycle_.is_new,
                                  [this](const listed_handle& root) { marker_.mark(root.object); });
        space_.handles.roots.age();
        for (const void* const object : held) mark_if_here(object);
        for (const held_objects* each = held_; each != nullptr; each = each->outer) {
            for (const void* const object : each->objects) mark_if_here(object);
        }
        finalizers_.each_due(0, [this](const void* object) { marker_.mark(object); });
    }

    void mark_if_here(const void* object) noexcept {
        if (holds(object)) marker_.mark(object);
    }

    // Effects: marks all that can be reached from marked objects, through ephemerons too.
    void mark_reachable() noexcept {
        drain_all();
        std::size_t waiting = 0;
        while (mark_through_ephemerons(waiting)) {
            if (waiting != 0 && waiting_.reserve(waiting)) drain_with_ephemerons();
            drain_all();
        }
    }

    void drain_all() noexcept {
        drain();
        if (ends_cycle_) work_ += marker_.trace_gray(all);
        while (marker_.take_overflow()) {
            each_marked([](const traced_type& type) { return type.trace != nullptr; },
                        [this](const traced_type& type, const void* object) { marker_.look_into(type, object); });
        }
    }

    // Effects: marks what can be reached from marked objects. If that is too much for a young collection, it keeps all
    // young objects instead.
    void drain() noexcept {
        if (full_ && options_.mark_threads > 1 && heap_bytes() >= least_bytes_for_threads && work_ == 0) {
            work_ += marker_.drain_with(options_.mark_threads - 1);
            cells.count_marks();
            return;
        }
        if (full_ || !pacer_.is_bounded()) {
            work_ += marker_.drain();
            return;
        }
        work_ += marker_.drain(2 * pacer_.budget());
        if (marker_.is_drained()) return;
        overran_ = true;
        cells.mark_young();
        marker_.give_up();
    }

    // Effects: calls look_into(type, object) for every marked object of the wanted types, and marks what can be reached
    // from there.
    template <class IsWanted, class LookInto>
    void each_marked(IsWanted is_wanted, LookInto look_into) noexcept {
        cells.each_block([&](const traced_block& block) {
            if (!is_wanted(*block.type)) return;
            for (std::size_t i = 0; i < block.cells; ++i) {
                if (!block.is_marked(i)) continue;
                look_into(*block.type, block.cell(i));
                marker_.drain();
            }
        });
    }

    // Returns: whether it has marked anything. Effects: sets the number of ephemerons whose value is not marked.
    bool mark_through_ephemerons(std::size_t& waiting) noexcept {
        bool found = false;
        waiting = 0;
        space_.handles.ephemerons.each(is_complete(), [&](const ephemeron_handle& each) {
            if (is_kept(each.value)) return;
            if (awaited_by(each) != nullptr) {
                ++waiting;
                return;
            }
            marker_.mark(each.value);
            found = true;
        });
        return found;
    }

    // Effects: marks what can be reached from marked objects, except if the marker is out of memory. Each newly marked
    // object is looked up among those that ephemerons wait for. Requires: there is memory for these.
    void drain_with_ephemerons() noexcept {
        const auto mark_or_wait = [this](const ephemeron_handle& each) {
            const void* const awaited = awaited_by(each);
            awaited != nullptr ? waiting_.add(awaited, each) : marker_.mark(each.value);
        };
        space_.handles.ephemerons.each(is_complete(), [&](const ephemeron_handle& each) {
            if (!is_kept(each.value)) mark_or_wait(each);
        });
        marker_.drain_all(ends_cycle_, [&](const void* object) { waiting_.each(object, mark_or_wait); });
        waiting_.clear();
    }

    // Returns: an unmarked object without which the ephemeron does not keep its value alive; null if there is none.
    [[nodiscard]] const void* awaited_by(const ephemeron_handle& each) const noexcept {
        if (!is_kept(each.object)) return each.object;
        return may_be_reachable(each) ? nullptr : &each;
    }

    // Returns: whether the handle is outside of the heap, or in an object that is marked.
    [[nodiscard]] bool may_be_reachable(const listed_handle& handle) const noexcept {
        return space_.chunks.find(wide_chunks::head_of(&handle)) == nullptr || is_kept(&handle);
    }

    void clear_weak_handles() noexcept {
        space_.handles.weak.clear_unless(is_complete(),
                                         [this](const listed_handle& each) { return is_kept(each.object); });
    }

    // Effects: marks the objects to be finalized, and all that can be reached from them.
    void keep_for_finalizers() noexcept {
        const std::size_t before = finalizers_.due();
        finalizers_.take_due(is_complete(), [this](const void* object) { return is_kept(object); });
        finalizers_.each_due(before, [this](const void* object) { marker_.mark(object); });
        mark_reachable();
    }

    void clear_ephemerons() noexcept {
        space_.handles.ephemerons.clear_unless(is_complete(), [this](const ephemeron_handle& each) {
            return is_kept(each.object) && is_kept(each.value);
        });
    }

    // Effects: destroys the objects that are not marked. Returns: their number.
    std::size_t sweep(bool full) noexcept {
        const std::size_t destroyed = cells.sweep(full);
        // Unless a destructor's store has marked a card in an empty chunk.
        if (space_.stores.has_no_slots()) space_.chunks.trim(full ? all : 2);
        return destroyed;
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
        finalizers_.run_due();
        held_ = waiting.outer;
    }

    const traced_heap_options options_;
    local_roots* thread_ = &local_roots::here;  // that the heap is attached to; null if it is detached
    std::optional<const thread_stack> stack_;   // of that thread, if it is conservative
    growing_list<const void*> on_stack_;        // the objects that it referred to in the last collection
    marking_cycle& cycle_ = space_.stores.cycle;
    traced_marker marker_;
    external_memory external_;
    traced_finalizers finalizers_;
    waiting_ephemerons waiting_;  // while ephemerons are processed
    const held_objects* held_ = nullptr;
    std::size_t live_bytes_ = 0;  // of marked objects
    collection_pacer pacer_;
    std::ptrdiff_t outside_credit_ = 0;      // the number of edges that mark_from_outside may look at
    std::ptrdiff_t last_outside_edges_ = 0;  // the number that it looked at the last time
    std::uint32_t young_collections_ = 0;
    std::size_t work_ = 0;     // the objects that the running collection has traced or destroyed
    bool full_ = false;        // the running collection
    bool promotes_ = false;    // the running collection, which is a young one
    bool overran_ = false;     // twice the budget: the running collection, which is a young one
    bool ends_cycle_ = false;  // the running collection, which is a young one
    bool busy_ = false;        // collecting, in a step, or destroying all
};

}  // namespace freehold::detail
