#pragma once
// Messages that have owners in several threads.

#include <cstdint>
#include <vector>

#include "plot.hpp"
#include "pointer_strategy.hpp"
#include "workloads/pointers/sessions.hpp"

namespace lab::actors {

template <class Strategy>
struct message;

template <class Strategy>
struct actor : Strategy::template base<actor<Strategy>> {
    typename Strategy::template pointer<message<Strategy>> last;

    void trace(auto& visit) const { visit(last); }
};

template <class Strategy>
struct message : Strategy::template base<message<Strategy>> {
    int number;
    int hops;
    typename Strategy::template pointer<message> other;
    typename Strategy::template pointer<actor<Strategy>> from;

    message(int number, int hops) : number(number), hops(hops) {}

    void trace(auto& visit) const {
        visit(other);
        visit(from);
    }
};

template <class Strategy>
struct owned : collecting<Strategy> {
    using message = actors::message<Strategy>;
    using actor = actors::actor<Strategy>;
    using session = typename session_of<Strategy>::type;
    using list = std::vector<typename Strategy::template pointer<message>>;

    template <class T>
    using owner = typename Strategy::template pointer<T>;

    static std::uint64_t run(int threads) {
        return wait_for<Strategy>([threads] { return office<owned>::run(threads); });
    }

    template <class T>
    static owner<T> make(const auto&... arguments) {
        return make_owner<Strategy, T>(arguments...);
    }
};

// For pointers that threads may share: those that collect have sessions, and the others leak.
template <class Strategy>
    requires(copies<Strategy, message> && has_weak<Strategy>)
using of = answered<owned<Strategy>>;

}  // namespace lab::actors
