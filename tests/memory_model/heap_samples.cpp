// The samples of a heap profile under the checker: no block counts as freed before it counts as allocated. What is not
// atomic is the matter of concurrency/heap_samples.cpp.

#include <gtest/gtest.h>

#include "support/checked_counting.hpp"
// After the names of the builtins.
#include <freehold/memory/detail/heap_samples.hpp>

#include <cstddef>

#include "support/checked_threading.hpp"
#include "support/checker.hpp"

namespace {

using support::for_every_execution;

using sample_sums = freehold::detail::basic_sample_sums<support::checked_threading>;

// No step after an operation: there is nothing but atomic numbers.
constexpr support::bounds some{.interruptions = 2, .surprises = 2, .steps_after = false};

struct the_sums_are_read_while_a_block_comes_and_goes {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 0) {
            site.add_allocated({1, 1});
            site.add_freed({1, 1});
        } else {
            const sample_sums::sums freed = site.freed();
            const sample_sums::sums allocated = site.allocated();
            EXPECT_LE(freed.bytes, allocated.bytes);
            EXPECT_LE(freed.objects, allocated.objects);
        }
    }

    void check() { EXPECT_EQ(site.freed().bytes, 1U); }

    sample_sums site;
};

}  // namespace

TEST(heap_samples, no_block_is_freed_before_it_is_allocated) {
    EXPECT_GT(for_every_execution<the_sums_are_read_while_a_block_comes_and_goes>(some), 10U);
}
