#pragma once
// for_each_step: stops a child process behind each of its instructions, at each of which it could be killed.

#include <gtest/gtest.h>

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>

#include "on_one_processor.hpp"

namespace support {

// Effects: calls work() in a child process, and look() in this one behind each instruction of work().
// Returns: how many instructions there were; 0 if the system can't do it.
template <class Work, class Look>
std::size_t for_each_step(Work work, Look look) {
    const on_one_processor both;  // a switch between two takes longer
    const pid_t child = ::fork();
    if (child == 0) {
        if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(0);
        ::raise(SIGSTOP);
        work();
        ::raise(SIGSTOP);
        ::_exit(0);
    }
    const auto stopped_by = [child](int signal) {
        int status = 0;
        return ::waitpid(child, &status, 0) == child && WIFSTOPPED(status) && WSTOPSIG(status) == signal;
    };
    if (!stopped_by(SIGSTOP)) return 0;
    std::size_t steps = 0;
    while (::ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) == 0 && stopped_by(SIGTRAP)) {
        ++steps;
        look();
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    return steps;
}

}  // namespace support
