// The main function of the tests.
//
//   PROGRAM --file=FILE      runs the tests of tests/FILE, each in a process of its own
//   PROGRAM --gtest_…        does what GoogleTest does
//
// A test has a process to itself, so that "before the first thread" can be tested. It is forked and not started: to
// start a program with AddressSanitizer takes longer than most tests. Where that does not work, the program is started.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#if defined(_WIN32)
#include "started_process.hpp"
#else
#include "forked_process.hpp"
#endif

namespace {

constexpr std::string_view file_option = "--file=";

// A death test starts the program again with all of its options: then it is the one test that runs.
bool is_death_test(std::span<char*> arguments) {
    return std::ranges::any_of(
        arguments, [](std::string_view each) { return each.starts_with("--gtest_internal_run_death_test"); });
}

// Returns: whether the test passed, in a process of its own.
bool passes(const char* program, const testing::TestInfo& test) {
    const std::string name = std::string(test.test_suite_name()) + "." + test.name();
    std::fflush(nullptr);
    const std::string failure = support::run_alone(program, name);
    if (failure.empty()) return true;
    std::printf("FAILED: %s (%s)\n", name.c_str(), failure.c_str());
    return false;
}

int run_file(const char* program, std::string_view file) {
    // The compiler may have been given another path to the same place.
    const std::string end = "/tests/" + std::string(file);
    const testing::UnitTest& all = *testing::UnitTest::GetInstance();
    int tests = 0;
    int failed = 0;
    for (int i = 0; i < all.total_test_suite_count(); ++i) {
        const testing::TestSuite& suite = *all.GetTestSuite(i);
        for (int j = 0; j < suite.total_test_count(); ++j) {
            const testing::TestInfo& test = *suite.GetTestInfo(j);
            if (!std::string_view(test.file()).ends_with(end)) continue;
            ++tests;
            if (!passes(program, test)) ++failed;
        }
    }
    std::printf("%d tests, %d failed\n", tests, failed);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view option = argc > 1 ? argv[1] : "";
    const bool is_file = option.starts_with(file_option) && !is_death_test({argv, static_cast<std::size_t>(argc)});
    if (is_file) GTEST_FLAG_SET(brief, true);
    testing::InitGoogleTest(&argc, argv);
    return is_file ? run_file(argv[0], option.substr(file_option.size())) : RUN_ALL_TESTS();
}
