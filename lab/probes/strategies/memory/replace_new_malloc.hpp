#pragma once
// std::allocator, where the program is linked with libfreehold-malloc.so instead of the C library's malloc.

#include "../../memory_strategy.hpp"
#include "../allocators/whose_malloc.hpp"
#include "../freehold_library.hpp"

namespace lab {

struct strategy : allocating {
    static inline const std::string library = with_malloc(freehold_library);
    using arena = common_arena<std::allocator>;
};

}  // namespace lab
