#pragma once
// All that leads to one object of a heap_snapshot: its referrers.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "../heap_snapshot.hpp"

namespace freehold::inline v0_2 {

struct heap_referrers {
    // snapshot.owner(object, place) describes it.
    struct pointer {
        std::uint32_t object;  // the index of the object that it is in
        std::uint32_t place;   // among those in the object, from 0 on
    };

    std::vector<heap_snapshot::root> roots;
    std::vector<pointer> pointers;  // also those in garbage
};

// Returns: all roots and pointers that lead to object i. Complexity: linear in the snapshot, without an index of it.
[[nodiscard]] inline heap_referrers referrers_of(const heap_snapshot& snapshot, std::size_t i) {
    heap_referrers found;
    for (const heap_snapshot::root& root : snapshot.roots()) {
        if (root.object == i) found.roots.push_back(root);
    }
    for (std::uint32_t from = 0; from < snapshot.size(); ++from) {
        for (std::uint32_t k = 0; k < snapshot.degree(from); ++k) {
            if (snapshot.target(from, k) == i) found.pointers.push_back({from, k});
        }
    }
    return found;
}

// Effects: prints what leads to the object that contains the address, a line for each; of pointers at most `most`.
inline void report_referrers(const heap_snapshot& snapshot, const void* address, std::FILE* output = stderr,
                             std::size_t most = 100) {
    const std::size_t i = snapshot.at(address);
    if (i == heap_snapshot::nobody) {
        std::fprintf(output, "freehold: there is no object of the %s at that address\n", snapshot.heap());
        return;
    }
    const heap_referrers found = referrers_of(snapshot, i);
    std::fprintf(output, "freehold: %s #%zu is referred to by %zu roots and %zu pointers\n",
                 snapshot.type_of(i).name.c_str(), i + 1, found.roots.size(), found.pointers.size());
    for (const heap_snapshot::root& root : found.roots) {
        std::fprintf(output, "    %s\n", root.name().c_str());
    }
    for (const heap_referrers::pointer& each : found.pointers) {
        if (most-- == 0) {
            std::fprintf(output, "    …\n");
            return;
        }
        std::fprintf(output, "    pointer %zu in %s #%zu%s\n", std::size_t{each.place} + 1,
                     snapshot.type_of(each.object).name.c_str(), std::size_t{each.object} + 1,
                     snapshot.is_held(each.object) ? "" : ", which is garbage");
    }
}

}  // namespace freehold
