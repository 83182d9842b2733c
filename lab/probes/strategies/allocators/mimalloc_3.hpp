#pragma once
// std::allocator, where the program is linked with mimalloc 3 instead of the C library's malloc.

#include <memory>
#include <string>

#include "../../memory_strategy.hpp"
#include "whose_malloc.hpp"

extern "C" int mi_version(void);

namespace lab {

struct strategy : allocating {
    static inline const std::string library = with_malloc("mimalloc " + std::to_string(mi_version()));
    using arena = common_arena<std::allocator>;
};

}  // namespace lab
