#pragma once
// Files that a process makes without being asked, for whoever may read its memory.
//
// Thread safety: one thread at a time for an object. Exceptions: none. Nothing is allocated.

#include <cstddef>

#include "../config.hpp"

namespace freehold::inline v0_2::detail {

// Returns: whether the process has rights that its user has not: it should write no files then.
[[nodiscard]] inline bool has_more_rights() noexcept;

// A file that did not exist before, and that only the user may read.
class [[nodiscard]] new_file {
public:
    // Effects: makes the file, under the path with .1, .2 and so on behind it where there is such a file already.
    explicit new_file(const char* path) noexcept;
    new_file(const new_file&) = delete;
    new_file& operator=(const new_file&) = delete;
    ~new_file();

    [[nodiscard]] bool is_open() const noexcept { return file_ >= 0; }

    // Returns: whether all bytes were written.
    [[nodiscard]] bool write(const void* from, std::size_t bytes) const noexcept;

private:
    int file_ = -1;
};

}  // namespace freehold::detail

#if defined(FREEHOLD_WINDOWS)
#include "detail/windows/new_file.hpp"
#else
#include "detail/posix/new_file.hpp"
#endif
