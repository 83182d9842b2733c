#pragma once
// A child process in which something is measured, so that it finds nothing of what was measured before it.

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

namespace lab {

struct child {
    pid_t process;
    int answers;
};

// What is told is copied as it lies in memory, to a process of the same program.
void answer(int to, const auto& what) {
    if (write(to, &what, sizeof(what)) != sizeof(what)) {
        _exit(1);
    }
}

void hear(int from, auto& what) {
    if (read(from, &what, sizeof(what)) != sizeof(what)) {
        throw std::runtime_error("the child that measures memory ended too early");
    }
}

// Calls measure(answers), which tells its answers, in a child.
child start_child(const auto& measure) {
    int ends[2];
    if (pipe(ends) != 0) {
        throw std::runtime_error("no pipe to a child could be made");
    }
    const pid_t process = fork();
    if (process < 0) {
        throw std::runtime_error("no child could be forked");
    }
    if (process == 0) {
        measure(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    return {process, ends[0]};
}

// Waits for the last answer of the child, and for its end.
template <class Answer>
Answer finish(const child& ending) {
    Answer last;
    hear(ending.answers, last);
    close(ending.answers);
    waitpid(ending.process, nullptr, 0);
    return last;
}

}  // namespace lab
