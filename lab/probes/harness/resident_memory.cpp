#include "resident_memory.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace lab {

namespace {

// Returns the bytes in a line of smaps_rollup, or zero.
long bytes_in(const char* text, const char* name) {
    constexpr long kibibyte = 1024;
    const char* const line = std::strstr(text, name);
    long kibibytes = 0;
    if (line != nullptr) {
        std::sscanf(line + std::strlen(name), "%ld", &kibibytes);
    }
    return kibibytes * kibibyte;
}

}  // namespace

// Nothing is allocated: what would be freed again is memory that a malloc has at hand, and does not take anew.
resident_memory read_resident_memory() {
    char text[4096];
    const int file = open("/proc/self/smaps_rollup", O_RDONLY);
    const ssize_t length = file < 0 ? 0 : read(file, text, sizeof(text) - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    const long anonymous = bytes_in(text, "\nAnonymous:");
    return {anonymous, bytes_in(text, "\nRss:") - anonymous};
}

long read_peak_memory() {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss * 1024;
}

}  // namespace lab
