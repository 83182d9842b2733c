#pragma once
// Whose malloc the program has: proof that the allocator that it is linked with is the one that it uses.

#include <dlfcn.h>

#include <string>
#include <string_view>

namespace lab {

// Returns: `name`, and the file that malloc is mapped from.
inline std::string with_malloc(std::string_view name) {
    Dl_info found{};
    dladdr(dlsym(RTLD_DEFAULT, "malloc"), &found);
    const std::string_view path = found.dli_fname == nullptr ? "" : found.dli_fname;
    return std::string(name) + (name.empty() ? "" : ", ") + std::string(path.substr(path.rfind('/') + 1));
}

}  // namespace lab
