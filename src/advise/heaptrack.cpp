// heaptrack RECORDING PROCESS NAMES PROGRAM: prints the calls of a process as heaptrack_print and heaptrack_gui read
// them. NAMES has a line for each place, "MODULE ADDRESS FUNCTION".
//
// The format is that of heaptrack_interpret, version 2: strings, places, nodes of call trees, and pairs of size and
// node are numbered from 1 (pairs from 0) as they come, and all numbers are hexadecimal.

#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>
#include <x86intrin.h>

#include "events.hpp"
#include "live_blocks.hpp"

namespace {

using namespace advise;
using key = std::pair<std::uint32_t, std::uint64_t>;  // of a place: the module and the address

// Returns how far the time stamps of events go in a millisecond.
double ticks_in_millisecond() {
    using clock = std::chrono::steady_clock;
    const auto begin = clock::now();
    const std::uint64_t first = __rdtsc();
    while (clock::now() - begin < std::chrono::milliseconds(10)) {
    }
    const std::uint64_t last = __rdtsc();
    const std::chrono::duration<double, std::milli> taken = clock::now() - begin;
    return static_cast<double>(last - first) / taken.count();
}

class printer : public definitions {
public:
    explicit printer(const char* names) {
        std::ifstream file(names);
        std::int64_t module = 0;
        std::uint64_t address = 0;
        for (std::string function; file >> module >> address && file.get() && std::getline(file, function);)
            names_[{static_cast<std::uint32_t>(module + 1), address}] = function;
    }

    void define_module(std::uint32_t number, std::string name) override { modules_[number + 1] = std::move(name); }

    void define_site(std::uint32_t number, const std::vector<place>& callers) override {
        std::uint32_t node = 0;
        for (auto each = callers.rbegin(); each != callers.rend(); ++each) node = node_of(place_of(*each), node);
        if (nodes_of_sites_.size() <= number) nodes_of_sites_.resize(number + 1);
        nodes_of_sites_[number] = node;
    }

    void take(const event& each) {
        tell_time(each.time);
        forget(each.block);  // of an allocation: a block that is still there was freed unseen
        if (each.is_half || recorder::is_free(each.what)) return;
        const std::uint32_t number = pair_of(each.size, nodes_of_sites_.at(each.site));
        std::printf("+ %" PRIx32 "\n", number);
        live_.insert(each.block, number + 1);
    }

private:
    void forget(std::uint64_t block) {
        if (const std::uint32_t found = live_.take(block)) std::printf("- %" PRIx32 "\n", found - 1);
    }

    void tell_time(std::uint64_t time) {
        if (begin_ == 0) begin_ = time;
        const auto now = static_cast<std::uint64_t>(static_cast<double>(time - begin_) / ticks_);
        if (now == told_) return;
        std::printf("c %" PRIx64 "\n", told_ = now);
    }

    // Each returns a number, and prints what has none yet.

    std::uint32_t string_of(const std::string& text) {
        const auto [at, is_new] = strings_.try_emplace(text, strings_.size() + 1);
        if (is_new) std::printf("s %s\n", text.c_str());
        return at->second;
    }

    std::uint32_t place_of(const place& each) {
        const auto [at, is_new] = places_.try_emplace({each.module, each.offset}, places_.size() + 1);
        if (!is_new) return at->second;
        const std::uint32_t module = each.module != 0 ? string_of(modules_[each.module]) : 0;
        const auto name = names_.find({each.module, each.offset});
        const std::uint32_t function = name != names_.end() ? string_of(name->second) : 0;
        std::printf("i %" PRIx64 " %" PRIx32 " %" PRIx32 "\n", each.offset, module, function);
        return at->second;
    }

    std::uint32_t node_of(std::uint32_t where, std::uint32_t parent) {
        const auto [at, is_new] = nodes_.try_emplace({where, parent}, nodes_.size() + 1);
        if (is_new) std::printf("t %" PRIx32 " %" PRIx32 "\n", where, parent);
        return at->second;
    }

    std::uint32_t pair_of(std::uint64_t size, std::uint32_t node) {
        const auto [at, is_new] = pairs_.try_emplace({size, node}, pairs_.size());
        if (is_new) std::printf("a %" PRIx64 " %" PRIx32 "\n", size, node);
        return at->second;
    }

    double ticks_ = ticks_in_millisecond();
    std::uint64_t begin_ = 0, told_ = 0;
    std::map<key, std::string> names_;
    std::map<std::uint32_t, std::string> modules_;
    std::vector<std::uint32_t> nodes_of_sites_;
    std::map<std::string, std::uint32_t> strings_;
    std::map<key, std::uint32_t> places_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> nodes_;
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> pairs_;
    address_map live_;
};

}

int main(int count, char** arguments) try {
    if (count != 5) throw std::runtime_error("usage: heaptrack RECORDING PROCESS NAMES PROGRAM");
    std::printf("v 10400 2\n# freehold advise\nX %s\n", arguments[4]);
    std::printf("I %lx %lx\n", sysconf(_SC_PAGESIZE), sysconf(_SC_PHYS_PAGES));
    recording_file file(arguments[1]);
    printer out(arguments[3]);
    const auto process = static_cast<std::uint32_t>(std::strtoul(arguments[2], nullptr, 10));
    merge(file, process, out, [&](const event& each, std::uint32_t) { out.take(each); });
    return std::fflush(stdout) != 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
