#pragma once
// tbb::scalable_allocator: oneTBB's allocator for many threads.

#include <tbb/scalable_allocator.h>
#include <tbb/version.h>

#include "../../memory_strategy.hpp"

namespace lab {

struct strategy : allocating {
    static constexpr auto library = "oneTBB " TBB_VERSION_STRING;
    using arena = common_arena<tbb::scalable_allocator>;
};

}  // namespace lab
