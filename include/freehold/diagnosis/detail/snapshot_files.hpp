#pragma once
// A heap_snapshot as a file: JSON for `./freehold heap`, graphs for Graphviz.

#include <cstddef>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../heap_snapshot.hpp"

namespace freehold::inline v0_2 {

namespace detail {

// Effects: writes the text between quotes, as JSON and Graphviz have it.
inline void write_quoted(const std::string& text, std::FILE* output) {
    std::fputc('"', output);
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') {
            std::fputc('\\', output);
            std::fputc(letter, output);
        } else if (static_cast<unsigned char>(letter) < 0x20) {
            std::fprintf(output, "\\u%04x", static_cast<unsigned>(letter));
        } else {
            std::fputc(letter, output);
        }
    }
    std::fputc('"', output);
}

// Effects: writes `count` numbers as an array. number(i) is the one at i.
template <class Number>
void write_numbers(std::size_t count, Number number, std::FILE* output) {
    std::fputc('[', output);
    for (std::size_t i = 0; i < count; ++i) std::fprintf(output, i == 0 ? "%zu" : ",%zu", std::size_t{number(i)});
    std::fputc(']', output);
}

// Effects: writes the snapshot as JSON; write_columns() adds columns to those of the objects. Returns: false if not
// everything could be written.
template <class WriteColumns>
bool write_json(const heap_snapshot& snapshot, std::FILE* output, WriteColumns write_columns) {
    std::fprintf(output, "{\"format\": \"freehold heap snapshot\", \"version\": 1, \"heap\": \"%s\",\n\"types\": [",
                 snapshot.heap());
    for (std::size_t i = 0; i < snapshot.types().size(); ++i) {
        std::fprintf(output, "%s\n    {\"name\": ", i == 0 ? "" : ",");
        write_quoted(snapshot.types()[i].name, output);
        std::fprintf(output, ", \"bytes\": %zu}", snapshot.types()[i].bytes);
    }
    std::fprintf(output, "],\n\"roots\": [");
    for (std::size_t i = 0; i < snapshot.roots().size(); ++i) {
        const heap_snapshot::root& root = snapshot.roots()[i];
        std::fprintf(output, "%s\n    {\"kind\": \"%s\", \"number\": %zu, ", i == 0 ? "" : ",", root.kind, root.number);
        if (root.session != 0) std::fprintf(output, "\"session\": %zu, ", root.session);
        std::fprintf(output, "\"object\": %zu}", root.object + 1);
    }
    const auto& objects = snapshot.objects();
    std::fprintf(output, "],\n\"objects\": {\n\"type\": ");
    detail::write_numbers(objects.size(), [&](std::size_t i) { return objects[i].type; }, output);
    std::fprintf(output, ",\n\"external_bytes\": ");
    detail::write_numbers(objects.size(), [&](std::size_t i) { return objects[i].external_bytes; }, output);
    std::fprintf(output, ",\n\"pointers\": ");
    detail::write_numbers(objects.size(), [&](std::size_t i) { return snapshot.degree(i); }, output);
    write_columns();
    std::fprintf(output, "},\n\"targets\": [");
    bool is_first = true;
    for (std::size_t i = 0; i < snapshot.size(); ++i) {
        for (std::size_t k = 0; k < snapshot.degree(i); ++k) {
            std::fprintf(output, is_first ? "%zu" : ",%zu", snapshot.target(i, k) + 1);
            is_first = false;
        }
    }
    std::fprintf(output, "]}\n");
    return std::fflush(output) == 0 && std::ferror(output) == 0;
}

}  // namespace detail

// Effects: writes the snapshot as JSON. Returns: false if not everything could be written. Complexity: linear.
inline bool write_json(const heap_snapshot& snapshot, std::FILE* output) {
    return detail::write_json(snapshot, output, [] {});
}

// Effects: writes all objects and their pointers as a graph for Graphviz's dot. Objects that nothing holds are red.
inline void draw_ownership(const heap_snapshot& snapshot, std::FILE* output) {
    std::fprintf(output, "digraph ownership {\n");
    for (std::size_t i = 0; i < snapshot.size(); ++i) {
        std::fprintf(output, "    n%zu [label=", i + 1);
        detail::write_quoted(snapshot.type_of(i).name + " #" + std::to_string(i + 1), output);
        std::fprintf(output, "%s];\n", snapshot.is_held(i) ? "" : ", color=red");
        for (std::size_t k = 0; k < snapshot.degree(i); ++k) {
            std::fprintf(output, "    n%zu -> n%zu;\n", i + 1, snapshot.target(i, k) + 1);
        }
    }
    for (std::size_t i = 0; i < snapshot.roots().size(); ++i) {
        const heap_snapshot::root& root = snapshot.roots()[i];
        std::fprintf(output, "    r%zu [label=\"%s\", shape=plaintext];\n    r%zu -> n%zu;\n", i + 1,
                     root.name().c_str(), i + 1, root.object + 1);
    }
    std::fprintf(output, "}\n");
}

// Effects: the same for the types: a node has the number and bytes of its held objects, an edge the number of pointers.
inline void draw_types(const heap_snapshot& snapshot, std::FILE* output) {
    std::map<std::string_view, std::size_t> numbers;  // of types by their names: several may have the same
    std::vector<std::size_t> number_of;               // by the index of the type
    for (const heap_snapshot::type& type : snapshot.types()) {
        number_of.push_back(numbers.try_emplace(type.name, numbers.size() + 1).first->second);
    }
    std::vector<std::pair<std::size_t, std::size_t>> held(numbers.size() + 1);  // objects and bytes
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> pointers;
    for (std::size_t i = 0; i < snapshot.size(); ++i) {
        if (!snapshot.is_held(i)) continue;
        const heap_snapshot::object& object = snapshot.objects()[i];
        const std::size_t number = number_of[object.type];
        held[number].first += 1;
        held[number].second += snapshot.bytes_of(i);
        for (std::size_t k = 0; k < snapshot.degree(i); ++k) {
            ++pointers[{number, number_of[snapshot.objects()[snapshot.target(i, k)].type]}];
        }
    }
    std::fprintf(output, "digraph types {\n    node [shape=box];\n");
    for (const auto& [name, number] : numbers) {
        const auto& [objects, bytes] = held[number];
        if (objects == 0) continue;
        std::fprintf(output, "    t%zu [label=", number);
        detail::write_quoted(
            std::string(name) + ": " + std::to_string(objects) + " objects, " + std::to_string(bytes) + " bytes",
            output);
        std::fprintf(output, "];\n");
    }
    for (const auto& [types, count] : pointers) {
        std::fprintf(output, "    t%zu -> t%zu [label=\"%zu\"];\n", types.first, types.second, count);
    }
    std::fprintf(output, "}\n");
}

}  // namespace freehold
