#pragma once
// What is known of the collection that is running, and of a full marking in steps.
//
// Such a cycle goes on while the program runs: Dijkstra's incremental update, on the cards of the young collections. An
// object is white until the cycle has reached it, gray while it is listed to be traced, here or for the helper, and
// black once it is traced. A cycle deals with old objects only. Young collections go on, and do three things for it:
//   - what they promote is reached and traced at once, or stays white or gray;
//   - an edge that they find to an old white object makes that object gray. They follow the dirty cards, all
//     traced_locals, and the other roots that were set since the last one; the first in a cycle follows all roots;
//   - the one that finds no gray objects left ends the cycle: white objects are dead.
//
// So no store is missed. The write barrier makes an old target gray at once, in the heap or outside. It returns early
// only where the card of the slot is dirty or fresh, and there the next young collection finds the edge. A helper may
// read a slot before a store or after it: either way the target is gray, or the card is dirty. The end of a cycle parks
// the helper, and takes what was shaded beside it. A move of a container stores no traced_ptr, so the last step traces
// all objects again that own pointers outside of the heap.

#include <cstddef>

#include "../../core/growing_buffer.hpp"
#include "../../core/threading.hpp"
#include "traced_chunk.hpp"
#include "wide_chunks.hpp"

namespace freehold::inline v0_2::detail {

template <class Threading = process_threading>
class basic_helped_gray;
using helped_gray = basic_helped_gray<>;

// What kind of collection it is, how far it looks, and what it has done so far.
struct running_collection {
    bool is_full = false;
    bool promotes = false;    // all young objects, without a look at them: a young collection
    bool overran = false;     // twice the budget, so that it keeps all young objects: a young collection
    bool ends_cycle = false;  // a young collection
    std::size_t work = 0;     // the objects that it has traced or destroyed

    // Returns: whether it looks at old objects too.
    [[nodiscard]] bool is_complete() const noexcept { return is_full || ends_cycle; }

    // Returns: whether the object lives on, as far as is marked.
    [[nodiscard]] bool keeps(const void* object) const noexcept {
        const traced_block& block = wide_chunks::block_of(object);
        const std::size_t index = block.index_of(object);
        return ends_cycle ? block.is_reached(index) : block.is_marked(index);
    }
};

// A large array of which the part from `next` on is to be traced. It is not freed meanwhile: it is marked and reached,
// and before a full collection may free it, the cycle stops.
struct partly_traced {
    const std::byte* cell;
    const traced_type* type;
    std::size_t next;  // bytes from the cell
};

// What is reached, and to be traced.
struct gray_objects {
    growing_list<const std::byte*> objects;
    growing_list<partly_traced> arrays;  // they are traced in slices

    [[nodiscard]] bool empty() const noexcept { return objects.empty() && arrays.empty(); }

    // Effects: these are those of the other as well. Returns: false if out of memory.
    [[nodiscard]] bool append(const gray_objects& other) noexcept {
        const bool has_objects = objects.append(other.objects);
        return arrays.append(other.arrays) && has_objects;
    }

    void clear() noexcept {
        objects.truncate(0);
        arrays.truncate(0);
    }
};

template <class Threading = process_threading>
struct basic_marking_cycle {
    gray_objects gray;
    basic_helped_gray<Threading>* helped = nullptr;  // what the helper marks, if there is one
    bool is_running = false;
    bool is_new = false;      // all objects are white
    bool overflowed = false;  // an object is black, but was not traced: out of memory

    // Effects: a white object becomes gray. Requires: the object is marked.
    void shade(traced_block& block, std::size_t index) noexcept {
        if (helped != nullptr) return shade_beside(block, index);
        if (!block.reach(index) || !block.is_pushed) return;
        if (!gray.objects.push(block.cell(index))) overflowed = true;
    }

    void shade_beside(traced_block& block, std::size_t index) noexcept;

    // Effects: as shade, where other threads do the same; the mutex is that of their heap. Requires: there is a helper.
    void shade_among_threads(traced_block& block, std::size_t index, typename Threading::mutex& mutex) noexcept;

    // Effects: if there is a helper, it is parked until resume(), and what it returned is gray.
    void park() noexcept {
        if (helped != nullptr) park_helper();
    }
    void park_helper() noexcept;

    // Returns: whether the helper may be marking now.
    [[nodiscard]] bool is_helped_now() const noexcept;

    // Effects: the helper goes on, if there is one and a cycle.
    void resume() const noexcept {
        if (helped != nullptr && is_running) resume_helper();
    }
    void resume_helper() const noexcept;

    // Returns: gray objects, if there are any. Requires: the helper is parked.
    [[nodiscard]] gray_objects* any_gray() noexcept;

    // Returns: whether all that the cycle has reached is black. Requires: the helper is parked.
    [[nodiscard]] bool has_no_gray() noexcept { return any_gray() == nullptr; }

    // Requires: the helper is parked.
    void stop() noexcept;
};

using marking_cycle = basic_marking_cycle<>;

}  // namespace freehold::detail
