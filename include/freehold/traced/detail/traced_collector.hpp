#pragma once
// traced_collector: what the threads of a traced heap use of it: memory for objects, its sizes, and who may use it.
// heap_schedule.hpp has when it collects.

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
#include "external_memory.hpp"
#include "heap_checks.hpp"
#include "heap_collection.hpp"
#include "heap_schedule.hpp"
#include "space_lock.hpp"
#include "traced_mutator.hpp"
#include "traced_session.hpp"
#include "write_barrier.hpp"

namespace freehold::inline v0_2::detail {

class traced_inspector;

class traced_collector : public heap_schedule {
public:
    explicit traced_collector(traced_heap_options options) : heap_schedule(std::move(options)) {
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

    // Effects: the session is over, and other sessions allocate in its blocks.
    void end(traced_session& session) noexcept {
        {
            const space_lock held(space_.mutex);
            pacer_.count_young(session.cells.end());
        }
        sessions_->end(session);
    }

private:
    friend traced_inspector;

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

    // Returns: a cell of the session's own block, or a null pointer. Nothing is locked, except for the checks.
    [[nodiscard]] std::byte* take_from_block(traced_mutator& here, std::size_t index,
                                             const traced_type& type) noexcept {
        const space_lock held(heap_checks::is_on ? space_.mutex : nullptr);
        return here.cells.take_from_block(index, type, pacer_.bytes_between(type.cell_bytes));
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
};

}  // namespace freehold::detail
