#pragma once
// A collection of a traced heap: traced_collector::collect is the whole story, a step a line. The files it enters:
//
//   begin       cell_allocator.hpp       stops allocation; a full collection clears all marks
//               traced_roots.hpp         finds what a conservative stack refers to
//   mark        write_barrier.hpp        a young collection starts from the stores into old objects,
//               traced_roots.hpp         and any collection from roots and traced_locals
//               traced_marker.hpp        follows all pointers from there
//   clear       traced_roots.hpp         weak pointers to the rest
//               traced_marker.hpp        marks the unmarked objects with a finalizer, and all that they lead to
//               traced_roots.hpp         then clears ephemerons
//   sweep       cell_allocator.hpp       destroys the rest; a cell without a mark is free
//               chunk_table.hpp          gives empty chunks back
//   pace        collection_pacer.hpp     decides when the next one comes
//
// Marks are sticky: the marks of a collection stay for the young ones after it. These trace only the objects that have
// no mark yet, and the old objects that the write barrier remembers.

#include <cstddef>
#include <cstdint>
#include <mutex>  // brings the clock, for a tenth of what <chrono> costs
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../../core/alignment.hpp"
#include "../../core/assert.hpp"
#include "../../core/growing_buffer.hpp"
#include "../traced_heap_options.hpp"
#include "cell_allocator.hpp"
#include "collection_pacer.hpp"
#include "traced_marker.hpp"
#include "traced_roots.hpp"
#include "write_barrier.hpp"

namespace freehold::detail {

// Functions that are called once their objects can no longer be reached.
class traced_finalizers {
public:
    // Effects: run(object) will be called once. Throws: std::bad_alloc; then nothing has changed.
    void add(const void* object, callback<const void*> run) {
        const std::size_t count = due_.size() + waiting_.size() + 1;
        if (due_.capacity() < count) due_.reserve(2 * count);
        waiting_.push_back({object, std::move(run)});
    }

    // Effects: the finalizers of objects that are not reached become due: of the young ones, or of `all`.
    template <class IsReached>
    void take_due(bool all, IsReached is_reached) noexcept {
        std::size_t kept = all ? 0 : first_young_;
        for (std::size_t i = kept; i < waiting_.size(); ++i) {
            if (is_reached(waiting_[i].object)) std::swap(waiting_[kept++], waiting_[i]);
        }
        for (; waiting_.size() > kept; waiting_.pop_back()) due_.push_back(std::move(waiting_.back()));
        first_young_ = kept;
    }

    [[nodiscard]] std::size_t due() const noexcept { return due_.size(); }

    // Effects: calls use(object) for each finalizer that is due, from the given index on.
    template <class Use>
    void each_due(std::size_t first, Use use) const {
        for (std::size_t i = first; i < due_.size(); ++i) use(due_[i].object);
    }

    // Effects: runs all that are due, and those that become due meanwhile. The object is a root in `locals` while its
    // finalizer runs.
    void run_due(local_root*& locals) noexcept {
        while (!due_.empty()) {
            const finalizer next = std::move(due_.back());
            due_.pop_back();
            local_root held{next.object, locals};
            locals = &held;
            next.run(next.object);
            locals = held.older;
        }
    }

private:
    struct finalizer {
        const void* object;
        callback<const void*> run;
    };

    std::vector<finalizer> waiting_;  // of old objects first
    std::vector<finalizer> due_;      // has capacity for the waiting ones
    std::size_t first_young_ = 0;
};

class traced_collector {
    traced_space space_;  // before `cells`, which refer to it

public:
    explicit traced_collector(traced_heap_options options)
        : cells(space_.chunks, options.collect_at_every_allocation), options_(std::move(options)), pacer_(options_) {
        if (options_.conservative_stack) stack_.emplace();
    }

    traced_collector(const traced_collector&) = delete;
    traced_collector& operator=(const traced_collector&) = delete;

    // Effects: destroys all objects, and empties the handles to them.
    ~traced_collector() {
        FREEHOLD_EXPECTS(locals_ == &local_root::newest && !busy_,
                         "the heap is destroyed in a thread that did not make it, or while it collects",
                         "freehold::traced_heap");
        busy_ = true;
        do {
            empty_handles();
            cells.stop_runs();
            forget_stores();
            clear_marks();
        } while (sweep(true) != 0);  // destructors may have made other objects
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
        FREEHOLD_EXPECTS(locals_ == &local_root::newest, "the heap is used in a thread that did not make it",
                         "freehold::traced_heap");
        FREEHOLD_EXPECTS(constructing_without_exceptions == 0,
                         "a noexcept constructor of a traced object allocates in the heap", "freehold::traced_heap");
        const bool always = options_.collect_at_every_allocation;
        if (!busy_ && constructing == 0 && (always || pacer_.is_due())) {
            collect(always || pacer_.is_full_due(live_bytes_), held);
        }
        return cells.take(index, type, pacer_);
    }

