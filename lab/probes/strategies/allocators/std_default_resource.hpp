#pragma once
// What a container of std::pmr uses where it is given nothing: operator new behind a virtual call.

#include "../../memory_strategy.hpp"
#include "../peers/standard_library.hpp"

namespace lab {

struct strategy : allocating {
    static constexpr auto library = standard_library;
    using arena = common_arena<std::pmr::polymorphic_allocator>;
};

}  // namespace lab
