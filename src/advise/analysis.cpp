// analysis RECORDING PROCESS [REPLAY [ARENA]]: prints what a process of a recording did, as JSON, in one pass; writes
// what replay.cpp needs to do it again, with the blocks beneath the node ARENA of the tree in an arena.

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "following.hpp"

namespace {

using namespace advise;

// Files have any names; what is no letter of ASCII is replaced.
void print_text(const std::string& text) {
    std::putchar('"');
    for (const char each : text) {
        if (each == '"' || each == '\\')
            std::printf("\\%c", each);
        else
            std::putchar(each >= ' ' && each < 0x7f ? each : '?');
    }
    std::putchar('"');
}

void print(const char* name, std::uint64_t value) { std::printf("\"%s\":%" PRIu64 ",", name, value); }

template <class Numbers>
void print_list(const char* name, const Numbers& numbers) {
    std::printf("\"%s\":[", name);
    const char* before = "";
    for (const auto each : numbers) {
        std::printf("%s%" PRIu64, before, static_cast<std::uint64_t>(each));
        before = ",";
    }
    std::printf("]");
}

void print_place(const place& each) {
    std::printf("[%" PRId64 ",%" PRIu64 "]", std::int64_t{each.module} - 1, each.offset);
}

void print_totals(const totals& sums) {
    print("events", sums.events);
    print("allocations", sums.allocations);
    print("frees", sums.frees);
    print("reallocations", sums.reallocations);
    print("of_unknown", sums.of_unknown);
    print("bytes", sums.bytes);
    print("most_bytes", sums.most_bytes);
    print("most_blocks", sums.most_blocks);
    print("left", sums.live);
    print("left_bytes", sums.live_bytes);
    print_list("kinds", sums.kinds);
}

void print_site(const site& each) {
    std::printf("{\"callers\":[");
    for (std::size_t i = 0; i < each.callers.size(); ++i) {
        if (i != 0) std::putchar(',');
        print_place(each.callers[i]);
    }
    std::printf("],");
    print("blocks", each.blocks);
    print("bytes", each.bytes);
    print("freed", each.freed);
    print("by_others", each.by_others);
    print("in_stack_order", each.in_stack_order);
    print("left_bytes", each.live_bytes);
    print("at_peak", each.at_peak);
    print_list("lifetimes", each.lifetimes);
    std::putchar('}');
}

void print_node(std::uint32_t number, const node& each) {
    std::printf("{");
    print("number", number);
    print("parent", each.parent);
    print("blocks", each.blocks);
    print("made", each.made);
    print("bytes", each.bytes);
    print("left", each.left);
    print("by_others", each.by_others);
    print("batches", each.batches);
    print("most_bytes", each.most_bytes);
    print("most_live", each.most_live);
    print("price", each.price);
    std::printf("\"is_recursive\":%s,\"place\":", each.is_recursive ? "true" : "false");
    print_place(each.where);
    std::putchar('}');
}

void print_all(const follower& found, std::uint32_t threads) {
    std::printf("{");
    print_totals(found.sums());
    std::printf(",\"threads\":%" PRIu32 ",\"modules\":[", threads);
    const char* before = "";
    for (const std::string& each : found.modules()) {
        std::printf("%s", before);
        print_text(each);
        before = ",";
    }
    std::printf("],\"sites\":[");
    before = "";
    for (const site& each : found.sites()) {
        if (each.blocks == 0) continue;
        std::printf("%s", before);
        print_site(each);
        before = ",\n";
    }
    std::printf("],\"nodes\":[");
    before = "";
    const auto& nodes = found.tree().nodes();
    for (std::uint32_t i = 1; i < nodes.size(); ++i) {
        std::printf("%s", before);
        print_node(i, nodes[i]);
        before = ",\n";
    }
    std::printf("]}\n");
}

}

int main(int count, char** arguments) try {
    if (count < 3) throw std::runtime_error("usage: analysis RECORDING PROCESS [REPLAY [ARENA]]");
    const auto number = [&](int at) {
        return at < count ? static_cast<std::uint32_t>(std::strtoul(arguments[at], nullptr, 10)) : 0;
    };
    recording_file file(arguments[1]);
    replay_writer replay(count > 3 ? arguments[3] : nullptr);
    follower found(replay, number(4));
    const std::uint32_t threads =
        merge(file, number(2), found, [&](const event& each, std::uint32_t thread) { found.take(each, thread); });
    found.finish();
    replay.finish();
    print_all(found, threads);
    return std::ferror(stdout) != 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
