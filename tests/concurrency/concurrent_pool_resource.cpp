// concurrent_pool_resource in several threads, which come and go, and at unusual times.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <freehold/memory/concurrent_pool_resource.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "support/deadline.hpp"
#include "support/filled_block.hpp"
#include "support/key_destructor.hpp"
#include "support/late_work.hpp"
#include "support/ledger_resource.hpp"
#include "support/threads.hpp"

using freehold::concurrent_pool_resource;
using support::filled_block;

namespace {

// Returns: how long a stress test takes; FREEHOLD_STRESS_SECONDS may say so.
std::chrono::seconds stress_time() {
    const char* const asked = std::getenv("FREEHOLD_STRESS_SECONDS");  // NOLINT(concurrency-mt-unsafe)
    return std::chrono::seconds(asked != nullptr ? std::atoi(asked) : 2);
}

// Where threads leave blocks for each other.
class exchange {
public:
    explicit exchange(concurrent_pool_resource& resource) : resource_(resource) {}
    exchange(const exchange&) = delete;
    exchange& operator=(const exchange&) = delete;

    ~exchange() {
        for (const auto& block : blocks_) {
            if (block) block->free(resource_);
        }
    }

    // Effects: leaves the block, and frees one that was left before by whomever.
    void swap(filled_block block, std::size_t place) {
        std::optional<filled_block> other = block;
        {
            const std::lock_guard lock(mutex_);
            std::swap(blocks_[place % blocks_.size()], other);
        }
        if (other) other->free(resource_);
    }

private:
    concurrent_pool_resource& resource_;
    std::mutex mutex_;
    std::array<std::optional<filled_block>, 512> blocks_;
};

// Mostly small, seldom more than is pooled.
std::size_t random_size(std::mt19937& random) {
    const auto kind = random() % 256;
    if (kind == 0) return random() % 20'000;
    return random() % (kind < 16 ? 3000 : 200);
}

// Effects: allocates and frees for a while, in the calling thread and through the exchange.
void work(concurrent_pool_resource& resource, exchange& common, unsigned seed, unsigned rounds) {
    std::mt19937 random(seed);
    std::vector<filled_block> mine;
    for (unsigned round = 0; round < rounds; ++round) {
        const std::size_t alignment = random() % 8 == 0 ? std::size_t{1} << random() % 10 : 8;
        const filled_block block(resource, random_size(random), alignment, static_cast<unsigned>(random()));
        if (random() % 2 == 0) {
            common.swap(block, random());
        } else {
            mine.push_back(block);
        }
        if (mine.size() > random() % 100) {
            std::swap(mine[random() % mine.size()], mine.back());
            mine.back().free(resource);
            mine.pop_back();
        }
    }
    for (const filled_block& block : mine) block.free(resource);
}

// Constructed before the container and destroyed after it, when the thread's heap was abandoned long since.
concurrent_pool_resource& of_the_program() {
    static concurrent_pool_resource resource;
    return resource;
}

}  // namespace

TEST(concurrent_pool_resource, what_another_thread_frees_comes_home_once_whatever_its_size_and_number) {
    for (const std::size_t bytes : std::array<std::size_t, 7>{16, 32, 48, 80, 256, 1024, 8192}) {
        for (const std::size_t number : std::array<std::size_t, 9>{1, 4, 5, 13, 14, 127, 128, 129, 1000}) {
            support::ledger_resource upstream;
            concurrent_pool_resource resource(&upstream);
            std::vector<void*> freed(number);
            for (void*& block : freed) block = resource.allocate(bytes);
            std::thread([&] {
                for (void* const block : freed) resource.deallocate(block, bytes);
            }).join();
            std::vector<void*> again(number + freehold::detail::slab_bytes / bytes);
            for (void*& block : again) block = resource.allocate(bytes);
            std::ranges::sort(again);
            EXPECT_TRUE(std::ranges::adjacent_find(again) == again.end()) << number << " blocks of " << bytes;
            for (void* const block : again) resource.deallocate(block, bytes);
            resource.trim();
            EXPECT_LT(upstream.bytes_live, freehold::detail::slab_bytes) << number << " blocks of " << bytes;
        }
    }
}

