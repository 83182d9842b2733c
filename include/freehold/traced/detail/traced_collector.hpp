#pragma once
// How a traced heap collects. Marks are sticky: those of a full collection stay for the young ones after it, which look
// only into what has none yet, and into the old objects on cards that were stored into. There is no sweep but for
// destructors: a cell without a mark is free.

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "../../core/assert.hpp"
#include "../traced_heap_options.hpp"
#include "collection_pacer.hpp"
#include "ephemeron_handle.hpp"
#include "thread_stack.hpp"
#include "traced_finalizers.hpp"
#include "traced_marker.hpp"
#include "traced_roots.hpp"
#include "traced_sweeper.hpp"

namespace freehold::detail {

class traced_collector : public traced_sweeper {
public:
    explicit traced_collector(traced_heap_options options)
        : traced_sweeper(options.collect_at_every_allocation), options_(std::move(options)), pacer_(options_) {
        if (options_.conservative_stack) stack_.emplace();
    }

    // Effects: destroys all that is in the heap, and empties the handles that lead there.
    ~traced_collector() {
        FREEHOLD_EXPECTS(roots_ == &local_root::newest && !busy_,
                         "the heap is destroyed in a thread that did not make it, or while it collects",
                         "freehold::traced_heap");
        busy_ = true;
        do {
            empty_handles();
            stop_runs();
            forget_stores();
            forget_use();
            forget_marks();
        } while (sweep(true) != 0);  // destructors may have made other objects
    }

    // Returns: whether the object is in this heap. Requires: null, or it is in some heap.
    [[nodiscard]] bool holds(const void* object) const noexcept { return object != nullptr && &of(object) == this; }

    // Returns: a cell for an object of the type. Effects: may collect; `held` survives that.
    // Throws: std::bad_alloc.
    [[nodiscard]] void* take_slowly(std::size_t index, const traced_type& type, std::span<const void* const> held) {
        FREEHOLD_EXPECTS(roots_ == &local_root::newest, "the heap is used in a thread that did not make it",
                         "freehold::traced_heap");
        FREEHOLD_EXPECTS(constructing_without_exceptions_ == 0,
                         "a noexcept constructor of a traced object allocates in the heap", "freehold::traced_heap");
        if (!busy_ && constructing_ == 0) {
            if (options_.collect_at_every_allocation || pacer_.is_due()) {
                collect(options_.collect_at_every_allocation || pacer_.is_full_due(live_bytes_), held);
            }
        }
        if (type.cell_bytes > traced_chunk::largest_cell) {
            std::byte* const object = add_large(type);
            if (is_memcheck()) tell_allocated(object, type.cell_bytes);
            pacer_.count_young(type.cell_bytes);
            return object;
        }
        if (lanes_.size() <= index) {
            if (run_room_ <= index) reserve_runs(index);
            lanes_.resize(index + 1);
        }
        traced_lane& lane = lanes_[index];
        lane.type = &type;
        traced_run& run = runs_[index];
        pacer_.count_young(std::exchange(lane.run_bytes, 0));
        if (!find_run(lane, run)) {
            add_block(lane);
            static_cast<void>(find_run(lane, run));
        }
        if (keeps_freed()) {
            traced_block& block = traced_chunk::block_of(run.begin);
            block.taken_end = static_cast<std::uint32_t>(lane.cell = block.index_of(run.begin) + 1);
            run.end = run.begin + type.cell_bytes;
        }
        lane.run_bytes = static_cast<std::size_t>(run.end - run.begin);
        if (is_memcheck()) tell_allocated(run.begin, lane.run_bytes);
        return std::exchange(run.begin, run.begin + type.cell_bytes);
    }

