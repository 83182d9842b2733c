#pragma once
// in_child: runs a function in a child process.

#include <sys/wait.h>
#include <unistd.h>

#include "deadline.hpp"

namespace support {

// Returns: what work() returns in a child process; -1 if the child does not end.
template <class Work>
int in_child(Work work) {
    const pid_t child = ::fork();
    if (child == 0) {
        set_deadline();
        ::_exit(work());
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace support
