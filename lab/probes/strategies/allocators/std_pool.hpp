#pragma once
// std::pmr::unsynchronized_pool_resource of the standard library that the compiler comes with.

#include "../../memory_strategy.hpp"
#include "../peers/standard_library.hpp"

namespace lab {

struct strategy : allocating {
    static constexpr auto library = standard_library;
    static constexpr bool winks_out = true;
    using arena = polymorphic_arena<std::pmr::unsynchronized_pool_resource>;
};

}  // namespace lab