// A thread's last destructors may be its first to use a pool.
TEST(concurrent_pool_resource, a_thread_that_begins_in_the_destructor_of_a_key_leaves_its_heap) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(&upstream);
    resource.deallocate(resource.allocate(64), 64);
    const support::key_destructor late([&] { resource.deallocate(resource.allocate(64), 64); });
    const int before = upstream.allocations;
    for (int i = 0; i < 20; ++i) std::thread([&] { late.arm(); }).join();
    EXPECT_LE(upstream.allocations, before + 2);  // a heap and a slab for the first of them
}

TEST(concurrent_pool_resource_stress, a_thread_that_never_used_the_resource_may_flush_it) {
    concurrent_pool_resource resource;
    const auto end = std::chrono::steady_clock::now() + stress_time();
    std::atomic<bool> done = false;
    std::thread stranger([&] {
        while (!done) resource.flush();
    });
    std::mt19937 random(1);
    while (std::chrono::steady_clock::now() < end) {
        std::vector<filled_block> blocks;
        for (unsigned i = 0; i < 500; ++i) blocks.emplace_back(resource, random_size(random), 8, i);
        // A thread that adopts a heap and has blocks to send home.
        std::thread([&] {
            for (std::size_t i = 0; i < 400; ++i) blocks[i].free(resource);
        }).join();
        for (std::size_t i = 400; i < 500; ++i) blocks[i].free(resource);
    }
    done = true;
    stranger.join();
}

TEST(concurrent_pool_resource_stress, threads_come_and_go_and_exchange_blocks) {
    support::ledger_resource upstream;
    {
        concurrent_pool_resource resource(&upstream);
        exchange common(resource);
        const auto end = std::chrono::steady_clock::now() + stress_time();
        support::in_threads(3, [&](int i) {
            std::mt19937 random(static_cast<unsigned>(i));
            while (std::chrono::steady_clock::now() < end) {
                const auto seed = static_cast<unsigned>(random());
                std::thread([&] { work(resource, common, seed, seed % 3000); }).join();
            }
        });
        // The blocks in use are a few megabytes: were blocks lost, this would grow with time.
        EXPECT_LT(upstream.bytes_peak, std::size_t{64} << 20);
    }
    EXPECT_EQ(upstream.bytes_live, 0U);
}

TEST(concurrent_pool_resource_stress, resources_come_and_go_while_threads_end) {
    support::ledger_resource upstream;
    const auto end = std::chrono::steady_clock::now() + stress_time();
    for (unsigned round = 0; std::chrono::steady_clock::now() < end; ++round) {
        std::vector<std::thread> threads;
        {
            concurrent_pool_resource first(&upstream);
            concurrent_pool_resource second(&upstream);
            std::atomic<int> working = 3;
            for (unsigned i = 0; i < 3; ++i) {
                threads.emplace_back([&, i, round] {
                    {
                        exchange common(first);
                        work(first, common, round + i, 100);
                        work(second, *std::make_unique<exchange>(second), round + i, 100);
                    }
                    // From here on the resources may be destroyed at any moment of the thread's end.
                    --working;
                });
            }
            while (working != 0) std::this_thread::yield();
        }
        for (std::thread& thread : threads) thread.join();
        ASSERT_EQ(upstream.bytes_live, 0U);
    }
}

TEST(concurrent_pool_resource_stress, blocks_go_from_a_producer_to_consumers) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(&upstream);
    constexpr std::size_t places = 1024;
    std::vector<std::atomic<filled_block*>> ring(places);
    std::atomic<bool> done = false;
    std::vector<std::thread> consumers;
    for (std::size_t i = 0; i < 2; ++i) {
        consumers.emplace_back([&, i] {
            for (std::size_t place = i; !done || ring[place] != nullptr; place = (place + 2) % places) {
                filled_block* block = nullptr;
                // acquire: pairs with the producer's release
                while ((block = ring[place].exchange(nullptr, std::memory_order_acquire)) == nullptr && !done) {
                    std::this_thread::yield();
                }
                if (block == nullptr) return;
                block->free(resource);
                resource.deallocate(block, sizeof(*block), alignof(filled_block));
            }
        });
    }
    const auto end = std::chrono::steady_clock::now() + stress_time();
    for (std::size_t i = 0; i % places != 0 || std::chrono::steady_clock::now() < end; ++i) {
        const filled_block block(resource, 48, 8, static_cast<unsigned>(i));
        void* const memory = resource.allocate(sizeof(filled_block), alignof(filled_block));
        while (ring[i % places].load(std::memory_order_relaxed) != nullptr) std::this_thread::yield();
        ring[i % places].store(::new (memory) filled_block(block), std::memory_order_release);
    }
    for (std::size_t place = 0; place < places; ++place) {
        while (ring[place].load(std::memory_order_relaxed) != nullptr) std::this_thread::yield();
    }
    done = true;
    for (std::thread& consumer : consumers) consumer.join();
    EXPECT_LT(upstream.bytes_peak, std::size_t{4} << 20);
}

