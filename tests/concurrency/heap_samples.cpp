// What one thread writes into a heap profile, another may read or write over. The threads meet through what orders
// nothing: if the profile orders nothing either, ThreadSanitizer reports a race.

#include <gtest/gtest.h>
#include <freehold/memory/heap_profile.hpp>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <new>
#include <string>
#include <thread>

#include <freehold/core/platform/process.hpp>
#include <freehold/memory/concurrent_pool_resource.hpp>
#include <freehold/memory/detail/heap_samples.hpp>
#include <freehold/memory/detail/sampled_stacks.hpp>

#include "support/relaxed_flag.hpp"

namespace {

constexpr std::size_t always_sampled = std::size_t{50} << 20;

using freehold::detail::process_threading;
using freehold::detail::sample_sums;

// Room for one block.
using samples = freehold::detail::basic_heap_samples<process_threading, 1, 1>;

struct few_stacks {
    static constexpr std::size_t stacks = 8;
    static constexpr std::size_t most_probes = 8;
    static constexpr std::size_t bytes = 1024;
};

using stacks = freehold::detail::basic_sampled_stacks<process_threading, few_stacks>;

// Effects: one thread calls `first`, then another one `second`.
template <class First, class Second>
void in_two_threads(First first, Second second) {
    support::relaxed_flag is_done;
    std::thread later([&] {
        is_done.wait();
        second();
    });
    std::thread earlier([&] {
        first();
        is_done.raise();
    });
    earlier.join();
    later.join();
}

sample_sums* no_site(samples&) noexcept { return nullptr; }

}  // namespace

TEST(heap_samples, who_finds_the_samples_of_the_module_may_use_them) {
    static samples::table table;
    alignas(samples) static std::byte memory[sizeof(samples)];
    in_two_threads([] { EXPECT_TRUE(samples::publish(*::new (memory) samples(&no_site, table))); },
                   [] { EXPECT_EQ(samples::of_module()->find_site(), nullptr); });
}

TEST(heap_samples, a_block_may_take_the_place_of_one_that_another_thread_has_freed) {
    samples::table table;
    samples all(&no_site, table);
    sample_sums site;
    const char blocks[32] = {};
    all.add(blocks, always_sampled, nullptr, site);
    in_two_threads([&] { all.remove(blocks); }, [&] { all.add(blocks + 16, always_sampled, nullptr, site); });
    EXPECT_EQ(all.untracked(), 0U);
}

TEST(sampled_stacks, who_finds_a_stack_of_another_thread_may_read_it) {
    stacks::atomic<stacks::stack*> table[few_stacks::stacks] = {};
    alignas(stacks::stack) std::byte memory[few_stacks::bytes] = {};
    stacks all(table, memory);
    int calls = 0;
    void* const stack[] = {&calls, &calls};
    const sample_sums* site = nullptr;
    in_two_threads([&] { site = &all.find(stack, 2); }, [&] { EXPECT_NE(&all.find(stack, 2), &all.lost()); });
    EXPECT_EQ(site, &all.find(stack, 2));
}

TEST(sampled_stacks, who_visits_a_stack_of_another_thread_may_read_it) {
    stacks::atomic<stacks::stack*> table[few_stacks::stacks] = {};
    alignas(stacks::stack) static std::byte memory[few_stacks::bytes];  // a race at another address
    stacks all(table, memory);
    int calls = 0;
    void* const stack[] = {&calls, &calls};
    std::size_t visited = 0;
    in_two_threads([&] { all.find(stack, 2).add_allocated({1, 1}); },
                   [&] { all.visit([&](const stacks::stack& each) { visited += each.count; }); });
    EXPECT_EQ(visited, 2U);
}

TEST(heap_profile, the_path_of_a_profile_that_is_wanted_may_be_read_by_whoever_writes_it) {
    if (!freehold::heap_profile::start()) GTEST_SKIP() << "the system shows no call stacks";
    static char path[256];
    freehold::concurrent_pool_resource pool;
    in_two_threads(
        [] {
            std::snprintf(path, sizeof(path), "%sfreehold_wanted_profile_%llu", testing::TempDir().c_str(),
                          static_cast<unsigned long long>(freehold::detail::process_id()));
            freehold::heap_profile::write_soon(path);
        },
        [&] { pool.deallocate(pool.allocate(always_sampled), always_sampled); });
    EXPECT_EQ(std::remove(path), 0);
}

// Each thread frees what another has allocated, and all write what the others do.
TEST(heap_profile, many_threads_allocate_free_and_write) {
    if (!freehold::heap_profile::start()) GTEST_SKIP() << "the system shows no call stacks";
    freehold::concurrent_pool_resource pool;
    constexpr std::size_t count = 4;
    constexpr std::size_t bytes = 4096;
    std::thread threads[count];
    std::atomic<void*> passed[64] = {};
    for (std::size_t i = 0; i < count; ++i) {
        threads[i] = std::thread([&, i] {
            for (std::size_t round = 0; round < 20000; ++round) {
                void* const block = pool.allocate(bytes);
                void* const other = passed[(round * (i + 1)) % 64].exchange(block);
                if (other != nullptr) pool.deallocate(other, bytes);
            }
            const std::string path = testing::TempDir() + "freehold_profile_of_many_" +
                                     std::to_string(freehold::detail::process_id()) + "_" + std::to_string(i);
            EXPECT_TRUE(freehold::heap_profile::write(path.c_str()));
            EXPECT_EQ(std::remove(path.c_str()), 0);
        });
    }
    for (std::thread& each : threads) each.join();
    for (std::atomic<void*>& each : passed) {
        if (each != nullptr) pool.deallocate(each, bytes);
    }
    double live = 0;
    freehold::detail::module_profile::get()->stacks().visit([&](const auto& each) {
        live += static_cast<double>(each.samples.allocated().bytes - each.samples.freed().bytes);
    });
    EXPECT_EQ(live, 0);
}
