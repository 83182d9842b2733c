#pragma once
// checked_sharding: the library's sharded counting under the checker, with two shards.

#include "checked_counting.hpp"
// After the names of the builtins.
#include <freehold/counting/sharded_counting.hpp>

#include <cstddef>

#include "execution.hpp"

namespace support {

struct checked_sharding : checked_counting {
    using word_counting = checked_counting;

    [[nodiscard]] static std::size_t shards() noexcept { return 2; }

    // By the number in the execution, so that each execution is the same.
    [[nodiscard]] static std::size_t deal() noexcept { return execution::thread(); }
};

}  // namespace support
