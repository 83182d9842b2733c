#pragma once
// Runs every case of a program in a process of its own: a fork of this one, so that Valgrind starts and translates once
// for all of them, and still sees each to its end.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

// Effects: for each argument forks a child, which returns what `run` returns for it, and prints a line with the
// argument, the child and its exit code.
template <class Run>
int run_each(int argument_count, char** arguments, Run run) {
    for (int i = 1; i < argument_count; ++i) {
        std::fflush(stdout);
        const pid_t child = ::fork();
        if (child == 0) return run(arguments[i]);
        int status = 0;
        if (child < 0 || ::waitpid(child, &status, 0) != child) return 1;
        std::printf("case %s %d %d\n", arguments[i], static_cast<int>(child),
                    WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    }
    return 0;
}
