// Random programs on graphs, checked against a model that knows what is reachable.

#include <gtest/gtest.h>
#include <freehold/traced/traced_heap.hpp>

#include "support/effort.hpp"
#include "support/opened_heap.hpp"
#include "support/traced_program.hpp"
#include "support/tracked.hpp"

namespace {

struct traced_graphs_tests;

}  // namespace

template struct support::opened_heap<&freehold::traced_heap::collector_, traced_graphs_tests>;

namespace {

using freehold::traced_heap_options;
using support::traced_program;

unsigned programs() { return support::programs(300, 30); }

class traced_graphs : public support::tracked_test {};

}  // namespace

TEST_F(traced_graphs, with_a_collection_at_every_allocation) {
    traced_heap_options options;
    options.collect_at_every_allocation = true;
    for (unsigned i = 0; i < programs() && !HasFailure(); ++i) {
        SCOPED_TRACE(i);
        traced_program(i, options).run(60);
    }
}

TEST_F(traced_graphs, with_occasional_collections) {
    traced_heap_options options;
    options.nursery_bytes = options.max_nursery_bytes = 1;
    options.min_full_bytes = 1;
    for (unsigned i = 0; i < programs() && !HasFailure(); ++i) {
        SCOPED_TRACE(i);
        traced_program(i, options).run(60);
    }
}

TEST_F(traced_graphs, with_constant_young_collections) {
    traced_heap_options options;
    options.nursery_bytes = options.max_nursery_bytes = 1;
    for (unsigned i = 0; i < programs() && !HasFailure(); ++i) {
        SCOPED_TRACE(i);
        traced_program(i, options).run(60);
    }
}

TEST_F(traced_graphs, with_the_smallest_steps) {
    traced_heap_options options;
    options.pause_budget = 1;
    for (unsigned i = 0; i < 3 * programs() && !HasFailure(); ++i) {
        SCOPED_TRACE(i);
        if (i == programs()) options.nursery_bytes = options.max_nursery_bytes = options.min_full_bytes = 1;
        if (i == 2 * programs()) options.pause_budget = 2000;  // objects may be promoted without a look at them
        traced_program(i, options, true).run(60);
    }
}

TEST_F(traced_graphs, with_long_runs) {
    for (unsigned i = 0; i < programs() / 50 + 1 && !HasFailure(); ++i) {
        SCOPED_TRACE(i);
        traced_program(i, traced_heap_options()).run(2000);
    }
}
