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

// Room for one block.
using samples = freehold::detail::basic_heap_samples<support::checked_threading, 1, 1>;

constexpr std::size_t bytes = std::size_t{50} << 20;  // as many as a sample stands for

struct the_sums_are_read_while_a_block_comes_and_goes {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 0) {
            all.add(blocks, bytes, nullptr, site);
            all.remove(blocks);
        } else {
            const samples::sums::sums freed = site.freed();
            const samples::sums::sums allocated = site.allocated();
            EXPECT_LE(freed.bytes, allocated.bytes);
            EXPECT_LE(freed.objects, allocated.objects);
        }
    }

    void check() {
        EXPECT_EQ(site.freed().bytes, bytes);
        EXPECT_EQ(site.allocated().bytes, bytes);
    }

    samples::table table;
    samples all{nullptr, table};
    samples::sums site;
    char blocks[16] = {};
};

}  // namespace

TEST(heap_samples, no_block_is_freed_before_it_is_allocated) {
    for_every_execution<the_sums_are_read_while_a_block_comes_and_goes>();
}
