#pragma once
// Messages with raw pointers, where a collector finds by itself what is dead.

#include <cstdint>
#include <new>
#include <vector>

#include "memory_strategy.hpp"
#include "plot.hpp"

namespace lab::actors {

struct raw_message;

struct raw_actor {
    raw_message* last = nullptr;
};

struct raw_message {
    int number;
    int hops;
    raw_message* other = nullptr;
    raw_actor* from = nullptr;
};

template <class Strategy>
struct uncounted : collecting<Strategy> {
    using message = raw_message;
    using actor = raw_actor;
    using session = typename Strategy::session;
    using list = std::vector<message*, allocator_of<typename Strategy::arena, message*>>;

    template <class T>
    using owner = T*;

    static std::uint64_t run(int threads) {
        [[maybe_unused]] typename Strategy::arena started;
        Strategy::expect_threads();
        return office<uncounted>::run(threads);
    }

    template <class T>
    static T* make(const auto&... arguments) {
        return ::new (allocator_of<typename Strategy::arena, T>().allocate(1)) T(arguments...);
    }
};

// Only a collector knows which objects are dead.
template <class Strategy>
    requires requires { typename Strategy::session; }
using of = answered<uncounted<Strategy>>;

}  // namespace lab::actors
