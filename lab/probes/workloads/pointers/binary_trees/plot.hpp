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

// Moved: the program passes owners on where it can. Copied: it gives subtrees names, and copies them into their parent,
// as programs do that were not written for speed. What has one owner has no Copied.
template <class Moved, class Copied = void>
struct grown {
    static constexpr series plot[] = {program<extents, Moved>::as("trees"),
                                      program<extents, Copied>::as("trees, copied")};

    static std::uint64_t checksum() {
        const std::uint64_t found = program<extents, Moved>::found;
        return found == program<extents, Copied>::found ? found : 0;
    }
};

template <class Moved>
struct grown<Moved, void> {
    static constexpr series plot[] = {program<extents, Moved>::as("trees")};

    static std::uint64_t checksum() { return program<extents, Moved>::found; }
};

}  // namespace lab::binary_trees
