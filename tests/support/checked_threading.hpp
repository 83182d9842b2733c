#pragma once
// checked_threading: what the sessions of a shared heap synchronize with, under the checker.
//
// The one atomic of a block is no parameter: heaps of one thread have the same blocks. While their header is read,
// std::atomic stands for the checker's; all that it includes has been read before.

#include "checked_counting.hpp"
// After the names of the builtins.
#include <freehold/core/block_arithmetic.hpp>
#include <freehold/core/exceptions.hpp>
#include <freehold/core/memcheck.hpp>
#include <freehold/cyclic/detail/candidate_list.hpp>
#include <freehold/cyclic/detail/own_block_cache.hpp>
#include <freehold/cyclic/detail/search_state.hpp>
#include <freehold/cyclic/detail/usual_bytes.hpp>
#include <freehold/memory/page_cache.hpp>

#include "checked_atomic.hpp"
#include "checked_futex.hpp"
#include "checked_mutex.hpp"

namespace std {  // NOLINT(cert-dcl58-cpp)
using support::checked_atomic;
}
#define atomic checked_atomic
#include <freehold/cyclic/detail/cyclic_cells.hpp>
#undef atomic

namespace support {

struct checked_threading {
    template <class T>
    using atomic = checked_atomic<T>;

    using counting = checked_counting;
    using mutex = checked_mutex;
    using event_count = checked_event_count;
};

}  // namespace support
