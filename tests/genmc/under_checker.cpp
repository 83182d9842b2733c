// Runs programs under the checker and prints what each has seen, two digits each, or why it fails.
//
//   under_checker PROGRAM WEAKENING [ORDER…]    the last two as numbers
//
// EACH_PROGRAM(use) is use(NAME) for each program.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "program.hpp"
#include "support/checker.hpp"

namespace {

std::set<int> outcomes;

template <class Program>
struct collected : Program {
    static constexpr std::size_t threads = Program::threads;

    void run(std::size_t thread) {
        number_of_thread = static_cast<int>(thread);
        Program::run(number_of_thread);
    }

    void check() {
        this->finish();
        if (!is_as_expected) ADD_FAILURE();
        const auto& seen = this->seen;
        outcomes.insert(((seen[0] * 100 + seen[1]) * 100 + seen[2]) * 100 + seen[3]);
    }
};

template <class Program>
std::string failure_of() {
    // All data is declared, so nothing is between the operations.
    return support::first_failure<collected<Program>>(
        {.interruptions = Program::interruptions, .surprises = Program::surprises, .steps_after = false});
}

int tell(const std::string& failure) {
    if (failure.empty()) {
        for (const int each : outcomes) std::printf("%08d\n", each);
    } else {
        std::printf("%s\n", failure.c_str());
    }
    return failure.empty() ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int count, char** arguments) {
    const std::string_view name = arguments[1];
    weakened = static_cast<weakening>(std::atoi(arguments[2]));
    for (int i = 3; i < count; ++i) orders[i - 3] = static_cast<std::memory_order>(std::atoi(arguments[i]));
#define RUN_IF_NAMED(program) \
    if (name == #program) return tell(failure_of<program>());
    EACH_PROGRAM(RUN_IF_NAMED)
    return 2;
}
