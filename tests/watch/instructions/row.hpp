#pragma once
// What a program of this folder is made of: rows, each an operation whose instructions callgrind counts.

#include <valgrind/callgrind.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "../still_clock.hpp"

namespace watch {

// The compiler must have made `value`, and forgets what it knows of it and of all memory.
template <class T>
[[gnu::always_inline]] inline void keep(T& value) {
    asm volatile("" : "+m"(value) : : "memory");
}

template <class Operation>
[[gnu::noinline]] void repeat(Operation operation, int times) {
    CALLGRIND_TOGGLE_COLLECT;
    for (int i = 0; i < times; ++i) operation();
    CALLGRIND_TOGGLE_COLLECT;
}

// Prints the row, and leaves two dumps, which differ by `times` operations alone.
// Requires: the operation leaves things as they were.
template <class Operation>
void row(const char* name, Operation operation, int times = 1000) {
    std::printf("%d %s\n", times, name);
    repeat(operation, times);  // fills caches and resolves symbols
    CALLGRIND_ZERO_STATS;
    repeat(operation, times);
    CALLGRIND_DUMP_STATS;
    repeat(operation, 2 * times);
    CALLGRIND_DUMP_STATS;
}

// For operations: what `part` does is not counted.
template <class Part>
void uncounted(Part part) {
    CALLGRIND_TOGGLE_COLLECT;
    part();
    CALLGRIND_TOGGLE_COLLECT;
}

// Counts `rows` in a process that never started a thread; with an argument, in the second thread of one, whose stack is
// the same whatever the environment, which is on that of the first.
template <class Rows>
int in_state(int argc, Rows rows) {
    if (argc > 1) {
        std::jthread{rows};
    } else {
        rows();
    }
    return EXIT_SUCCESS;
}

}  // namespace watch