    // Effects: collects, unless a constructor or destructor of an object of this heap is running; then runs finalizers.
    void collect(bool full, std::span<const void* const> held) noexcept {
        FREEHOLD_EXPECTS(roots_ == &local_root::newest, "the heap is used in a thread that did not make it",
                         "freehold::traced_heap");
        if (busy_ || constructing_ != 0) return;
        busy_ = true;
        full = full_ = full || !remembers_stores_;
        const auto started = now();
        stop_runs();
        if (stack_ && !look_at_stack()) {
            // There is no memory to note what is found, and without that no collection.
            pacer_.start_again();
            busy_ = false;
            return;
        }
        watch_.begin();
        marker_.begin(watch_);
        if (full) forget_marks();
        const survivors before = marked_in(used_);
        if (!full) mark_remembered();
        forget_stores();
        forget_use();
        mark_roots(held);
        drain();
        clear_weak(full);
        const bool due = take_due_finalizers(full);
        clear_ephemerons(full);
        watch_.end(is_marked);
        const survivors found = (full ? all_marked() : marked_in(used_)) - before;
        live_bytes_ += found.bytes;
        static_cast<void>(sweep(full));
        full ? pacer_.after_full(live_bytes_) : pacer_.after_young(found.bytes, live_bytes_);
        if (options_.observer) {
            options_.observer({full, started, now() - started, found.objects, found.bytes, live_bytes_, heap_bytes_});
        }
        busy_ = false;
        if (!due) return;
        // What the finalizers allocate may collect in turn.
        const held_objects waiting{held, held_};
        held_ = &waiting;
        finalizers_.run_due(*roots_);
        held_ = waiting.outer;
    }

    // Effects: run(object) will be called once, when the object can no longer be reached.
    void add_finalizer(const void* object, std::function<void(const void*)> run) {
        finalizers_.add(object, std::move(run));
    }

    [[nodiscard]] std::size_t live_bytes() const noexcept { return live_bytes_; }
    [[nodiscard]] std::size_t heap_bytes() const noexcept { return heap_bytes_; }

    // The runs of the types, by their index.
    traced_run* runs_ = nullptr;
    std::size_t run_room_ = 0;

    // How many constructors are running: of those that may allocate, and of those that say they throw nothing.
    std::size_t constructing_ = 0;
    std::size_t constructing_without_exceptions_ = 0;

private:
    // What the objects are made of for which a collection runs finalizers.
    struct held_objects {
        std::span<const void* const> objects;
        const held_objects* outer;
    };

    struct survivors {
        std::size_t objects = 0;
        std::size_t bytes = 0;

        survivors& operator+=(const survivors& other) noexcept {
            objects += other.objects;
            bytes += other.bytes;
            return *this;
        }

        survivors operator-(const survivors& other) const noexcept {
            return {objects - other.objects, bytes - other.bytes};
        }
    };

    [[nodiscard]] std::chrono::steady_clock::time_point now() const noexcept {
        return options_.observer ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
    }

    void reserve_runs(std::size_t index) {
        std::vector<traced_run> larger(std::bit_ceil(index + 1));
        std::ranges::copy(run_memory_, larger.begin());
        run_memory_ = std::move(larger);
        runs_ = run_memory_.data();
        run_room_ = run_memory_.size();
    }

    // Effects: no run of cells is being handed out.
    void stop_runs() noexcept {
        for (const traced_run& run : run_memory_) {
            if (run.begin == run.end) continue;
            traced_block& block = traced_chunk::block_of(run.begin);
            block.taken_end = static_cast<std::uint32_t>(block.index_of(run.begin));
        }
        std::ranges::fill(run_memory_, traced_run());
        for (traced_lane& lane : lanes_) lane.run_bytes = 0;
    }

    // Effects: empties all handles that lead into the heap.
    void empty_handles() noexcept {
        for (local_root* root = *roots_; root != nullptr; root = root->older) {
            if (holds(root->object)) root->object = nullptr;
        }
        for (listed_handle** const list : {&persistent_handles, &young_weak_handles, &old_weak_handles}) {
            while (*list != nullptr) empty(**list);
        }
        for (listed_handle** const list : {&young_ephemerons, &old_ephemerons}) {
            while (*list != nullptr) static_cast<ephemeron_handle*>(*list)->clear();
        }
    }

    // Effects: every object is as good as young.
    void forget_marks() noexcept {
        for (traced_lane& lane : lanes_) {
            for (traced_block* const block : lane.blocks) block->unmark_all();
            lane.open = 0;
        }
        for (traced_block* const block : large_) block->unmark_all();
        live_bytes_ = 0;
    }