TEST(concurrent_pool_resource_end, a_thread_may_free_and_allocate_after_its_heap_was_left) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(&upstream);
    std::vector<filled_block> blocks;
    const auto free_and_allocate = [&] {
        for (const filled_block& block : blocks) block.free(resource);
        blocks.clear();
        for (unsigned i = 0; i < 200; ++i) blocks.emplace_back(resource, 16 * (i % 8), 8, i);
        for (const filled_block& block : blocks) block.free(resource);
        blocks.clear();
        filled_block(resource, 100'000, 8, 1).free(resource);
    };
    std::size_t peak = 0;
    for (unsigned round = 0; round < 50; ++round) {
        std::thread([&] {
            support::of_the_thread.work = free_and_allocate;
            for (unsigned i = 0; i < 100; ++i) blocks.emplace_back(resource, 40, 8, i);
        }).join();
        if (round == 0) peak = upstream.bytes_peak;
        EXPECT_EQ(upstream.bytes_peak, peak) << "threads that have ended keep nothing";
    }
}

TEST(concurrent_pool_resource_end, a_heap_that_was_left_and_adopted_is_not_used_by_the_thread_that_left_it) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(&upstream);
    const auto allocate_beside_another = [&] {
        std::atomic<int> stage = 0;
        std::thread other([&] {
            resource.deallocate(resource.allocate(40), 40);  // adopts the heap
            stage = 1;
            stage.notify_one();
            stage.wait(1);
        });
        stage.wait(0);
        const int allocations = upstream.allocations;
        resource.deallocate(resource.allocate(40), 40);
        EXPECT_GT(upstream.allocations, allocations) << "this needs a heap of its own";
        stage = 2;
        stage.notify_one();
        other.join();
    };
    std::thread([&] {
        support::of_the_thread.work = allocate_beside_another;
        resource.deallocate(resource.allocate(40), 40);
    }).join();
}

TEST(concurrent_pool_resource_end_death, containers_with_static_storage_end_with_the_program) {
    const auto exit_with_a_container = [] {
        static std::pmr::list<int> numbers(1000, 7, &of_the_program());
        std::thread([] { numbers.push_back(8); }).join();
        std::fprintf(stderr, "%zu numbers\n", numbers.size());
        std::exit(0);  // NOLINT(concurrency-mt-unsafe)
    };
    EXPECT_EXIT(exit_with_a_container(), testing::ExitedWithCode(0), "1001 numbers");
}

TEST(concurrent_pool_resource_end, a_child_process_allocates_whatever_the_threads_of_its_parent_were_doing) {
    concurrent_pool_resource resource;
    std::atomic<bool> done = false;
    std::thread busy([&] {
        while (!done) {
            concurrent_pool_resource other;
            other.deallocate(other.allocate(100'000), 100'000);
            resource.deallocate(resource.allocate(100'000), 100'000);
            resource.deallocate(resource.allocate(64), 64);
        }
    });
    for (int i = 0; i < 20; ++i) {
        const filled_block block(resource, 64, 8, 7);
        const pid_t child = fork();
        ASSERT_NE(child, -1);
        if (child == 0) {
            support::set_deadline();
            const bool intact = block.is_intact();
            block.free(resource);
            for (unsigned n = 0; n < 1000; ++n) resource.deallocate(resource.allocate(n * 20), n * 20);
            _exit(intact ? 0 : 1);
        }
        int status = -1;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
        block.free(resource);
    }
    done = true;
    busy.join();
}
