// The heap profiles that libfreehold-malloc.so writes where the environment asks for them: at a signal, and when a
// process ends, also a forked one. Blocks of more than 40 times the mean distance of two samples are always sampled.

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "builds/check.hpp"

namespace {

constexpr std::size_t first = std::size_t{64} << 20;
constexpr std::size_t second = std::size_t{96} << 20;

// Returns: whether a stack has so many bytes in use.
bool has_in_use(const std::string& path, std::size_t bytes) {
    std::ifstream file(path);
    CHECK(file.is_open());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return text.find(" " + std::to_string(bytes) + "\n") != std::string::npos;
}

void end_well(pid_t child) {
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// What the program does whose environment asks for profiles.
int profiled() {
    void* const block = std::malloc(first);
    std::raise(SIGUSR2);
    std::free(std::malloc(second));  // a sample, which writes the first profile
    const pid_t child = fork();
    if (child == 0) {
        std::free(block);
        return std::malloc(second) != nullptr ? 0 : 1;  // the second profile
    }
    end_well(child);
    return 0;  // the third profile
}

}  // namespace

int main(int count, char** arguments) {
    if (count > 1) return profiled();
    char folder[] = "/tmp/freehold_heap_profile_XXXXXX";
    CHECK(mkdtemp(folder) != nullptr);
    const std::string path = std::string(folder) + "/heap.folded";
    const pid_t child = fork();
    if (child == 0) {
        setenv("FREEHOLD_HEAP_PROFILE", path.c_str(), 1);
        setenv("FREEHOLD_HEAP_PROFILE_SIGNAL", std::to_string(SIGUSR2).c_str(), 1);
        execl("/proc/self/exe", arguments[0], "profiled", nullptr);
        _exit(1);
    }
    end_well(child);
    CHECK(has_in_use(path, first) && !has_in_use(path, second));
    CHECK(!has_in_use(path + ".1", first) && has_in_use(path + ".1", second));
    CHECK(has_in_use(path + ".2", first) && !has_in_use(path + ".2", second));
    struct stat found{};
    CHECK(stat(path.c_str(), &found) == 0 && (found.st_mode & 07777) == 0600);
    for (const char* const suffix : {"", ".1", ".2"}) CHECK(std::remove((path + suffix).c_str()) == 0);
    CHECK(rmdir(folder) == 0);
    return 0;
}
