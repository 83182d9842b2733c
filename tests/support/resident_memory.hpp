#pragma once
// resident_memory: how much memory the system has behind the process's addresses.

#include <unistd.h>

#include <cstddef>
#include <cstdio>

#include "builds/check.hpp"

namespace support {

inline std::size_t resident_bytes() {
    std::FILE* const file = std::fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    CHECK(file != nullptr && std::fscanf(file, "%*u %lu", &pages) == 1);
    std::fclose(file);
    return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace support
