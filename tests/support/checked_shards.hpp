#pragma once
// checked_sharding: the library's sharded counting under the checker, with two shards.
//
// While its headers are read, free stands for the checker's: the lifetime of the shards ends there.

#include "checked_counting.hpp"
// What the headers include, before the name is replaced.
#include <freehold/core/config.hpp>
#include <freehold/counting/reference_count.hpp>
#include <freehold/counting/shared_count.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <source_location>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

#include "execution.hpp"

namespace support {

inline constexpr std::size_t checked_shards = 2;

inline void checked_free(void* shards) {
    if (execution* const run = execution::mine(); run != nullptr && shards != nullptr) {
        run->end_lifetime(shards, checked_shards * 64, std::source_location::current());
    }
    std::free(shards);
}

}  // namespace support

namespace std {  // NOLINT(cert-dcl58-cpp)
using support::checked_free;
}
#define free checked_free
#include <freehold/counting/sharded_counting.hpp>
#undef free

namespace support {

struct checked_sharding : checked_counting {
    using word_counting = checked_counting;

    template <class T>
    using shard_atomic = checked_atomic<T>;

    [[nodiscard]] static std::size_t shards() noexcept { return checked_shards; }

    // By the number in the execution, so that each execution is the same.
    [[nodiscard]] static std::size_t deal() noexcept { return execution::thread(); }
};

}  // namespace support
