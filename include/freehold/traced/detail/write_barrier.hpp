#pragma once
// What `p = q` does beside the assignment, where p is a traced_ptr: a young collection traces only young objects, so it
// must know which old objects may point to one.
//
// If p is within the same 4 MiB as the object of q, record_store reads the card of p, and returns if that is dirty,
// or if it is fresh, since p is in a young object then. All other stores call `remember`. It returns if the object of q
// is old, after it has shaded that object if a marking cycle runs. Otherwise it marks the card of a p in the heap. A p
// outside of the heap, in the buffer of a vector for instance, has no card, and its owner is unknown; then the object
// of q is remembered.

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../core/config.hpp"
#include "../../core/growing_buffer.hpp"
#include "../../core/platform/atomic_ref.hpp"
#include "chunk_table.hpp"
#include "container_watch.hpp"
#include "frame_list.hpp"
#include "heap_checks.hpp"
#include "marking_cycle.hpp"
#include "space_lock.hpp"
#include "traced_chunk.hpp"
#include "traced_roots.hpp"

namespace freehold::inline v0_2::detail {

// The stores since the last collection.
struct remembered_set {
    // Those of the calling thread's session in a shared_traced_heap.
    FREEHOLD_STATIC_TLS static inline constinit thread_local remembered_set* of_session = nullptr;

    growing_list<const void*> heap_slots;  // in the heap; where threads share it, see note_shared_store
    growing_list<const void*> far_slots;   // the same, after the first 4 MiB of an array
    growing_list<const void*> targets;     // young objects that were stored outside of the heap
    bool has_all_slots = true;             // there was memory for them
    bool has_all_targets = true;           // the same, and there were at most max_targets

    static constexpr std::size_t max_targets = std::size_t{1} << 16;

    // With `is_shared`, other threads may note stores on the same card.
    template <bool is_shared>
    void add_slot(traced_chunk& chunk, const void* slot) noexcept {
        add<is_shared>(chunk.card_of(slot), slot, heap_slots);
    }

    template <bool is_shared>
    void add_far_slot(traced_chunk& chunk, const void* slot) noexcept {
        std::uint8_t* const card = chunk.far_card_of(slot);
        card != nullptr ? add<is_shared>(*card, slot, far_slots) : void(has_all_slots = false);
    }

    void add_target(const void* target) noexcept {
        if (has_all_targets) has_all_targets = targets.size() < max_targets && targets.push(target);
    }

    [[nodiscard]] bool has_no_slots() const noexcept { return heap_slots.empty() && far_slots.empty(); }

    // Effects: these are those of the other as well, which has none any more.
    void take(remembered_set& other) noexcept {
        has_all_targets = has_all_targets && other.has_all_targets && targets.append(other.targets);
        has_all_slots = has_all_slots && other.has_all_slots;
        if (heap_slots.reserve_more(other.heap_slots.size()) && far_slots.append(other.far_slots)) {
            static_cast<void>(heap_slots.append(other.heap_slots));
            return other.clear();
        }
        has_all_slots = false;
        other.forget();
    }

    // Effects: forgets the stores, and cleans their cards.
    void forget() noexcept {
        for (const void* const slot : heap_slots) traced_chunk::at(slot)->card_of(slot) = traced_chunk::clean;
        for (const void* const slot : far_slots) *wide_chunks::chunk_of(slot).far_card_of(slot) = traced_chunk::clean;
        clear();
    }

private:
    template <bool is_shared>
    void add(std::uint8_t& card, const void* slot, growing_list<const void*>& listed) noexcept {
        if constexpr (is_shared) {
            slot = traced_chunk::note_shared_store(card, slot);
        } else if (!traced_chunk::note_store(card, slot)) {
            slot = nullptr;
        }
        if (slot != nullptr && !listed.push(slot)) lose(card);
    }

    // A card that is not listed stays clean, as a store on a dirty one is not told.
    // relaxed: a collection reads it, which stops the threads
    FREEHOLD_NOINLINE void lose(std::uint8_t& card) noexcept {
        atomic_ref<std::uint8_t>(card).store(traced_chunk::clean, std::memory_order_relaxed);
        has_all_slots = false;
    }

    void clear() noexcept {
        heap_slots.truncate(0);
        far_slots.truncate(0);
        targets.truncate(0);
        has_all_slots = has_all_targets = true;
    }
};

class traced_collector;

// The part of a heap that its handles reach from the address of an object.
struct traced_space {
    traced_space() noexcept { heap_checks::attach(checked_); }
    ~traced_space() { mutex == nullptr ? heap_checks::detach(checked_) : heap_checks::unshare(checked_); }

    // Effects: the calling thread may use the addresses of objects, until detach(). A new heap is attached.
    void attach() noexcept {
        chunks.attach();
        heap_checks::attach(checked_);
    }

    void detach() noexcept {
        chunks.detach();
        heap_checks::detach(checked_);
    }

    // Effects: the heap is one that threads share, with this mutex.
    void share(spinning_mutex& its) noexcept {
        detach();
        mutex = &its;
        chunks.share();
        heap_checks::share(checked_);
    }

