#pragma once
// to_json, print_json: the statistics of a pool or of a page_cache, and the counts of a counting_resource, as JSON.
//
//     freehold::print_json(stderr, pool.statistics());
//
// Thread safety: as the statistics themselves. Exceptions: none. Complexity: linear in the text.
// Cost: to_json allocates nothing, so that a program may call it where memory has run out.

#include <cstdarg>
#include <cstddef>
#include <cstdio>

#include "../core/config.hpp"
#include "counting_resource.hpp"
#include "page_cache.hpp"
#include "pool_statistics.hpp"

namespace freehold::inline v0_2 {

// A pool between two counting resources: what the program uses, and what the pool holds for that.
struct used_and_held {
    const counting_resource& used;  // before the pool
    const counting_resource& held;  // its upstream

    // Returns: what is held and not used.
    [[nodiscard]] std::ptrdiff_t unused_bytes() const noexcept {
        return held.counts().live_bytes() - used.counts().live_bytes();
    }
};

namespace detail {

// Text for a file, or for a buffer: what does not fit there is counted and left out.
class json_output {
public:
    explicit json_output(std::FILE* file) noexcept : file_(file) {}
    json_output(char* begin, std::size_t bytes) noexcept : begin_(begin), bytes_(bytes) {}

    FREEHOLD_FORMAT(2, 3) void print(const char* format, ...) noexcept {
        std::va_list arguments;
        va_start(arguments, format);
        const std::size_t used = length_ < bytes_ ? length_ : bytes_;
        const int printed = file_ != nullptr ? std::vfprintf(file_, format, arguments)
                                             : std::vsnprintf(begin_ + used, bytes_ - used, format, arguments);
        va_end(arguments);
        if (printed > 0) length_ += static_cast<std::size_t>(printed);
    }

    // Effects: prints the text in quotation marks, or null.
    void print_string(const char* text) noexcept {
        if (text == nullptr) return print("null");
        print("\"");
        for (; *text != '\0'; ++text) {
            const auto code = static_cast<unsigned char>(*text);
            if (code < ' ' || *text == '"' || *text == '\\') {
                print("\\u%04x", unsigned{code});
            } else {
                print("%c", *text);
            }
        }
        print("\"");
    }

    [[nodiscard]] std::size_t length() const noexcept { return length_; }

private:
    std::FILE* file_ = nullptr;
    char* begin_ = nullptr;
    std::size_t bytes_ = 0;
    std::size_t length_ = 0;
};

// In JSON, what is not known is null.
inline void write_count(json_output& out, const char* name, bool is_known, std::size_t value) noexcept {
    if (is_known) {
        out.print(R"(,"%s":%zu)", name, value);
    } else {
        out.print(R"(,"%s":null)", name);
    }
}

inline void write_json(json_output& out, const pool_statistics& of) noexcept {
    out.print(R"({"mapped":%zu,"spare":%zu,"large":%zu,"large_blocks":%zu,"idle":%zu)", of.mapped, of.spare, of.large,
              of.large_blocks, of.idle);
    detail::write_count(out, "live", of.is_counted, of.live);
    detail::write_count(out, "cached", of.is_counted, of.cached);
    out.print(R"(,"classes":[)");
    const char* separator = "";
    for (const pool_class_statistics& each : of) {
        out.print(R"(%s{"block_bytes":%zu,"slabs":%zu)", separator, each.block_bytes, each.slabs);
        detail::write_count(out, "live", of.is_counted, each.live);
        detail::write_count(out, "cached", of.is_counted, each.cached);
        out.print("}");
        separator = ",";
    }
    out.print("]}");
}

inline void write_json(json_output& out, const page_cache_statistics& of) noexcept {
    out.print(R"({"in_use":%zu,"idle":%zu,"mapped":%zu})", of.in_use, of.idle, of.mapped);
}

inline void write_json(json_output& out, const counting_resource& of) noexcept {
    const allocation_counts counts = of.counts();
    out.print(R"({"allocations":%zu,"deallocations":%zu,"live_blocks":%td,"live_bytes":%td,"peak_bytes":%td)",
              counts.allocations, counts.deallocations, counts.live_blocks(), counts.live_bytes(), counts.peak_bytes);
    out.print(R"(,"scopes":[)");
    const char* separator = "";
    of.held([&](const held_memory& each) {
        out.print(R"(%s{"name":)", separator);
        out.print_string(each.name);
        out.print(R"(,"blocks":%zu,"bytes":%zu,"peak_bytes":%zu})", each.blocks, each.bytes, each.peak_bytes);
        separator = ",";
    });
    out.print("]}");
}

inline void write_json(json_output& out, const used_and_held& of) noexcept {
    out.print(R"({"used":)");
    detail::write_json(out, of.used);
    out.print(R"(,"held":)");
    detail::write_json(out, of.held);
    out.print(R"(,"unused_bytes":%td})", of.unused_bytes());
}

}  // namespace detail

// Effects: writes pool_statistics, page_cache_statistics, a counting_resource or used_and_held into the buffer, as far
// as it fits, with a 0 at the end. Returns: the bytes that all of it needs, without the 0.
template <class Statistics>
std::size_t to_json(const Statistics& of, char* buffer, std::size_t bytes) noexcept {
    detail::json_output out(buffer, bytes);
    detail::write_json(out, of);
    return out.length();
}

// Effects: prints the same on a line.
template <class Statistics>
void print_json(std::FILE* file, const Statistics& of) noexcept {
    detail::json_output out(file);
    detail::write_json(out, of);
    out.print("\n");
}

}  // namespace freehold
