#pragma once
// How the threads of a program synchronize. The memory-model checker of the tests has its own.

#include <atomic>
#include <thread>

#include "../../core/asymmetric_fence.hpp"

namespace freehold::detail {

struct reclamation_threading {
    template <class T>
    using atomic = std::atomic<T>;

    using fence = asymmetric_fence;

    static void yield() noexcept { std::this_thread::yield(); }
};

}  // namespace freehold::detail
