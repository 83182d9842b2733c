#pragma once
// malloc and free, called by operator new and operator delete as under std::make_shared.

#include "../../memory_strategy.hpp"
#include "../../uncounted_strategy.hpp"
#include "../peers/standard_library.hpp"

namespace lab {

struct strategy : allocating, uncounted {
    static constexpr auto library = standard_library;
    static constexpr bool in_any_order = true;
    using arena = common_arena<std::allocator>;
};

}  // namespace lab
