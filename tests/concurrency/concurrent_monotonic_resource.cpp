// concurrent_monotonic_resource in several threads, which come and go, and at unusual times.

#include <gtest/gtest.h>
#include <freehold/memory/concurrent_monotonic_resource.hpp>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <memory_resource>
#include <thread>
#include <vector>

#include "support/child.hpp"
#include "support/filled_block.hpp"
#include "support/key_destructor.hpp"
#include "support/late_work.hpp"
#include "support/ledger_resource.hpp"
#include "support/threads.hpp"

using freehold::concurrent_monotonic_resource;
using support::filled_block;

namespace {

constexpr int threads = 4;

// Constructed before the container and destroyed after it, when the life of the thread is long over.
concurrent_monotonic_resource& of_the_program() {
    static concurrent_monotonic_resource resource;
    return resource;
}

}  // namespace

TEST(concurrent_monotonic_resource_threads, the_blocks_of_threads_do_not_overlap) {
    support::ledger_resource upstream;
    concurrent_monotonic_resource resource(&upstream);
    std::vector<std::vector<filled_block>> blocks(threads);
    support::in_threads(threads, [&](int thread) {
        for (unsigned i = 0; i < 3000; ++i) {
            const std::size_t bytes = i % 200 == 0 ? 20'000 : i % 300;
            blocks[static_cast<std::size_t>(thread)].emplace_back(resource, bytes, std::size_t{1} << (i % 8),
                                                                  static_cast<unsigned>(thread) + 1);
        }
    });
    for (const auto& of_one : blocks) {
        for (const filled_block& block : of_one) block.free(resource);
    }
}

TEST(concurrent_monotonic_resource_threads, threads_that_come_and_go_take_turns_with_the_same_chunks) {
    support::ledger_resource upstream;
    concurrent_monotonic_resource resource(&upstream);
    for (int round = 0; round < 30; ++round) {
        support::in_threads(threads, [&](int thread) {
            EXPECT_TRUE(filled_block(resource, 16, 8, static_cast<unsigned>(thread)).is_intact());
        });
    }
    EXPECT_LE(upstream.allocations, 2 * threads);
}

TEST(concurrent_monotonic_resource_end, a_thread_allocates_in_its_last_destructors) {
    support::ledger_resource upstream;
    concurrent_monotonic_resource resource(&upstream);
    std::vector<filled_block> blocks;
    std::thread([&] {
        support::of_the_thread.work = [&] {
            for (unsigned i = 0; i < 100; ++i) blocks.emplace_back(resource, 40, 8, i);
        };
        blocks.emplace_back(resource, 40, 8, 1U);
    }).join();
    EXPECT_EQ(blocks.size(), 101U);
    for (const filled_block& block : blocks) block.free(resource);
}

TEST(concurrent_monotonic_resource_end, a_thread_that_has_left_its_chunk_does_not_use_it_again) {
    support::ledger_resource upstream;
    concurrent_monotonic_resource resource(&upstream);
    std::thread([&] {
        support::of_the_thread.work = [&] {
            const int allocations = upstream.allocations;
            std::thread([&] { static_cast<void>(resource.allocate(40)); }).join();
            EXPECT_EQ(upstream.allocations, allocations) << "it has taken over the chunk";
            static_cast<void>(resource.allocate(40));
            EXPECT_GT(upstream.allocations, allocations) << "this comes from elsewhere";
        };
        static_cast<void>(resource.allocate(40));
    }).join();
}

// A thread's last destructors may be its first to use a resource.
TEST(concurrent_monotonic_resource_end, a_thread_that_begins_in_the_destructor_of_a_key_leaves_its_chunk) {
    support::ledger_resource upstream;
    concurrent_monotonic_resource resource(&upstream);
    const support::key_destructor late([&] { static_cast<void>(resource.allocate(24)); });
    for (int i = 0; i < 20; ++i) std::thread([&] { late.arm(); }).join();
    EXPECT_LE(upstream.allocations, 2);
}

TEST(concurrent_monotonic_resource_end_death, containers_with_static_storage_end_with_the_program) {
    const auto exit_with_a_container = [] {
        static std::pmr::list<int> numbers(1000, 7, &of_the_program());
        std::thread([] { numbers.push_back(8); }).join();
        std::fprintf(stderr, "%zu numbers\n", numbers.size());
        std::exit(0);  // NOLINT(concurrency-mt-unsafe)
    };
    EXPECT_EXIT(exit_with_a_container(), testing::ExitedWithCode(0), "1001 numbers");
}

TEST(concurrent_monotonic_resource_end, a_child_process_allocates_and_releases_whatever_its_parent_was_doing) {
    concurrent_monotonic_resource resource;
    std::atomic<bool> done = false;
    std::thread busy([&] {
        while (!done) {
            concurrent_monotonic_resource other;
            for (unsigned i = 0; i < 100; ++i) static_cast<void>(other.allocate(i * 20));
            static_cast<void>(resource.allocate(500));
        }
    });
    for (int i = 0; i < 20; ++i) {
        const filled_block block(resource, 64, 8, 7);
        EXPECT_EQ(support::in_child([&] {
                      const bool is_intact = block.is_intact();
                      for (unsigned n = 0; n < 1000; ++n) static_cast<void>(resource.allocate(n * 20));
                      resource.release();
                      static_cast<void>(resource.allocate(64));
                      return is_intact ? 0 : 1;
                  }),
                  0);
    }
    done = true;
    busy.join();
}
