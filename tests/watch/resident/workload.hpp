#pragma once
// What a program of this folder is made of: workloads, each in a process of its own, and the memory that they keep.

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "../still_clock.hpp"

namespace watch {

// Returns: how many KiB of anonymous memory are present. The files of a process are not among them: which of their
// pages are present depends on the system. smaps_rollup walks the pages, where statm may be behind.
inline long resident() {
    std::ifstream file("/proc/self/smaps_rollup");
    for (std::string word; file >> word;) {
        long kibibytes = 0;
        if (word == "Anonymous:" && file >> kibibytes) return kibibytes;
    }
    std::abort();
}

// Prints what is resident beyond the program itself, after the name of the workload and of a moment in it.
class moments {
public:
    explicit moments(const char* workload) : workload_(workload) {}

    void operator()(const char* moment) const {
        const long more = resident() - before_;
        std::printf("%ld %s: %s\n", more, workload_, moment);
    }

private:
    const char* workload_;
    long before_ = resident();
};

// Requires: the process has one thread. A huge page would make the same blocks take more, where the system likes.
template <class Workload>
void workload(const char* name, Workload run) {
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) {
        ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
        const moments now(name);
        run(now);
        std::fflush(stdout);
        std::_Exit(EXIT_SUCCESS);
    }
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child || status != 0) std::exit(EXIT_FAILURE);
}

}  // namespace watch
