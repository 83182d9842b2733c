#pragma once
// page_advice_of: which pages the process has asked the system for.

#if defined(__linux__)

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace support {

enum class page_advice { none, small, huge };

// Returns: what was asked for where the page is.
inline page_advice page_advice_of(const void* page) {
    std::FILE* const file = std::fopen("/proc/self/smaps", "r");
    if (file == nullptr) return page_advice::none;
    const auto address = reinterpret_cast<std::uintptr_t>(page);
    bool is_there = false;
    page_advice found = page_advice::none;
    char line[4096];
    while (std::fgets(line, sizeof(line), file) != nullptr) {
        unsigned long begin = 0;
        unsigned long end = 0;
        if (std::sscanf(line, "%lx-%lx ", &begin, &end) == 2) is_there = begin <= address && address < end;
        if (!is_there || std::strncmp(line, "VmFlags:", 8) != 0) continue;
        if (std::strstr(line, " hg") != nullptr) found = page_advice::huge;
        if (std::strstr(line, " nh") != nullptr) found = page_advice::small;
    }
    std::fclose(file);
    return found;
}

// Returns: whether the system knows huge pages, whatever it does with them, and says where it was asked for them.
inline bool takes_page_advice() {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    void* const pages = ::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const bool is_taken = ::madvise(pages, page, MADV_HUGEPAGE) == 0 && page_advice_of(pages) == page_advice::huge;
    ::munmap(pages, page);
    return is_taken;
}

}  // namespace support

#else

namespace support {

enum class page_advice { none, small, huge };

inline page_advice page_advice_of(const void*) { return page_advice::none; }
inline bool takes_page_advice() { return false; }

}  // namespace support

#endif
