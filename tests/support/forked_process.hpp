#pragma once
// run_alone: runs a test in a process of its own, which is forked. ThreadSanitizer starts a thread of its own in a
// forked process, so there the program is started.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "deadline.hpp"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TESTS_ARE_STARTED
#endif
#endif

namespace support {

// Returns: why the test failed; nothing if it passed.
inline std::string run_alone([[maybe_unused]] const char* program, const std::string& test) {
    const pid_t child = fork();
    if (child == 0) {
        set_deadline();
#ifdef TESTS_ARE_STARTED
        const std::string filter = "--gtest_filter=" + test;
        execl(program, program, filter.c_str(), "--gtest_brief=1", nullptr);
        std::perror(program);
        _exit(EXIT_FAILURE);
#else
        GTEST_FLAG_SET(filter, test);
        std::exit(RUN_ALL_TESTS());
#endif
    }
    int status = 0;
    if (child == -1 || waitpid(child, &status, 0) != child) return "it was not forked";
    if (status == 0) return {};
    return WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace support
