// A program that has more rights than its user writes no heap profile. Only root can make it such a program here.

#include <freehold/memory/heap_profile.hpp>

#include <freehold/core/annotate.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(FREEHOLD_LINUX)
#include <sys/auxv.h>
#endif

#include "check.hpp"

// AddressSanitizer cannot look for leaks in such a program.
#if defined(FREEHOLD_LINUX) && !defined(FREEHOLD_ADDRESS_SANITIZER)

namespace {

// What the program does that main() has made: it says whether it has more rights, and whether it wrote.
int attempt(const char* path) {
    if (!freehold::heap_profile::start()) return 3;
    const bool is_written = freehold::heap_profile::write(path);
    return getauxval(AT_SECURE) == 0 ? 3 : is_written ? 1 : 0;
}

int run(const char* program, const char* path) {
    const pid_t child = fork();
    if (child == 0) {
        execl(program, program, path, nullptr);
        _exit(2);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

}  // namespace

int main(int count, char** arguments) {
    if (count > 1) return attempt(arguments[1]);
    if (geteuid() != 0) return 0;
    constexpr uid_t other = 65534;
    char folder[] = "/tmp/freehold_more_rights_XXXXXX";
    CHECK(mkdtemp(folder) != nullptr && chmod(folder, 0777) == 0);
    const std::string program = std::string(folder) + "/program";
    const std::string path = std::string(folder) + "/heap.pb";
    std::filesystem::copy_file("/proc/self/exe", program);
    CHECK(chown(program.c_str(), other, other) == 0 && chmod(program.c_str(), 04755) == 0);
    const int result = run(program.c_str(), path.c_str());
    CHECK(result == 0 || result == 3);  // 3: the file system gives no rights
    CHECK(!std::ifstream(path).is_open());
    std::filesystem::remove_all(folder);
}

#else

int main() {}

#endif
