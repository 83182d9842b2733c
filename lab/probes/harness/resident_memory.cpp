#include "resident_memory.hpp"

#include <cstdio>
#include <fstream>
#include <string>

namespace lab {

resident_memory read_resident_memory() {
    std::ifstream file("/proc/self/smaps_rollup");
    long all = 0;
    long anonymous = 0;
    for (std::string line; std::getline(file, line);) {
        std::sscanf(line.c_str(), "Rss: %ld", &all);
        std::sscanf(line.c_str(), "Anonymous: %ld", &anonymous);
    }
    constexpr long kibibyte = 1024;
    return {anonymous * kibibyte, (all - anonymous) * kibibyte};
}

}  // namespace lab
