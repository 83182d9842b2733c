#pragma once
// process_memory: how much memory the process has. Nothing is allocated to find out.

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>

#include "builds/check.hpp"

namespace support {

// In bytes.
struct process_memory {
    std::size_t mapped;
    std::size_t resident;
};

inline process_memory measure() {
    char text[100] = {};
    const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    CHECK(file != -1 && ::read(file, text, sizeof(text) - 1) > 0);
    ::close(file);
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    char* rest = nullptr;
    const std::size_t mapped = std::strtoul(text, &rest, 10) * page;
    return {mapped, std::strtoul(rest, nullptr, 10) * page};
}

inline std::size_t resident_bytes() { return measure().resident; }

}  // namespace support
