#pragma once
// boost::container::pmr::synchronized_pool_resource.

#include <boost/container/pmr/synchronized_pool_resource.hpp>

#include "../../memory_strategy.hpp"
#include "../peers/boost_library.hpp"
#include "boost_arena.hpp"

namespace lab {

struct strategy : allocating {
    static constexpr auto library = boost_library;
    static constexpr bool winks_out = true;
    using arena = boost_arena<boost::container::pmr::synchronized_pool_resource>;
};

}  // namespace lab
