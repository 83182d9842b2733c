#pragma once
// gcbench: the synthetic collector benchmark of Ellis, Kovac and Boehm. A large tree is made and dropped; then a tree
// of depth `x` and an array of doubles live while trees of depth 4, 6 and so on up to x are made and dropped, each of
// them once from the root down, which stores into nodes that are there, and once from the leaves up. Of each depth
// there are as many as make 4 * 2^(x + 3) nodes.

#include <cstdint>
#include <vector>

#include "registry/extents.hpp"
#include "workloads/program.hpp"

namespace lab::gcbench {

constexpr int least_depth = 4;

constexpr int nodes_of(int depth) { return (2 << depth) - 1; }

constexpr int stretching(int depth) { return depth + 2; }

// Calls use(low) for each pair of short-lived trees, beside one of that depth.
template <class Use>
void for_each_pair(int depth, Use use) {
    for (int low = least_depth; low <= depth; low += 2) {
        for (int pairs = 2 * nodes_of(stretching(depth)) / nodes_of(low); pairs > 0; --pairs) {
            use(low);
        }
    }
}

// Returns what the array holds that lives beside a tree of that depth.
template <class Doubles = std::vector<double>>
Doubles doubles(int depth, const typename Doubles::allocator_type& allocator = {}) {
    Doubles made(std::size_t{8} << depth, allocator);
    for (std::size_t i = 1; i < made.size() / 2; ++i) {
        made[i] = 1.0 / static_cast<double>(i);
    }
    return made;
}

// Returns what shows that all of that is still there.
std::uint64_t digest(const auto& doubles) {
    std::uint64_t found = 0;
    for (std::size_t i = 1; i < doubles.size() / 2; ++i) {
        found += doubles[i] == 1.0 / static_cast<double>(i) ? 1 : 0;
    }
    return found;
}

template <class Program>
struct measured {
    static constexpr series plot[] = {program<extents, Program>::as("trees and array")};

    static std::uint64_t checksum() { return program<extents, Program>::found; }
};

}  // namespace lab::gcbench
