// analysis RECORDING PROCESS [REPLAY [CHANGE NUMBERS...]]: prints what a process of a recording did, as JSON, in one
// pass; writes what replay.cpp needs to do it again, with a change that change.hpp knows.

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "following.hpp"
#include "weighing.hpp"

namespace {

using namespace advise;

// Files have any names: a byte that is no letter of ASCII is told as the letter of that number.
void print_text(const std::string& text) {
    std::putchar('"');
    for (const char each : text) {
        if (each == '"' || each == '\\')
            std::printf("\\%c", each);
        else
            std::printf(each >= ' ' && each < 0x7f ? "%c" : "\\u%04x", static_cast<unsigned char>(each));
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
    std::putchar(',');
    print_list("sizes", sums.sizes);
}

void print_site(std::uint32_t number, const site& each) {
    std::printf("{");
    print("number", number);
    print("node", each.path.empty() ? 0 : each.path.front());
    std::printf("\"callers\":[");
    for (std::size_t i = 0; i < each.callers.size(); ++i) {
        if (i != 0) std::putchar(',');
        print_place(each.callers[i]);
    }
    std::printf("],");
    print("recorded", each.recorded);
    print("blocks", each.blocks);
    print("bytes", each.bytes);
    print("freed", each.freed);
    print("by_others", each.by_others);
    print("in_stack_order", each.in_stack_order);
    print("left_bytes", each.live_bytes);
    print("at_peak", each.at_peak);
    print("made", each.made);
    print("least_size", each.least_size);
    print("most_size", each.most_size);
    print("outgrown", each.outgrown.blocks);
    print("outgrown_bytes", each.outgrown.bytes);
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

void print_all(const follower& found, std::uint32_t threads, std::uint64_t samples) {
    std::printf("{");
    print("samples", samples);
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
    for (std::uint32_t i = 0; i < found.sites().size(); ++i) {
        if (found.sites()[i].blocks == 0) continue;
        std::printf("%s", before);
        print_site(i, found.sites()[i]);
        before = ",\n";
    }
    std::printf("],\"nodes\":[");
    before = "";
    const auto& nodes = found.tree().nodes();
    for (std::uint32_t i = 1; samples == 0 && i < nodes.size(); ++i) {  // samples tell of no batch
        std::printf("%s", before);
        print_node(i, nodes[i]);
        before = ",\n";
    }
    std::printf("],\"timeline\":[");
    before = "";
    for (const timeline::point& each : found.times().points()) {
        std::printf("%s[%" PRIu64 ",%" PRIu64 "]", before, each.most, each.allocated);
        before = ",";
    }
    std::printf("]}\n");
}

}

int main(int count, char** arguments) try {
    if (count < 3) throw std::runtime_error("usage: analysis RECORDING PROCESS [REPLAY [CHANGE NUMBERS...]]");
    const auto number = [&](int at) { return static_cast<std::uint32_t>(std::strtoul(arguments[at], nullptr, 10)); };
    change what;
    if (count > 4) {
        std::vector<std::uint32_t> numbers;
        for (int i = 5; i < count; ++i) numbers.push_back(number(i));
        what = read_change(arguments[4], std::move(numbers));
    }
    recording_file file(arguments[1]);
    weighing weights(file.sampled_bytes());
    const auto follow = [&](follower& found) {
        const std::uint32_t threads = merge(file, number(2), found, [&](const event& each, std::uint32_t thread) {
            found.take(weights.of(each), thread);
        });
        found.finish();
        return threads;
    };
    if (what.is_of_outgrown) {  // what will be outgrown is known only when it was
        replay_writer none(nullptr);
        follower before(none, what);
        follow(before);
        what.births = before.births();
    }
    replay_writer replay(count > 3 ? arguments[3] : nullptr);
    follower found(replay, what);
    const std::uint32_t threads = follow(found);
    replay.finish();
    print_all(found, threads, weights.samples());
    return std::ferror(stdout) != 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