    // Effects: collects, unless a constructor or destructor of an object of this heap is running; then runs finalizers.
    void collect(bool full, std::span<const void* const> held) noexcept {
        FREEHOLD_EXPECTS(locals_ == &local_root::newest, "the heap is used in a thread that did not make it",
                         "freehold::traced_heap");
        if (busy_ || constructing != 0) return;
        const auto started = now();
        if (!begin(full)) return;
        const cell_count old = cells.marked(full_);

        if (!full_) mark_from_stores();
        forget_stores();
        mark_roots(held);
        mark_reachable();

        clear_weak_handles();
        keep_for_finalizers();
        clear_ephemerons();

        const cell_count survivors = cells.marked(full_) - old;
        live_bytes_ += survivors.bytes;
        space_.watch.end(is_marked);
        sweep(full_);

        full_ ? pacer_.after_full(live_bytes_) : pacer_.after_young(survivors.bytes, live_bytes_);
        report(started, survivors);
        busy_ = false;
        run_finalizers(held);
    }

    // Effects: a full collection, after which no chunk without an object is kept. Nothing where collect() does nothing.
    void trim() noexcept {
        if (busy_ || constructing != 0) return;
        collect(true, {});
        if (space_.stores.slots.empty()) space_.chunks.trim(true, false);
    }

private:
    // The arguments of a make whose collection runs finalizers, which may collect in turn.
    struct held_objects {
        std::span<const void* const> objects;
        const held_objects* outer;
    };

    [[nodiscard]] static bool is_marked(const void* object) noexcept {
        const traced_block& block = wide_chunks::block_of(object);
        return block.is_marked(block.index_of(object));
    }

    // Effects: prepares to mark. Returns: false if out of memory for what the stack refers to, which must not be freed.
    [[nodiscard]] bool begin(bool full) noexcept {
        cells.stop_runs();
        if (stack_ && !scan_stack()) {
            pacer_.start_again();
            return false;
        }
        busy_ = true;
        full_ = full || !space_.stores.has_all_slots;
        space_.watch.begin();
        marker_.begin(space_.watch);
        if (full_) clear_marks();
        return true;
    }

    void empty_handles() noexcept {
        for (local_root* root = *locals_; root != nullptr; root = root->older) {
            if (holds(root->object)) root->object = nullptr;
        }
        space_.handles.clear();
    }

    void clear_marks() noexcept {
        cells.clear_marks();
        live_bytes_ = 0;
    }

    // Effects: notes the objects that the stack seems to refer to. Returns: false if out of memory.
    [[nodiscard]] bool scan_stack() noexcept {
        on_stack_.truncate(0);
        bool noted = true;
        stack_->each_word([this, &noted](const void* word) {
            const void* const object = space_.chunks.object_at(word);
            if (object != nullptr) noted = on_stack_.push(object) && noted;
        });
        return noted;
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
        mark_from_outside();
    }

    // Effects: traces the old objects on the card of the slot, or the one in the slot.
    void trace_stored_into(const void* slot) noexcept {
        traced_block& block = traced_chunk::block_of(slot);
        if (block.is_large()) {
            traced_block& first = traced_chunk::block_of(block.begin);
            if (std::exchange(first.retraced, young_collections_) != young_collections_ && first.is_marked(0)) {
                marker_.look_into(first, 0);
            }
            return;
        }
        const std::span<const std::byte> stored = traced_chunk::stored_into(slot);
        const std::size_t last = detail::min(block.index_of(&stored.back()), block.cells - 1);
        for (std::size_t i = block.index_of(stored.data()); i <= last; ++i) {
            if (block.is_marked(i)) marker_.look_into(block, i);
        }
    }

