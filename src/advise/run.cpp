// Runs a program and notes what it takes: `run FIGURES PRELOAD PROGRAM ARGUMENTS`.
//
// A process has the peak of what began it. This has little, where Python has much.

#include <cstdio>
#include <cstdlib>
#include <string>

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace {

double now() {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

void preload(const char* library) {
    if (*library == '\0') return;
    const char* const others = std::getenv("LD_PRELOAD");
    const std::string all = others == nullptr ? library : std::string(library) + ' ' + others;
    ::setenv("LD_PRELOAD", all.c_str(), 1);
}

}  // namespace

int main(int, char** arguments) {
    const double begin = now();
    const pid_t child = ::fork();
    if (child == 0) {
        preload(arguments[2]);
        ::execvp(arguments[3], arguments + 3);
        ::_exit(127);
    }
    int status = 0;
    rusage used{};
    while (::wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
    }
    const double took = now() - begin;
    std::FILE* const figures = std::fopen(arguments[1], "w");
    if (child < 0 || figures == nullptr) return 1;
    std::fprintf(figures, "%d %f %f %f %ld %ld\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), took,
                 seconds(used.ru_utime) + seconds(used.ru_stime), seconds(used.ru_stime), used.ru_minflt,
                 used.ru_maxrss);
    return std::fclose(figures);
}
