#pragma once
// Part of code_modules.hpp, which has the contracts.

#include "../../../config.hpp"

#if defined(FREEHOLD_LINUX)

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include "../../code_modules.hpp"
#include "../../pages.hpp"

namespace freehold::inline v0_2::detail {

// Effects: notes the build id that is among the notes of the segment, if it is.
inline void find_build_id(const unsigned char* note, std::size_t bytes, code_range& found) noexcept {
    constexpr std::size_t alignment = 4;
    const auto padded = [](std::size_t length) { return (length + alignment - 1) / alignment * alignment; };
    while (bytes >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) header;
        std::memcpy(&header, note, sizeof(header));
        const std::size_t name = sizeof(header);
        const std::size_t content = name + padded(header.n_namesz);
        const std::size_t end = content + padded(header.n_descsz);
        if (end > bytes) return;
        if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 && std::memcmp(note + name, "GNU", 4) == 0) {
            found.build_id = note + content;
            found.build_id_bytes = header.n_descsz;
            return;
        }
        note += end;
        bytes -= end;
    }
}

inline void visit_code(void (*visit)(void* context, const code_range& range), void* context) noexcept {
    struct visitor {
        void (*visit)(void* context, const code_range& range);
        void* context;
        char program[4096];
    } asked{visit, context, {}};
    const ::ssize_t length = ::readlink("/proc/self/exe", asked.program, sizeof(asked.program) - 1);
    asked.program[length > 0 ? length : 0] = '\0';
    const auto each = [](::dl_phdr_info* module, std::size_t, void* data) {
        auto& to = *static_cast<visitor*>(data);
        code_range range{};
        range.file = module->dlpi_name[0] != '\0' ? module->dlpi_name : to.program;
        for (std::size_t i = 0; i < module->dlpi_phnum; ++i) {
            const auto& segment = module->dlpi_phdr[i];
            if (segment.p_type != PT_NOTE || range.build_id != nullptr) continue;
            find_build_id(reinterpret_cast<const unsigned char*>(module->dlpi_addr + segment.p_vaddr), segment.p_memsz,
                          range);
        }
        for (std::size_t i = 0; i < module->dlpi_phnum; ++i) {
            const auto& segment = module->dlpi_phdr[i];
            if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
            const std::uintptr_t in_page = segment.p_vaddr % smallest_page;
            range.begin = module->dlpi_addr + segment.p_vaddr - in_page;
            range.end = module->dlpi_addr + segment.p_vaddr + segment.p_memsz;
            range.offset = segment.p_offset - in_page;
            to.visit(to.context, range);
        }
        return 0;
    };
    ::dl_iterate_phdr(each, &asked);
}

[[nodiscard]] inline code_place place_of_code(const void* address) noexcept {
    ::Dl_info found = {};
    if (::dladdr(address, &found) == 0) return {nullptr, nullptr, reinterpret_cast<std::uintptr_t>(address)};
    const auto base = reinterpret_cast<std::uintptr_t>(found.dli_fbase);
    return {found.dli_sname, found.dli_fname, reinterpret_cast<std::uintptr_t>(address) - base};
}

}  // namespace freehold::detail

#endif
