#pragma once
// std::make_shared, where the program is linked with mimalloc instead of the C library's malloc.

#include <mimalloc.h>

#include "../../text.hpp"
#include "std_made.hpp"

namespace lab {

struct strategy : std_made {
    static constexpr auto library = "mimalloc " LAB_TEXT(MI_MALLOC_VERSION);
};

}  // namespace lab
