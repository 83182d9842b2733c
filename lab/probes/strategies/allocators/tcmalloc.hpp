#pragma once
// std::allocator, where the program is linked with gperftools' tcmalloc instead of the C library's malloc.

#include <gperftools/tcmalloc.h>

#include "../../memory_strategy.hpp"
#include "whose_malloc.hpp"

namespace lab {

struct strategy : allocating {
    static inline const std::string library = with_malloc(TC_VERSION_STRING);
    using arena = common_arena<std::allocator>;
};

}  // namespace lab
