#pragma once
// instantiation: an owner of a new object is made and released, in one thread or in `x` threads at once, as in N1851's
// Appendix A; and once more with a move in between, for pointers that can do no more than move.

#include <cstdint>
#include <utility>

#include "../keep.hpp"
#include "harness/threads.hpp"
#include "harness/workload.hpp"
#include "pointer_strategy.hpp"

namespace lab::instantiation {

// Trivial but for the count that an intrusive pointer needs.
template <class Strategy>
struct pointee : Strategy::template base<pointee<Strategy>> {};

template <class Strategy>
void make_and_release(int, long owners) {
    for (; owners > 0; --owners) {
        auto owner = make_owner<Strategy, pointee<Strategy>>();
        keep(owner);
        Strategy::release(owner);
    }
}

// Owners in each thread.
template <class Strategy>
void in_threads(int threads, long owners) {
    run_in_threads(threads, make_and_release<Strategy>, owners);
}

template <class Strategy>
void with_a_move(int, long owners) {
    for (; owners > 0; --owners) {
        auto owner = make_owner<Strategy, pointee<Strategy>>();
        keep(owner);
        auto last = std::move(owner);
        keep(last);
        Strategy::release(last);
    }
}

// An object that records whether it was reached and destroyed.
template <class Strategy>
struct witness : Strategy::template base<witness<Strategy>> {
    static inline std::uint64_t destroyed = 0;
    std::uint64_t number;

    explicit witness(std::uint64_t number) : number(number) {}
    ~witness() { ++destroyed; }

    void trace(auto&) const {}  // holds no pointers
};

// Makes, moves and releases owners of numbered witnesses.
template <class Strategy>
std::uint64_t checksum() {
    std::uint64_t reached = 0;
    for (std::uint64_t number = 1; number <= 100; ++number) {
        auto owner = make_owner<Strategy, witness<Strategy>>(number);
        auto last = std::move(owner);
        reached += (*last).number;
        Strategy::release(last);
    }
    return reached * 1000 + witness<Strategy>::destroyed;
}

template <class Strategy>
inline constexpr series plot[] = {
    {.name = "make and release", .sizes = one_thread, .work = make_and_release<Strategy>},
    {.name = "make and release",
     .sizes = several_threads,
     .work = in_threads<Strategy>,
     .measured_by = clock::wall,
     .fits = has_processors},
    {.name = "make, move and release", .sizes = one_thread, .work = with_a_move<Strategy>},
};

template <class Strategy>
    requires moves<Strategy, pointee>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::instantiation
