#pragma once
// heap-or-stack: the four functions of heap_or_stack.cpp, which differ in where they put a list and in how it is freed
// (seed 003). What they share is that the list is filled where compilers cannot see it.

#include <cstdint>
#include <list>

#include "../../harness/workload.hpp"
#include "../../memory_strategy.hpp"
#include FREEHOLD_STRATEGY_HEADER

namespace lab::heap_or_stack {

using arena = strategy::arena;
using numbers = std::list<int, allocator_of<arena, int>>;

// With the list itself, as many blocks as glibc keeps at hand: one more, and its slow path would be counted.
inline constexpr int nodes = 6;
inline constexpr int sizes[] = {nodes};

}  // namespace lab::heap_or_stack

// Named in C's way, so that their symbols are found. Each makes a list, has it filled and destroys it; the memory for
// its nodes, and for the list itself where it is on the heap, is the arena's.
extern "C" {
void on_the_stack(lab::heap_or_stack::arena&);
void by_hand(lab::heap_or_stack::arena&);
void by_hand_with_catch(lab::heap_or_stack::arena&);
void by_unique_ptr(lab::heap_or_stack::arena&);

// Adds that many nodes to the list.
void fill_list(lab::heap_or_stack::numbers&);
}

namespace lab::heap_or_stack {

template <void (*Function)(arena&)>
void run(int, long iterations) {
    arena& kept = kept_arena<strategy>::get();
    for (; iterations > 0; --iterations) {
        Function(kept);
    }
}

// Reads a list back.
inline std::uint64_t checksum() {
    arena fresh;
    numbers list(fresh.template allocator<int>());
    fill_list(list);
    std::uint64_t digest = 0;
    for (const int number : list) {
        digest = digest * 31 + static_cast<std::uint64_t>(number);
    }
    return digest;
}

template <void (*Function)(arena&)>
inline constexpr series counted(const char* name) {
    return {.name = name, .sizes = sizes, .work = run<Function>, .clear = kept_arena<strategy>::clear};
}

// Each by the name of its function.
inline constexpr series plot[] = {
    counted<on_the_stack>("on_the_stack"),
    counted<by_hand>("by_hand"),
    counted<by_hand_with_catch>("by_hand_with_catch"),
    counted<by_unique_ptr>("by_unique_ptr"),
};

template <class>
using of = measured<plot, checksum>;

}  // namespace lab::heap_or_stack
