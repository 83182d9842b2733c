#pragma once
// binary-trees: a tree of depth `x` lives while many trees of depth 4, 6 and so on up to x are made, counted and
// dropped, as many of each depth as make 32 * 2^x nodes.

#include <cstdint>

#include "registry/extents.hpp"
#include "workloads/program.hpp"

namespace lab::binary_trees {

constexpr int least_depth = 4;

// Calls use(low) for each short-lived tree, beside one of that depth.
template <class Use>
void for_each_short_lived(int depth, Use use) {
    for (int low = least_depth; low <= depth; low += 2) {
        for (int trees = 1 << (depth - low + least_depth); trees > 0; --trees) {
            use(low);
        }
    }
}

template <class Program>
struct grown {
    static constexpr series plot[] = {program<extents, Program>::as("trees")};

    static std::uint64_t checksum() { return program<extents, Program>::found; }
};

}  // namespace lab::binary_trees
