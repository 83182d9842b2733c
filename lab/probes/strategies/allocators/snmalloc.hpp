#pragma once
// std::allocator, where the program is linked with snmalloc instead of the C library's malloc.

#include <memory>
#include <string>

#include "../../memory_strategy.hpp"
#include "whose_malloc.hpp"

namespace lab {

struct strategy : allocating {
    static inline const std::string library = with_malloc("");
    using arena = common_arena<std::allocator>;
};

}  // namespace lab
