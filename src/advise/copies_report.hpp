#pragma once
// What is written at the end: a line for each module, for each site, with the figures in the order of their enum, and
// for each type.

#include <algorithm>
#include <cinttypes>
#include <climits>
#include <cstdio>
#include <string>

#include <link.h>
#include <unistd.h>

#include "copies_sites.hpp"
#include "copies_types.hpp"

namespace copies {

inline int write_module(dl_phdr_info* module, std::size_t, void* to) {
    char name[PATH_MAX] = "";
    if (*module->dlpi_name == '\0' && readlink("/proc/self/exe", name, sizeof name - 1) < 0) return 0;
    address begin = ~address{0}, end = 0;
    for (const auto* each = module->dlpi_phdr; each != module->dlpi_phdr + module->dlpi_phnum; ++each) {
        if (each->p_type != PT_LOAD) continue;
        begin = std::min(begin, module->dlpi_addr + each->p_vaddr);
        end = std::max(end, module->dlpi_addr + each->p_vaddr + each->p_memsz);
    }
    std::fprintf(static_cast<FILE*>(to), "module %" PRIxPTR " %" PRIxPTR " %" PRIxPTR " %s\n",
                 static_cast<address>(module->dlpi_addr), begin, end, *name != '\0' ? name : module->dlpi_name);
    return 0;
}

inline void write(const site& place, FILE* to) {
    std::fputs("site", to);
    for (const auto& each : place.counts)
        std::fprintf(to, " %" PRIu64, each.load(std::memory_order_relaxed));  // relaxed: it is the end
    for (const address each : place.frames)
        if (each != 0) std::fprintf(to, " %" PRIxPTR, each);
    std::fputc('\n', to);
}

inline void write(sites& all, FILE* to) {
    dl_iterate_phdr(write_module, to);
    all.for_each([to](const site& each) { write(each, to); });
}

inline void write(types& all, FILE* to) {
    all.for_each([to](const std::string& name, const type& each) {
        std::fputs("type", to);
        // relaxed: it is the end
        for (const auto* figure : {&each.objects, &each.copies, &each.locked, &each.crossed})
            std::fprintf(to, " %" PRIu64, figure->load(std::memory_order_relaxed));
        std::fprintf(to, " %s\n", name.c_str());
    });
}

}  // namespace copies
