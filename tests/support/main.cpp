// The main function of the tests.
//
//   PROGRAM --file=FILE      runs the tests of tests/FILE, each in a process of its own
//   PROGRAM --gtest_…        does what GoogleTest does
//
// A test has a process to itself, so that "before the first thread" can be tested. It is forked and not started: to
// start a program with AddressSanitizer takes longer than most tests. ThreadSanitizer starts a thread of its own in a
// forked process, so there the program is started.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "deadline.hpp"

namespace {

constexpr std::string_view file_option = "--file=";

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TESTS_ARE_STARTED
#endif
#endif

// A death test starts the program again with all of its options: then it is the one test that runs.
bool is_death_test(std::span<char*> arguments) {
    return std::ranges::any_of(
        arguments, [](std::string_view each) { return each.starts_with("--gtest_internal_run_death_test"); });
}

std::string full_name(const testing::TestInfo& test) { return std::string(test.test_suite_name()) + "." + test.name(); }

// Returns: whether the test passed, in a process of its own.
bool passes([[maybe_unused]] const char* program, const testing::TestInfo& test) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        support::set_deadline();
#ifdef TESTS_ARE_STARTED
        const std::string filter = "--gtest_filter=" + full_name(test);
        execl(program, program, filter.c_str(), "--gtest_brief=1", nullptr);
        std::perror(program);
        _exit(EXIT_FAILURE);
#else
        GTEST_FLAG_SET(filter, full_name(test));
        std::exit(RUN_ALL_TESTS());
#endif
    }
    int status = 0;
    if (child == -1 || waitpid(child, &status, 0) != child) {
        std::perror("fork");
        return false;
    }
    if (status == 0) return true;
    const std::string cause =
        WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit code " + std::to_string(WEXITSTATUS(status));
    std::printf("FAILED: %s (%s)\n", full_name(test).c_str(), cause.c_str());
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