    // Returns: what is marked in the blocks. Young objects are nowhere else than in those that were used.
    [[nodiscard]] static survivors marked_in(const std::vector<traced_block*>& blocks) noexcept {
        survivors found;
        for (const traced_block* const block : blocks) {
            found.objects += block->marked;
            found.bytes += block->marked * block->type->cell_bytes;
        }
        return found;
    }

    [[nodiscard]] survivors all_marked() const noexcept {
        survivors found = marked_in(large_);
        for (const traced_lane& lane : lanes_) found += marked_in(lane.blocks);
        return found;
    }

    // Effects: looks into the old objects that may have been given younger ones.
    void mark_remembered() {
        ++young_collections_;
        constexpr std::size_t ahead = 8;
        for (std::size_t i = 0; i < stored_.size(); ++i) {
            if (i + ahead < stored_.size()) traced_chunk::fetch(stored_[i + ahead]);
            look_into_stored(stored_[i]);
        }
        look_outside();
    }

    // Effects: marks what was stored outside of the heap, or looks for it in all old objects that may hold it. That is
    // better, as it does not keep what was taken out again; but it has to be paid for by stores.
    void look_outside() {
        constexpr std::ptrdiff_t edges_for_a_store = 4;
        outside_credit_ += edges_for_a_store * static_cast<std::ptrdiff_t>(stored_outside_.size());
        if (remembers_outside_ && outside_credit_ <= 0) {
            for (const void* const object : stored_outside_) marker_.mark(object);
            return;
        }
        if (remembers_outside_ && stored_outside_.empty()) return;
        outside_credit_ = std::max<std::ptrdiff_t>(0, outside_credit_);
        each_marked([](const traced_type& type) { return type.trace_outside != nullptr; },
                    [this](const traced_type& type, const void* object) {
                        outside_credit_ -= static_cast<std::ptrdiff_t>(type.trace_outside(object, marker_));
                    });
    }

    // Effects: looks into the old objects that the card of the slot tells of.
    void look_into_stored(const void* slot) {
        traced_block& block = traced_chunk::block_of(slot);
        if (block.is_large()) {
            traced_block& first = traced_chunk::block_of(block.begin);
            if (std::exchange(first.retraced, young_collections_) != young_collections_ && first.is_marked(0)) {
                marker_.look_into(first, 0);
            }
            return;
        }
        const std::span<const std::byte> stored = traced_chunk::stored_into(slot);
        const std::size_t last = std::min<std::size_t>(block.index_of(&stored.back()), block.cells - 1);
        for (std::size_t i = block.index_of(stored.data()); i <= last; ++i) {
            if (block.is_marked(i)) marker_.look_into(block, i);
        }
    }

    // Effects: notes what the stack seems to refer to. Returns: whether it could.
    [[nodiscard]] bool look_at_stack() noexcept {
        on_stack_.truncate(0);
        bool noted = true;
        stack_->each_word([this, &noted](const void* word) {
            const void* const object = object_at(word);
            if (object != nullptr) noted = on_stack_.push(object) && noted;
        });
        return noted;
    }

    void mark_roots(std::span<const void* const> held) noexcept {
        for (const void* const object : on_stack_) marker_.mark(object);
        for (const local_root* root = *roots_; root != nullptr; root = root->older) {
            if (holds(root->object)) marker_.mark(root->object);
        }
        for (const listed_handle* handle = persistent_handles; handle != nullptr; handle = handle->next()) {
            marker_.mark(handle->object);
        }
        const auto mark_held = [this](std::span<const void* const> objects) {
            for (const void* const object : objects) {
                if (holds(object)) marker_.mark(object);
            }
        };
        mark_held(held);
        for (const held_objects* each = held_; each != nullptr; each = each->outer) mark_held(each->objects);
        finalizers_.each_due(0, [this](const void* object) { marker_.mark(object); });
    }

