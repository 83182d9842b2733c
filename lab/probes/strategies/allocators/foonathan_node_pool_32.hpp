#pragma once
// foonathan::memory::memory_pool of nodes of 32 bytes.

#include "foonathan_node_pool.hpp"

namespace lab {

struct strategy : allocating {
    static constexpr auto library = foonathan_library;
    using arena = node_pool_arena<32>;
};

}  // namespace lab
