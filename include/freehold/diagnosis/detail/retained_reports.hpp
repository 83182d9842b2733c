#pragma once
// What a dominator_tree tells: which objects and types retain most, and without which objects one would be freed.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "../dominator_tree.hpp"
#include "snapshot_files.hpp"

namespace freehold::inline v0_2 {

// What the held objects of a type retain together. What several of them retain counts once. If all of them went, at
// least that would be freed: also what two of them hold, and no other object.
struct retained_line {
    std::string type;  // its name
    std::size_t objects = 0;
    std::size_t retained_objects = 0;  // those of the type, and others
    std::size_t retained_bytes = 0;
};

namespace detail {

// Effects: visits the held objects that no object of a type of the same name retains: visit(index, number of the name).
// Others, such as the nodes of a list after the first, retain a part of the same. Returns: the numbers of the names.
template <class Visit>
std::map<std::string_view, std::size_t> each_outermost(const heap_snapshot& snapshot, const dominator_tree& tree,
                                                       Visit visit) {
    std::map<std::string_view, std::size_t> numbers;
    std::vector<std::size_t> number_of;  // by type
    for (const heap_snapshot::type& type : snapshot.types()) {
        number_of.push_back(numbers.try_emplace(type.name, numbers.size()).first->second);
    }
    std::vector<std::size_t> ends(numbers.size());  // of what the last one visited retains
    for (std::size_t place = 0; place < tree.order().size(); ++place) {
        const std::size_t i = tree.order()[place];
        const std::size_t number = number_of[snapshot.objects()[i].type];
        if (place < ends[number]) continue;
        ends[number] = place + tree.retained(i).size();
        visit(i, number);
    }
    return numbers;
}

inline void print_retained(const heap_snapshot& snapshot, const dominator_tree& tree, std::size_t i, const char* before,
                           const char* retains, std::FILE* output) {
    std::fprintf(output, "%s %s #%zu%s %zu bytes in %zu objects\n", before, snapshot.type_of(i).name.c_str(), i + 1,
                 retains, tree.retained_bytes(i), tree.retained(i).size());
}

}  // namespace detail

// Returns: a line for each type that has held objects, those that retain most bytes first. Complexity: linear.
[[nodiscard]] inline std::vector<retained_line> retained_by_type(const heap_snapshot& snapshot,
                                                                 const dominator_tree& tree) {
    std::vector<retained_line> by_number(snapshot.types().size());
    const auto numbers = detail::each_outermost(snapshot, tree, [&](std::size_t i, std::size_t number) {
        by_number[number].retained_objects += tree.retained(i).size();
        by_number[number].retained_bytes += tree.retained_bytes(i);
    });
    for (const std::size_t i : tree.order()) ++by_number[numbers.at(snapshot.type_of(i).name)].objects;
    for (const auto& [name, number] : numbers) by_number[number].type = name;
    std::erase_if(by_number, [](const retained_line& line) { return line.objects == 0; });
    std::ranges::sort(by_number, std::less<>(), [](const retained_line& line) {
        return std::tuple(~line.retained_bytes, ~line.retained_objects, std::string_view(line.type));
    });
    return by_number;
}

// Effects: prints that, a line for each type.
inline void report_retained_by_type(const heap_snapshot& snapshot, const dominator_tree& tree,
                                    std::FILE* output = stderr) {
    std::fprintf(output, "freehold: what the types of the %s retain\n%14s %13s %13s  type\n", snapshot.heap(), "bytes",
                 "in objects", "own objects");
    for (const retained_line& line : retained_by_type(snapshot, tree)) {
        std::fprintf(output, " %13zu %13zu %13zu  %s\n", line.retained_bytes, line.retained_objects, line.objects,
                     line.type.c_str());
    }
}

// Returns: the indices of the objects that retain most bytes, those of most first; at most `most`, and none that an
// object of its type retains: of a list only the first node. Complexity: linear, and k log k in such objects.
[[nodiscard]] inline std::vector<std::size_t> largest_retained(const heap_snapshot& snapshot,
                                                               const dominator_tree& tree, std::size_t most) {
    std::vector<std::size_t> found;
    detail::each_outermost(snapshot, tree, [&](std::size_t i, std::size_t) { found.push_back(i); });
    std::ranges::sort(found, std::less<>(), [&](std::size_t i) { return std::pair(~tree.retained_bytes(i), i); });
    found.resize((std::min)(most, found.size()));
    return found;
}

// Effects: prints these objects, a line for each.
inline void report_retained(const heap_snapshot& snapshot, const dominator_tree& tree, std::FILE* output = stderr,
                            std::size_t most = 20) {
    std::fprintf(output, "freehold: what the objects of the %s retain\n%14s %13s %13s  object\n", snapshot.heap(),
                 "bytes", "in objects", "itself");
    for (const std::size_t i : largest_retained(snapshot, tree, most)) {
        std::fprintf(output, " %13zu %13zu %13zu  %s #%zu\n", tree.retained_bytes(i), tree.retained(i).size(),
                     snapshot.bytes_of(i), snapshot.type_of(i).name.c_str(), i + 1);
    }
}

// Effects: prints what the object that contains the address retains, and its dominators, at most `most`, the nearest
// first.
inline void report_dominators(const heap_snapshot& snapshot, const dominator_tree& tree, const void* address,
                              std::FILE* output = stderr, std::size_t most = 20) {
    const std::size_t i = snapshot.at(address);
    if (i == heap_snapshot::nobody || !snapshot.is_held(i)) return report_owners(snapshot, address, output);
    detail::print_retained(snapshot, tree, i, "freehold:", " retains", output);
    std::size_t at = tree.dominator(i);
    for (; at != dominator_tree::nobody && most > 0; --most, at = tree.dominator(at)) {
        detail::print_retained(snapshot, tree, at, "    within", ", which retains", output);
    }
    if (at != dominator_tree::nobody) std::fprintf(output, "    …\n");
}

// Effects: writes the snapshot as write_json(snapshot, output) does, with the dominators: `./freehold heap` then shows
// what objects and types retain. Returns: false if not everything could be written. Complexity: linear.
inline bool write_json(const heap_snapshot& snapshot, const dominator_tree& tree, std::FILE* output) {
    return detail::write_json(snapshot, output, [&] {
        std::fprintf(output, ",\n\"dominators\": ");
        const auto number = [&](std::size_t i) {
            return tree.dominator(i) == dominator_tree::nobody ? 0 : tree.dominator(i) + 1;
        };
        detail::write_numbers(snapshot.size(), number, output);
    });
}

}  // namespace freehold
