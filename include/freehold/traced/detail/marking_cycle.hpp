#pragma once
// A full marking in steps, while the program runs: Dijkstra's incremental update, on the cards of the young
// collections.
//
// An object is white until the cycle has reached it, gray while it is on the stack here, and black once it is traced. A
// cycle deals with old objects only. Young collections go on, and do three things for it:
//   - what they promote is reached, and traced at once;
//   - an edge that they find to an old white object makes that object gray. They follow all roots and all dirty cards;
//   - the one that finds no gray objects left ends the cycle: white objects are dead.
//
// So no store is missed. The write barrier makes an old target gray at once, in the heap or outside. It returns early
// only where the card of the slot is dirty or fresh, and there the next young collection finds the edge. A move of a
// container stores no traced_ptr, so the last step traces all objects again that own pointers outside of the heap.

#include <cstddef>

#include "../../core/growing_buffer.hpp"
#include "traced_chunk.hpp"

namespace freehold::detail {

struct marking_cycle {
    growing_list<const std::byte*> gray;
    bool is_running = false;
    bool is_new = false;      // all objects are white
    bool overflowed = false;  // an object is black, but was not traced: out of memory

    // Effects: a white object becomes gray. Requires: the object is marked.
    void shade(traced_block& block, std::size_t index) noexcept {
        if (!block.reach(index) || !block.is_pushed) return;
        if (!gray.push(block.cell(index))) overflowed = true;
    }

    void stop() noexcept {
        gray.truncate(0);
        is_running = is_new = overflowed = false;
    }
};

}  // namespace freehold::detail
