#pragma once
// in_limited_address_space: runs a function in a child process that gets few more addresses than it has, as under
// ulimit -v. Not under sanitizers, which need addresses of their own.

#include <gtest/gtest.h>

#include <cstddef>

#if defined(__linux__)

#include <fstream>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emulation.hpp"

namespace support {

// Effects: sets the limit to `bytes` more than the process has. Returns: whether it could.
[[nodiscard]] inline bool limit_address_space(std::size_t bytes) {
    std::ifstream statm("/proc/self/statm");
    std::size_t pages = 0;
    statm >> pages;
    const std::size_t all = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + bytes;
    const rlimit limit{all, all};
    return ::setrlimit(RLIMIT_AS, &limit) == 0;
}

// Effects: expects that `body()`, in a child process whose address space has room for `bytes` bytes more, returns 0.
void expect_0_in_limited_address_space(std::size_t bytes, auto body) {
    if (is_emulated()) GTEST_SKIP() << "an emulator does not limit its addresses";
    const pid_t child = ::fork();
    ASSERT_NE(child, -1);
    if (child == 0) ::_exit(limit_address_space(bytes) ? body() : 99);
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "exit code " << (WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

}  // namespace support

#else

namespace support {

void expect_0_in_limited_address_space(std::size_t, auto) { GTEST_SKIP() << "the system does not limit addresses"; }

}  // namespace support

#endif
