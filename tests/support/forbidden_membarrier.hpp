#pragma once
// forbid_membarrier: the kernel refuses membarrier from now on, as a sandbox does that a program enters. On Linux.

#include <gtest/gtest.h>

#if defined(__linux__)

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "child.hpp"

namespace support {

// Effects: forbids membarrier to the process, in all of its threads. Returns: whether the kernel agreed.
[[nodiscard]] inline bool forbid_membarrier() {
    sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program = {4, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

// Effects: expects that work() returns true in a child process that is forbidden membarrier after it has called
// before().
template <class Before, class Work>
void expect_without_membarrier(Before before, Work work) {
    constexpr int no_seccomp = 77;
    const int status = in_child([&] {
        before();
        if (!forbid_membarrier()) return no_seccomp;
        return work() ? 0 : 1;
    });
    if (status == no_seccomp) GTEST_SKIP() << "the kernel has no seccomp";
    EXPECT_EQ(status, 0);
}

}  // namespace support

#else

namespace support {

void expect_without_membarrier(auto, auto) { GTEST_SKIP() << "the system forbids no call"; }

}  // namespace support

#endif