    // Effects: marks all that the marked objects lead to, through ephemerons too.
    void drain() {
        do {
            marker_.drain();
            while (marker_.take_overflow()) {
                each_marked([](const traced_type& type) { return type.trace != nullptr; },
                            [this](const traced_type& type, const void* object) { type.trace(object, marker_); });
            }
        } while (mark_through_ephemerons());
    }

    // Effects: calls look_into(type, object) for every marked object whose type is asked for, and marks what that leads
    // to.
    template <class IsAskedFor, class LookInto>
    void each_marked(IsAskedFor is_asked_for, LookInto look_into) {
        const auto look_into_block = [&](const traced_block* block) {
            if (!is_asked_for(*block->type)) return;
            for (std::size_t i = 0; i < block->cells; ++i) {
                if (!block->is_marked(i)) continue;
                look_into(*block->type, block->cell(i));
                marker_.drain();
            }
        };
        for (const traced_lane& lane : lanes_) std::ranges::for_each(lane.blocks, look_into_block);
        std::ranges::for_each(large_, look_into_block);
    }

    // Returns: whether what the handle is in may be alive: an object that is marked, or anything outside of the heap.
    [[nodiscard]] bool may_be_alive(const listed_handle* handle) const noexcept {
        return find_chunk(wide_chunks::head_of(handle)) == nullptr || is_marked(handle);
    }

    // Returns: whether it has marked anything.
    bool mark_through_ephemerons() noexcept {
        bool found = false;
        for (listed_handle* list : {young_ephemerons, full_ ? old_ephemerons : nullptr}) {
            for (; list != nullptr; list = list->next()) {
                const auto* const each = static_cast<const ephemeron_handle*>(list);
                if (!is_marked(each->object) || is_marked(each->value) || !may_be_alive(each)) continue;
                marker_.mark(each->value);
                found = true;
            }
        }
        return found;
    }

    void clear_ephemerons(bool full) noexcept {
        for_each_aged(young_ephemerons, old_ephemerons, full, [](listed_handle& handle) {
            auto& each = static_cast<ephemeron_handle&>(handle);
            if (is_marked(each.object) && is_marked(each.value)) return true;
            each.clear();
            return false;
        });
    }

    void clear_weak(bool full) noexcept {
        for_each_aged(young_weak_handles, old_weak_handles, full, [](listed_handle& handle) {
            if (is_marked(handle.object)) return true;
            empty(handle);
            return false;
        });
    }

    // Effects: calls keeps(handle) for each young handle, and in a full collection for the old ones; what it keeps is
    // old.
    template <class Keeps>
    static void for_each_aged(listed_handle*& young, listed_handle*& old, bool full, Keeps keeps) noexcept {
        if (full) {
            for (listed_handle* handle = old; handle != nullptr;) {
                listed_handle* const next = handle->next();
                static_cast<void>(keeps(*handle));
                handle = next;
            }
        }
        while (young != nullptr) {
            listed_handle& handle = *young;
            if (keeps(handle)) handle.list(old);
        }
    }

    static void empty(listed_handle& handle) noexcept {
        handle.object = nullptr;
        handle.unlist();
    }

    // Effects: what is to be finalized lives on, with all that it leads to. Returns: whether there is anything.
    bool take_due_finalizers(bool full) noexcept {
        const std::size_t before = finalizers_.due();
        finalizers_.take_due(full, is_marked);
        finalizers_.each_due(before, [this](const void* object) { marker_.mark(object); });
        drain();
        return finalizers_.due() != 0;
    }

    const traced_heap_options options_;
    local_root** const roots_ = &local_root::newest;  // of the thread that the heap belongs to
    std::optional<const thread_stack> stack_;         // where what it refers to is kept alive
    growing_list<const void*> on_stack_;              // what it seemed to refer to, when the last collection began
    std::vector<traced_run> run_memory_;
    traced_marker marker_;
    traced_finalizers finalizers_;
    const held_objects* held_ = nullptr;
    collection_pacer pacer_;
    std::ptrdiff_t outside_credit_ = 0;  // how many edges may be looked at for stores outside of the heap
    std::uint32_t young_collections_ = 0;
    bool full_ = false;  // the collection that is running
    bool busy_ = false;  // collecting, or destroying all
};

}  // namespace freehold::detail
