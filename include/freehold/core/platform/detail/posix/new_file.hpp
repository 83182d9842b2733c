#pragma once
// Part of new_file.hpp, which has the contracts.

#include "../../../config.hpp"

#if !defined(FREEHOLD_WINDOWS)

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#if defined(FREEHOLD_LINUX)
#include <sys/auxv.h>
#endif

#include "../../new_file.hpp"

namespace freehold::inline v0_2::detail {

[[nodiscard]] inline bool has_more_rights() noexcept {
#if defined(FREEHOLD_LINUX)
    return ::getauxval(AT_SECURE) != 0;
#else
    return ::issetugid() != 0;
#endif
}

inline new_file::new_file(const char* path) noexcept {
    constexpr std::size_t longest = 4096;
    constexpr int most = 10000;
    char name[longest];
    for (int number = 0; number < most; ++number) {
        const int length = number == 0 ? std::snprintf(name, longest, "%s", path)
                                       : std::snprintf(name, longest, "%s.%d", path, number);
        if (length < 0 || static_cast<std::size_t>(length) >= longest) return;
        file_ = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
        if (file_ >= 0 || errno != EEXIST) return;
    }
}

inline new_file::~new_file() {
    if (file_ >= 0) ::close(file_);
}

[[nodiscard]] inline bool new_file::write(const void* from, std::size_t bytes) const noexcept {
    const auto* next = static_cast<const char*>(from);
    while (bytes != 0) {
        const ::ssize_t written = ::write(file_, next, bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        next += written;
        bytes -= static_cast<std::size_t>(written);
    }
    return true;
}

}  // namespace freehold::detail

#endif
