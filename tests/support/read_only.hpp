#pragma once
// make_read_only: a write to pages ends the program from now on.

#include <cstddef>

#if defined(_WIN32)
#include <windows.h>
#else
#include <sys/mman.h>
#endif

namespace support {

// Requires: the pages are of one call of take_pages(). Returns: whether the system has agreed.
inline bool make_read_only(void* begin, std::size_t bytes) {
#if defined(_WIN32)
    DWORD before = 0;
    return VirtualProtect(begin, bytes, PAGE_READONLY, &before) != 0;
#else
    return mprotect(begin, bytes, PROT_READ) == 0;
#endif
}

}  // namespace support
