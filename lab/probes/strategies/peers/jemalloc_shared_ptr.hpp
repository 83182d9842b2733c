#pragma once
// std::make_shared, where the program is linked with jemalloc instead of the C library's malloc.

#include <jemalloc/jemalloc.h>

#include "std_made.hpp"

namespace lab {

struct strategy : std_made {
    static constexpr auto library = "jemalloc " JEMALLOC_VERSION;
};

}  // namespace lab
