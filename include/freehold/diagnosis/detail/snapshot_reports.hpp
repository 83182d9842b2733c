#pragma once
// What a heap_snapshot tells: owners, cycles, a census by type, and what has grown between two.

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

#include "../heap_snapshot.hpp"
#include "graph_cycles.hpp"

namespace freehold::inline v0_2 {

// Returns: a shortest path from a root to the object that contains the address.
[[nodiscard]] inline heap_snapshot::path who_owns(const heap_snapshot& snapshot, const void* address) {
    const std::size_t owned = snapshot.at(address);
    return owned == heap_snapshot::nobody ? heap_snapshot::path() : snapshot.path_to(owned);
}

// Effects: prints that path, a line for each owner.
inline void report_owners(const heap_snapshot& snapshot, const void* address, std::FILE* output = stderr) {
    const std::size_t owned = snapshot.at(address);
    if (owned == heap_snapshot::nobody) {
        std::fprintf(output, "freehold: there is no object of the %s at that address\n", snapshot.heap());
        return;
    }
    const char* const name = snapshot.type_of(owned).name.c_str();
    const heap_snapshot::path path = snapshot.path_to(owned);
    if (!path) {
        std::fprintf(output, "freehold: nothing holds %s #%zu; a full collection destroys it\n", name, owned + 1);
        return;
    }
    std::fprintf(output, "freehold: %s #%zu is held\n    by %s\n", name, owned + 1, path.begin.name().c_str());
    for (const diagnosed_owner& owner : path.owners) {
        std::fprintf(output, "    through pointer %zu in %s #%zu\n", owner.place, owner.type.c_str(), owner.number);
    }
}

// Returns: for every group of objects that lead to each other and that nothing holds, a shortest cycle through the
// group's first object. Each owner owns the object of the next, and the last one that of the first. Complexity: linear.
[[nodiscard]] inline std::vector<std::vector<diagnosed_owner>> find_cycles(const heap_snapshot& snapshot) {
    return detail::find_unheld_cycles(
        snapshot, [](std::size_t i) { return i; },
        [&snapshot](const auto& edge) { return snapshot.owner(edge.from, edge.place); });
}

// Effects: prints the result of find_cycles(), a line for each owner. Returns: the number of cycles.
inline std::size_t report_cycles(const heap_snapshot& snapshot, std::FILE* output = stderr) {
    return detail::print_cycles(find_cycles(snapshot), "waits for a full collection", false, output);
}

// The held objects of a type, or how many more of them there are than before.
struct census_line {
    std::string type;  // its name
    std::ptrdiff_t objects = 0;
    std::ptrdiff_t bytes = 0;           // in the heap
    std::ptrdiff_t external_bytes = 0;  // that they own outside
    std::ptrdiff_t garbage = 0;         // objects of the type that nothing holds, which the other figures leave out
};

namespace detail {

using census_lines = std::map<std::string, census_line, std::less<>>;

// Effects: adds the objects of the snapshot, `times` times each.
inline void count_objects(census_lines& by_name, const heap_snapshot& snapshot, std::ptrdiff_t times) {
    std::vector<census_line*> by_type;
    for (const heap_snapshot::type& type : snapshot.types()) by_type.push_back(&by_name[type.name]);
    for (std::size_t i = 0; i < snapshot.size(); ++i) {
        const heap_snapshot::object& object = snapshot.objects()[i];
        census_line& line = *by_type[object.type];
        if (!snapshot.is_held(i)) {
            line.garbage += times;
            continue;
        }
        line.objects += times;
        line.bytes += times * static_cast<std::ptrdiff_t>(snapshot.type_of(i).bytes);
        line.external_bytes += times * static_cast<std::ptrdiff_t>(object.external_bytes);
    }
}

// Returns: the lines, those of most bytes first.
[[nodiscard]] inline std::vector<census_line> sorted(census_lines by_name) {
    std::vector<census_line> result;
    for (auto& [name, line] : by_name) {
        line.type = name;
        result.push_back(std::move(line));
    }
    std::ranges::sort(result, std::less<>(), [](const census_line& line) {
        return std::tuple(-line.bytes - line.external_bytes, -line.objects, std::string_view(line.type));
    });
    return result;
}

inline void print(const std::vector<census_line>& table, const char* number, std::FILE* output) {
    std::fprintf(output, "%14s %13s %13s %13s  type\n", "objects", "bytes", "external", "garbage");
    for (const census_line& line : table) {
        for (const std::ptrdiff_t each : {line.objects, line.bytes, line.external_bytes, line.garbage}) {
            std::fprintf(output, number, static_cast<long>(each));
        }
        std::fprintf(output, "  %s\n", line.type.c_str());
    }
}

}  // namespace detail

// Returns: a line for each type, those of most bytes first.
[[nodiscard]] inline std::vector<census_line> census(const heap_snapshot& snapshot) {
    detail::census_lines by_name;
    detail::count_objects(by_name, snapshot, 1);
    return detail::sorted(std::move(by_name));
}

// Effects: prints the census.
inline void report_census(const heap_snapshot& snapshot, std::FILE* output = stderr) {
    std::fprintf(output, "freehold: the objects of the %s\n", snapshot.heap());
    detail::print(census(snapshot), " %13ld", output);
}

// Returns: a line for each type of which the snapshots have other figures, those that have grown most first.
[[nodiscard]] inline std::vector<census_line> growth(const heap_snapshot& before, const heap_snapshot& after) {
    detail::census_lines by_name;
    detail::count_objects(by_name, after, 1);
    detail::count_objects(by_name, before, -1);
    std::erase_if(by_name, [](const auto& named) {
        const census_line& line = named.second;
        return line.objects == 0 && line.bytes == 0 && line.external_bytes == 0 && line.garbage == 0;
    });
    return detail::sorted(std::move(by_name));
}

// Effects: prints what has grown, and what has shrunk.
inline void report_growth(const heap_snapshot& before, const heap_snapshot& after, std::FILE* output = stderr) {
    std::fprintf(output, "freehold: what the %s has more than before\n", after.heap());
    detail::print(growth(before, after), " %+13ld", output);
}

}  // namespace freehold
