#pragma once
// std::allocator, where the program is linked with mimalloc instead of the C library's malloc.

#include <mimalloc.h>

#include "../../memory_strategy.hpp"
#include "../../text.hpp"
#include "whose_malloc.hpp"

namespace lab {

struct strategy : allocating {
    static inline const std::string library = with_malloc("mimalloc " LAB_TEXT(MI_MALLOC_VERSION));
    using arena = common_arena<std::allocator>;
};

}  // namespace lab
