#pragma once
// in_child: runs a function in a child process, on systems whose processes fork.

#if __has_include(<sys/wait.h>)
#include <sys/wait.h>
#include <unistd.h>

#include "deadline.hpp"
#else
#include <cstdlib>
#endif

namespace support {

// For tests that are skipped otherwise.
#if __has_include(<sys/wait.h>)
inline constexpr bool can_fork = true;
#else
inline constexpr bool can_fork = false;
#endif

// Returns: what work() returns in a child process; -1 if the child does not end. Requires: can_fork.
template <class Work>
int in_child([[maybe_unused]] Work work) {
#if __has_include(<sys/wait.h>)
    const pid_t child = ::fork();
    if (child == 0) {
        set_deadline();
        ::_exit(work());
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
#else
    std::abort();
#endif
}

}  // namespace support