    // Effects: marks the objects that were stored outside of the heap; or traces all old objects that may own such a
    // slot. Tracing is more exact, as it does not keep what was removed again. But it takes longer, and stores must pay
    // for it.
    void mark_from_outside() noexcept {
        const remembered_stores& stores = space_.stores;
        constexpr std::ptrdiff_t edges_for_a_store = 4;
        outside_credit_ += edges_for_a_store * static_cast<std::ptrdiff_t>(stores.targets.size());
        if (stores.has_all_targets && outside_credit_ <= 0) {
            for (const void* const object : stores.targets) marker_.mark(object);
            return;
        }
        if (stores.has_all_targets && stores.targets.empty()) return;
        if (outside_credit_ < 0) outside_credit_ = 0;
        each_marked([](const traced_type& type) { return type.trace_outside != nullptr; },
                    [this](const traced_type& type, const void* object) {
                        outside_credit_ -= static_cast<std::ptrdiff_t>(type.trace_outside(object, marker_));
                    });
    }

    // Effects: what is allocated or stored from now on belongs to the next collection.
    void forget_stores() noexcept {
        space_.stores.forget();
        cells.forget_use();
    }

    void mark_roots(std::span<const void* const> held) noexcept {
        for (const void* const object : on_stack_) marker_.mark(object);
        for (const local_root* root = *locals_; root != nullptr; root = root->older) mark_if_here(root->object);
        for (const listed_handle* handle = space_.handles.roots; handle != nullptr; handle = handle->next()) {
            marker_.mark(handle->object);
        }
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
        do {
            marker_.drain();
            while (marker_.take_overflow()) {
                each_marked([](const traced_type& type) { return type.trace != nullptr; },
                            [this](const traced_type& type, const void* object) { type.trace(object, marker_); });
            }
        } while (mark_through_ephemerons());
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

    // Returns: whether it has marked anything.
    bool mark_through_ephemerons() noexcept {
        bool found = false;
        space_.handles.ephemerons.each(full_, [this, &found](const ephemeron_handle& each) {
            if (!is_marked(each.object) || is_marked(each.value) || !may_be_reachable(each)) return;
            marker_.mark(each.value);
            found = true;
        });
        return found;
    }

    // Returns: whether the handle is outside of the heap, or in an object that is marked.
    [[nodiscard]] bool may_be_reachable(const listed_handle& handle) const noexcept {
        return space_.chunks.find(wide_chunks::head_of(&handle)) == nullptr || is_marked(&handle);
    }

    void clear_weak_handles() noexcept {
        space_.handles.weak.clear_unless(full_, [](const listed_handle& each) { return is_marked(each.object); });
    }

    // Effects: marks the objects to be finalized, and all that can be reached from them.
    void keep_for_finalizers() noexcept {
        const std::size_t before = finalizers_.due();
        finalizers_.take_due(full_, is_marked);
        finalizers_.each_due(before, [this](const void* object) { marker_.mark(object); });
        mark_reachable();
    }

    void clear_ephemerons() noexcept {
        space_.handles.ephemerons.clear_unless(
            full_, [](const ephemeron_handle& each) { return is_marked(each.object) && is_marked(each.value); });
    }

    // Effects: destroys the objects that are not marked. Returns: their number.
    std::size_t sweep(bool full) noexcept {
        const std::size_t destroyed = cells.sweep(full);
        // Unless a destructor's store has marked a card in an empty chunk.
        if (space_.stores.slots.empty()) space_.chunks.trim(full);
        return destroyed;
    }

    // Only a program with a callback reads the clock.
    [[nodiscard]] std::chrono::steady_clock::time_point now() const noexcept {
        return options_.on_collection ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
    }

    void report(std::chrono::steady_clock::time_point started, const cell_count& survivors) const noexcept {
        if (!options_.on_collection) return;
        options_.on_collection(
            {full_, started, now() - started, survivors.objects, survivors.bytes, live_bytes_, heap_bytes()});
    }

    // Effects: runs the finalizers that are due. What they allocate may collect.
    void run_finalizers(std::span<const void* const> held) noexcept {
        if (finalizers_.due() == 0) return;
        const held_objects waiting{held, held_};
        held_ = &waiting;
        finalizers_.run_due(*locals_);
        held_ = waiting.outer;
    }

    const traced_heap_options options_;
    local_root** const locals_ = &local_root::newest;  // of the thread that the heap belongs to
    std::optional<const thread_stack> stack_;          // if it is conservative
    growing_list<const void*> on_stack_;               // the objects that it seemed to refer to in the last collection
    traced_marker marker_;
    traced_finalizers finalizers_;
    const held_objects* held_ = nullptr;
    std::size_t live_bytes_ = 0;  // of marked objects
    collection_pacer pacer_;
    std::ptrdiff_t outside_credit_ = 0;  // the number of edges that mark_from_outside may look at
    std::uint32_t young_collections_ = 0;
    bool full_ = false;  // the running collection
    bool busy_ = false;  // collecting, or destroying all
};

}  // namespace freehold::detail