    // Returns: whether the target is old, so that a young collection need not know of the store. Effects: in a cycle,
    // an old white target becomes gray.
    [[nodiscard]] bool pass_old(const void* target) noexcept {
        traced_block& block = traced_chunk::block_of(target);
        const std::size_t index = block.index_of(target);
        if (!block.is_marked(index)) return false;
        if (cycle.is_running) shade(block, index);
        return true;
    }

    traced_collector* collector = nullptr;
    spinning_mutex* mutex = nullptr;  // of a shared_traced_heap: for handles, frames and all that `collector` has
    listed_handles handles;
    container_watch watch;
    chunk_table chunks{*this, watch};
    remembered_set stores;
    marking_cycle cycle;
    frame_list frames;

    // Returns: the heap of the object that the address is in.
    [[nodiscard]] static traced_space& of(const void* address) noexcept {
        return wide_chunks::chunk_of(address).space();
    }

    // Returns: whether the object is in this heap. Requires: null, or it is in some heap.
    [[nodiscard]] bool holds(const void* object) const noexcept { return object != nullptr && &of(object) == this; }

    // Effects: the handle is to the object, in a list of its heap; in none if it is null.
    template <class Handle>
    static void list(Handle& handle, const void* object, aged_handles<Handle> listed_handles::* which) noexcept {
        handle.leave();
        handle.object = object;
        if (object == nullptr) return;
        traced_space& its = of(object);
        const space_lock held(its.mutex);
        (its.handles.*which).add(handle);
    }

    // Effects: the next young collection will know that `target` was stored in `slot`, which may be anywhere.
    FREEHOLD_NOINLINE static void remember(const void* slot, const void* target) noexcept {
        if (wide_chunks::may_lead_to(slot) || wide_chunks::may_lead_to(target)) [[unlikely]]
            return remember_far(slot, target);
        remember_near(slot, target);
    }

private:
    void shade(traced_block& block, std::size_t index) noexcept {
        mutex == nullptr ? cycle.shade(block, index) : cycle.shade_among_threads(block, index, *mutex);
    }

    // Requires: neither address is after the first 4 MiB of a wide chunk.
    static void remember_near(const void* slot, const void* target) noexcept {
        traced_space& space = traced_chunk::at(target)->space();
        if (space.pass_old(target)) return;
        if (space.mutex != nullptr) [[unlikely]]
            return space.remember_in_session(slot, target);
        if (traced_chunk* const chunk = space.chunks.find(slot)) return space.stores.add_slot<false>(*chunk, slot);
        space.stores.add_target(target);
    }

    FREEHOLD_NOINLINE void remember_in_session(const void* slot, const void* target) const noexcept {
        remembered_set& its = *remembered_set::of_session;
        if (traced_chunk* const chunk = chunks.find(slot)) return its.add_slot<true>(*chunk, slot);
        its.add_target(target);
    }

    FREEHOLD_NOINLINE static void remember_far(const void* slot, const void* target) noexcept {
        const void* const object = wide_chunks::head_of(slot);
        target = wide_chunks::head_of(target);
        traced_space& space = traced_chunk::at(target)->space();
        const bool in_array = object != slot && traced_chunk::block_of(object).type->trace_part != nullptr;
        if (in_array && space.holds(object)) {
            traced_chunk& chunk = *traced_chunk::at(object);
            return space.mutex == nullptr ? space.stores.add_far_slot<false>(chunk, slot)
                                          : remembered_set::of_session->add_far_slot<true>(chunk, slot);
        }
        remember_near(object, target);
    }

    attached_heap checked_{&chunks, &watch};
};

inline void listed_handle::leave() noexcept {
    if constexpr (heap_checks::is_on) heap_checks::check_leaving(object);
    if (object == nullptr) return;
    const space_lock held(traced_space::of(object).mutex);
    unlist();
}

inline void frame_record::leave() noexcept {
    const space_lock held(traced_space::of(this).mutex);
    coroutine = nullptr;
    frame_list::remove(*this);
}

// Effects: the next young collection will know of the store. `slot` may be anywhere.
// Always inline: most stores do no more than look at the card, and a call costs as much again (in n-queens under g++, a
// twentieth of the time).
FREEHOLD_ALWAYS_INLINE inline void record_store(const void* slot, const void* target,
                                                [[maybe_unused]] const char* handle = "") noexcept {
    if constexpr (heap_checks::is_on) heap_checks::check_store(slot, target, handle);
    if (target == nullptr) return;
    traced_chunk& chunk = *traced_chunk::at(target);
    // A slot in the same 4 MiB as an object is in the heap, and has a card. Or both are in the rest of a wide chunk, in
    // its one object: then this byte is no card, but the answer does not matter, as nothing must be remembered.
    const bool in_chunk =
        (std::bit_cast<std::uintptr_t>(slot) ^ std::bit_cast<std::uintptr_t>(target)) < traced_chunk::bytes;
    if (in_chunk && chunk.is_noted(slot)) [[likely]]
        return;
    traced_space::remember(slot, target);
}

}  // namespace freehold::detail
