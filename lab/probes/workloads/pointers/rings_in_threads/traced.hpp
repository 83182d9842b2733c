#pragma once
// Rings in a traced heap that threads share. Places are in the heap, too: to put a ring there is an assignment.

#include <freehold/traced/traced_root.hpp>

#include "plot.hpp"
#include "workloads/pointers/rings/traced.hpp"
#include "workloads/pointers/sessions.hpp"

namespace lab::rings_in_threads {

// Of a cache line, as other places are.
struct alignas(64) traced_place {
    freehold::traced_ptr<rings::traced_node> ring = {};
};

template <class Strategy>
struct traced {
    using ring = freehold::traced_local<rings::traced_node>;
    using place = freehold::traced_root<traced_place>;
    using session = typename Strategy::session;

    static ring make(int number) { return rings::make_traced_ring(Strategy::heap(), rings::ring_size, number); }

    static void swap(place& held, ring& passed) {
        if (!held) {
            held = Strategy::heap().template make<traced_place>();
        }
        const ring before = held->ring;
        held->ring = passed;
        passed = before;
    }

    static void wait(const auto& work) { wait_for<Strategy>(work); }
    static void give_back() { Strategy::give_back(); }
};

template <class Strategy>
    requires requires { typename Strategy::session; }
using of = measured<plot<traced<Strategy>>, checksum<traced<Strategy>>>;

}  // namespace lab::rings_in_threads
