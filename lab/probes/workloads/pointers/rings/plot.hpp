#pragma once
// rings: nodes that lead to each other in a circle. Churn makes `x` nodes in rings of ten, of which the last few live,
// or the last tenth. Cursor takes `x` steps around a ring that lives.

#include <algorithm>
#include <cstdint>

#include "registry/extents.hpp"
#include "workloads/program.hpp"

namespace lab::rings {

constexpr int ring_size = 10;

// How many rings live at once in churn.
constexpr int few(int) { return 8; }
constexpr int a_tenth(int nodes) { return nodes / ring_size / 10; }

// Returns the number of nodes in the ring that the cursor takes `steps` steps around.
constexpr int nodes_around(int steps) { return std::min(steps, 1'000'000); }

template <class Churn, class Aging, class Cursor>
struct turned {
    // The cursor goes first: what churn has freed lies in no order.
    static constexpr series plot[] = {
        program<extents, Cursor>::as("cursor"),
        program<extents, Churn>::as("churn, few live"),
        program<extents, Aging>::as("churn, a tenth lives"),
    };

    static std::uint64_t checksum() {
        return program<extents, Churn>::found + 3 * program<extents, Aging>::found +
               7 * program<extents, Cursor>::found;
    }
};

}  // namespace lab::rings
