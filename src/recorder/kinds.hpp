#pragma once
// What an event says: the function that was called, or what a number stands for.

#include <cstdint>

namespace recorder {

enum kind : std::uint8_t {
    allocated = 0,  // malloc
    zeroed,         // calloc
    reallocated,
    aligned,  // memalign, posix_memalign, aligned_alloc, valloc, pvalloc
    made,     // operator new
    made_array,
    made_aligned,
    freed,
    deleted,
    deleted_array,
    deleted_sized,
    deleted_aligned,
    site,
    module_name,
};

constexpr bool has_alignment(kind what) { return what == aligned || what == made_aligned; }
constexpr bool is_made(std::uint8_t what) { return what >= made && what <= made_aligned; }
constexpr bool is_free(std::uint8_t what) { return what >= freed && what <= deleted_aligned; }

}
