#include "command_line.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <span>
#include <string_view>

#include "usage_error.hpp"

namespace lab {

namespace {

constexpr auto usage =
    "usage: identify | data-size | (time | count | memory | timeline) WORKLOAD... [--threaded] [--idle] [--scale "
    "NUMBER]";

int positive_number(std::string_view text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number <= 0) {
        throw usage_error("--scale needs a positive number, not \"" + std::string(text) + "\"");
    }
    return number;
}

}  // namespace

command read_command_line(int argument_count, char** arguments) {
    std::span<char*> rest(arguments + 1, arguments + argument_count);
    const auto next = [&rest] {
        if (rest.empty()) {
            throw usage_error(usage);
        }
        const std::string_view argument = rest.front();
        rest = rest.subspan(1);
        return argument;
    };

    command asked;
    asked.action = next();
    constexpr std::string_view of_workloads[] = {"time", "count", "memory", "timeline"};
    if (std::ranges::find(of_workloads, asked.action) != std::end(of_workloads)) {
        while (!rest.empty()) {
            const std::string_view argument = next();
            if (argument == "--threaded") {
                asked.threaded = true;
            } else if (argument == "--idle") {
                asked.idle = true;
            } else if (argument == "--scale") {
                asked.scale = positive_number(next());
            } else if (argument.starts_with("--")) {
                throw usage_error("unknown option \"" + std::string(argument) + "\"");
            } else {
                asked.workloads.emplace_back(argument);
            }
        }
        if (asked.workloads.empty()) {
            throw usage_error(usage);
        }
    } else if ((asked.action != "identify" && asked.action != "data-size") || !rest.empty()) {
        throw usage_error(usage);
    }
    return asked;
}

}  // namespace lab
