#pragma once
// pool_statistics: where the memory of a pool is. What statistics() of a pool_resource or concurrent_pool_resource
// returns.

#include <cstddef>

namespace freehold {

// In bytes. The pool holds `mapped` + `large` bytes of its upstream, and a little for its records.
struct pool_statistics {
    std::size_t mapped = 0;  // in chunks of slabs
    std::size_t spare = 0;   // of these, in slabs without a block in use, which serve any size
    std::size_t large = 0;   // in blocks that come from the upstream one by one
};

}  // namespace freehold
