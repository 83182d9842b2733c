#pragma once
// Rings that have owners in several threads.

#include <utility>

#include "plot.hpp"
#include "pointer_strategy.hpp"
#include "workloads/pointers/rings/owned.hpp"
#include "workloads/pointers/sessions.hpp"

namespace lab::rings_in_threads {

template <class Strategy>
struct owned {
    using ring = rings::ring<Strategy>;
    using place = ring;
    using session = typename session_of<Strategy>::type;

    static ring make(int number) { return rings::make_ring<Strategy>(rings::ring_size, number); }
    static void swap(place& held, ring& passed) { std::swap(held, passed); }
    static void wait(const auto& work) { wait_for<Strategy>(work); }
    static void give_back() {}
};

template <class Strategy>
    requires(copies<Strategy, rings::node> && has_weak<Strategy>)
using of = measured<plot<owned<Strategy>>, checksum<owned<Strategy>>>;

}  // namespace lab::rings_in_threads
