#pragma once
// std::allocator, which calls operator new and operator delete: the reference of every ratio between ways to get
// memory.

#include "../../memory_strategy.hpp"
#include "../peers/standard_library.hpp"

namespace lab {

struct strategy : allocating {
    static constexpr auto library = standard_library;
    using arena = common_arena<std::allocator>;
};

}  // namespace lab
