#pragma once
// process_memory: how much memory the process has. Nothing is allocated to find out.

#if defined(_WIN32)
#include <windows.h>

#include <psapi.h>
#elif defined(__APPLE__)
#include <mach/mach.h>
#else
#include <fcntl.h>
#include <unistd.h>
#endif

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
#if defined(_WIN32)
    PROCESS_MEMORY_COUNTERS found{};
    CHECK(K32GetProcessMemoryInfo(GetCurrentProcess(), &found, sizeof(found)) != 0);
    return {found.PagefileUsage, found.WorkingSetSize};
#elif defined(__APPLE__)
    mach_task_basic_info found{};
    mach_msg_type_number_t count = MACH_TASK_BASIC_INFO_COUNT;
    auto* const place = reinterpret_cast<task_info_t>(&found);
    CHECK(task_info(mach_task_self(), MACH_TASK_BASIC_INFO, place, &count) == KERN_SUCCESS);
    return {found.virtual_size, found.resident_size};
#else
    char text[100] = {};
    const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    CHECK(file != -1 && ::read(file, text, sizeof(text) - 1) > 0);
    ::close(file);
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    char* rest = nullptr;
    const std::size_t mapped = std::strtoul(text, &rest, 10) * page;
    return {mapped, std::strtoul(rest, nullptr, 10) * page};
#endif
}

inline std::size_t resident_bytes() { return measure().resident; }

}  // namespace support
