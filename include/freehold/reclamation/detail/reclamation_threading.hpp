#pragma once
// How the threads of a program synchronize. The memory-model checker of the tests has its own.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "../../core/asymmetric_fence.hpp"

namespace freehold::detail {

struct reclamation_threading {
    template <class T>
    using atomic = std::atomic<T>;

    using fence = asymmetric_fence;

    static constexpr std::uint64_t fence_period = 16'384;  // a heavy fence in fewer than one retirement in 10,000
    static constexpr std::uint64_t chunk = 256;            // retirements between two entries in the shared ledger
    static constexpr std::size_t lane_count = 16;
    static constexpr int weight_bits = 20;  // of a word with the number of examinations above

    static void yield() noexcept { std::this_thread::yield(); }
};

}  // namespace freehold::detail
