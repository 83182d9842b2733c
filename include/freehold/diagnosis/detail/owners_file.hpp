#pragma once
// An owners_report as a file.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <utility>

#include "../owners.hpp"
#include "snapshot_files.hpp"

namespace freehold::inline v0_2 {

namespace detail {

inline void write_counted(const std::map<std::string, std::size_t>& counted, std::FILE* output) {
    const char* between = "";
    std::fputc('{', output);
    for (const auto& [name, number] : counted) {
        std::fputs(between, output);
        detail::write_quoted(name, output);
        std::fprintf(output, ": %zu", number);
        between = ", ";
    }
    std::fputc('}', output);
}

}  // namespace detail

inline bool write_json(const owners_report& report, std::FILE* output) {
    const double explained =
        report.owners != 0 ? 1 - static_cast<double>(report.unseen) / static_cast<double>(report.owners) : 1;
    std::size_t bytes = 0;
    for (const auto& each : report.types) bytes += each.bytes;
    std::fprintf(output,
                 "{\"format\": \"freehold owners\", \"version\": 1, \"source\": \"the pool of the process\",\n"
                 "\"processor\": \"\", \"time\": \"\", \"stopped\": 0, \"bytes\": %zu, \"allocator\": \"freehold\",\n"
                 "\"owners\": %zu, \"explained\": %.5f, \"unknown\": %zu, \"doubts\": [],\n"
                 "\"notes\": [\"only the pool was read: an owner elsewhere holds its object\"],\n\"types\": [",
                 bytes, report.owners, explained, report.unknown);
    const char* between = "\n    ";
    for (const auto& each : report.types) {
        std::fprintf(output, "%s{\"name\": ", std::exchange(between, ",\n    "));
        detail::write_quoted(each.name, output);
        std::fprintf(output,
                     ", \"objects\": %zu, \"bytes\": %zu, \"owners\": %zu, \"weak\": %zu, \"grades\": ", each.objects,
                     each.bytes, each.owners, each.weak);
        detail::write_counted(each.grades, output);
        std::fprintf(output, ", \"leaked_bytes\": %zu, \"expired_bytes\": %zu}", each.leaked_bytes, each.expired_bytes);
    }
    std::fprintf(output, "],\n\"leaks\": [");
    between = "\n    ";
    for (const auto& each : report.leaks) {
        std::fprintf(output, "%s{\"grade\": \"leaked\", \"cycle\": [", std::exchange(between, ",\n    "));
        const char* next = "";
        for (const auto& step : each.cycle) {
            std::fprintf(output, "%s{\"type\": ", std::exchange(next, ", "));
            detail::write_quoted(step.type, output);
            std::fprintf(output, ", \"place\": \"%s\", \"address\": %zu}", step.place.c_str(),
                         static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(step.address)));
        }
        std::fprintf(output, "], \"types\": ");
        detail::write_counted(each.types, output);
        std::fprintf(output, ", \"behind\": ");
        detail::write_counted(each.behind, output);
        std::fprintf(output, ", \"bytes\": %zu, \"count\": %zu}", each.bytes, each.count);
    }
    std::fprintf(output, "]}\n");
    return std::ferror(output) == 0;
}

}  // namespace freehold
