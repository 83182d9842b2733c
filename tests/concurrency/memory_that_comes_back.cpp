// What concurrent_pool_resource keeps of its upstream's memory, and what it gives back, in one thread and in many.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <freehold/memory/concurrent_pool_resource.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <memory_resource>
#include <new>
#include <random>
#include <thread>
#include <vector>

#include "support/deadline.hpp"
#include "support/filled_block.hpp"
#include "support/ledger_resource.hpp"
#include "support/reentering_resource.hpp"
#include "support/threads.hpp"

using freehold::concurrent_pool_resource;
using support::filled_block;

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t slab = freehold::detail::slab_bytes;
constexpr std::size_t chunk = freehold::detail::slab_cache::largest_chunk;

// What may stay of a size without a call: an idle chunk, and those of the four slabs that were used last.
constexpr std::size_t kept = 5 * chunk;

const support::sizes all_sizes{16, 48, 100, 256, 700, 1024, 3000, 8192};

struct blocks_of_size {
    std::size_t bytes;
    std::vector<void*> blocks;
};

// Returns: blocks of the size, `total` bytes in all.
blocks_of_size allocate(concurrent_pool_resource& resource, std::size_t bytes, std::size_t total) {
    blocks_of_size made{bytes, std::vector<void*>(total / bytes)};
    for (void*& block : made.blocks) block = resource.allocate(bytes);
    return made;
}

void deallocate(concurrent_pool_resource& resource, const blocks_of_size& freed) {
    for (void* const block : freed.blocks) resource.deallocate(block, freed.bytes);
}

// Effects: allocates and frees blocks of all sizes, and leaves some.
std::vector<filled_block> use(concurrent_pool_resource& resource, unsigned seed, int steps) {
    std::mt19937 random(seed);
    std::vector<filled_block> live;
    for (int i = 0; i < steps; ++i) {
        if (live.size() < 100 || random() % 2 == 0) {
            live.emplace_back(resource, 1 + random() % (random() % 8 == 0 ? 8192 : 300), 8, static_cast<unsigned>(i));
        } else {
            std::swap(live[random() % live.size()], live.back());
            live.back().free(resource);
            live.pop_back();
        }
    }
    return live;
}

void free_all(concurrent_pool_resource& resource, std::vector<filled_block>& blocks) {
    for (const filled_block& each : blocks) each.free(resource);
    blocks.clear();
}

// Returns: the number of heaps in the upstream's memory.
std::ptrdiff_t heaps_in(const support::ledger_resource& upstream) {
    return std::ranges::count_if(
        upstream.live, [](const auto& each) { return each.second.bytes == sizeof(freehold::detail::thread_heap); });
}

// Effects: expects that the upstream's memory holds heaps and nothing else.
void expect_only_heaps(const support::ledger_resource& upstream) {
    EXPECT_EQ(heaps_in(upstream), std::ssize(upstream.live));
}

// A thread that lives as long as this object and does one thing at a time.
class worker {
public:
    worker() = default;
    worker(const worker&) = delete;
    worker& operator=(const worker&) = delete;
    ~worker() {
        run(nullptr);
        thread_.join();
    }

    // Effects: calls the work in the thread, and waits for its end.
    void run(std::function<void()> work) {
        work_ = std::move(work);
        has_work_ = true;
        has_work_.notify_one();
        has_work_.wait(true);
    }

private:
    void loop() {
        for (bool is_done = false; !is_done;) {
            has_work_.wait(false);
            is_done = work_ == nullptr;
            if (!is_done) work_();
            has_work_ = false;
            has_work_.notify_one();
        }
    }

    std::function<void()> work_;
    std::atomic<bool> has_work_ = false;
    std::thread thread_{[this] { loop(); }};
};

}  // namespace

TEST(memory_that_comes_back, what_is_freed_goes_to_the_upstream_but_for_a_few_chunks) {
    for (const std::size_t bytes : support::sizes{16, 256, 3000, 8192}) {
        for (const char* const order : {"first in first out", "last in first out", "random"}) {
            support::ledger_resource upstream;
            concurrent_pool_resource resource(&upstream);
            blocks_of_size blocks = allocate(resource, bytes, 8 * mebibyte);
            EXPECT_GT(upstream.bytes_live, 8 * mebibyte);
            if (order[0] == 'l') std::ranges::reverse(blocks.blocks);
            if (order[0] == 'r') std::ranges::shuffle(blocks.blocks, std::mt19937(1));
            deallocate(resource, blocks);
            EXPECT_LE(upstream.bytes_live, kept) << bytes << " bytes, " << order;
        }
    }
}

TEST(memory_that_comes_back, one_size_after_another_needs_no_more_than_the_largest_and_a_little) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(&upstream);
    for (const std::size_t bytes : all_sizes) deallocate(resource, allocate(resource, bytes, 12 * mebibyte));
    EXPECT_LE(upstream.bytes_peak, 12 * mebibyte * 9 / 8 + kept);
}

TEST(memory_that_comes_back, what_stays_of_one_size_serves_another_before_the_upstream_is_asked) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource({4096, 0}, &upstream);  // a slab to a chunk
    deallocate(resource, allocate(resource, 64, 16 * slab));
    const int allocations = upstream.allocations;
    // One slab is idle; another one is among the last of the first size.
    deallocate(resource, allocate(resource, 8192, 2 * (slab - 8192)));
    EXPECT_EQ(upstream.allocations, allocations);
}

TEST(memory_that_comes_back, what_one_live_thread_has_freed_serves_another) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(&upstream);
    worker first;
    worker second;
    for (int round = 0; round < 3; ++round) {
        for (worker* const each : {&first, &second}) {
            each->run([&] { deallocate(resource, allocate(resource, 100, 12 * mebibyte)); });
        }
    }
    EXPECT_LE(upstream.bytes_peak, 12 * mebibyte * 9 / 8 + 2 * kept);
}

TEST(memory_that_comes_back, what_another_thread_has_freed_serves_a_third_when_its_owner_allocates) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(&upstream);
    worker owner;
    worker other;
    blocks_of_size blocks;
    owner.run([&] {
        resource.deallocate(resource.allocate(500), 500);
        blocks = allocate(resource, 100, 12 * mebibyte);
    });
    other.run([&] {
        deallocate(resource, blocks);
        resource.flush();
    });
    owner.run([&] {
        for (int i = 0; i < 20; ++i) static_cast<void>(resource.allocate(500));
    });
    EXPECT_LE(upstream.bytes_live, kept);
}

TEST(memory_that_comes_back, what_another_thread_frees_goes_to_the_upstream_if_its_owner_has_ended) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(&upstream);
    blocks_of_size blocks[4];
    for (blocks_of_size& each : blocks) {
        std::thread([&] { each = allocate(resource, 256, 4 * mebibyte); }).join();
        static_cast<void>(resource.allocate(500));  // no thread adopts the heap of one before it
    }
    for (const blocks_of_size& each : blocks) deallocate(resource, each);
    EXPECT_LE(upstream.bytes_live, kept);
}

TEST(memory_that_comes_back, threads_that_have_ended_leave_all_they_had_to_others) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(&upstream);
    for (unsigned i = 0; i < 50; ++i) {
        std::thread([&] {
            blocks_of_size blocks = allocate(resource, all_sizes[i % all_sizes.size()], 2 * mebibyte);
            // Half of them are freed by another.
            blocks_of_size rest{blocks.bytes, {}};
            rest.blocks.assign(blocks.blocks.begin() + 100, blocks.blocks.end());
            blocks.blocks.resize(100);
            std::thread([&] { deallocate(resource, blocks); }).join();
            deallocate(resource, rest);
        }).join();
    }
    EXPECT_LE(upstream.bytes_peak, 2 * mebibyte * 9 / 8 + kept);
}

TEST(memory_that_comes_back, many_threads_at_once_and_their_end_leave_what_one_trim_gives_back) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(&upstream);
    std::vector<std::vector<filled_block>> left(8);
    for (int round = 0; round < 4; ++round) {
        support::in_threads(4, [&](int i) {
            left[static_cast<std::size_t>(4 + i)] = use(resource, static_cast<unsigned>(i), 3000);
            free_all(resource, left[static_cast<std::size_t>(i)]);
        });
        // The next threads free what these have left, each the blocks of another.
        std::rotate(left.begin(), left.begin() + 4, left.end());
        std::rotate(left.begin(), left.begin() + 1, left.begin() + 4);
    }
    for (std::vector<filled_block>& each : left) free_all(resource, each);
    resource.trim();
    expect_only_heaps(upstream);
    EXPECT_LE(heaps_in(upstream), 2 * 5) << "each of the threads at once had its own and looked through one";
}

TEST(memory_that_comes_back, trim_gives_all_back_when_nothing_is_in_use) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(&upstream);
    for (unsigned round = 0; round < 3; ++round) {
        std::vector<filled_block> blocks = use(resource, round, 20'000);
        free_all(resource, blocks);
        resource.trim();
        expect_only_heaps(upstream);
    }
}

TEST(memory_that_comes_back, trim_keeps_what_is_in_use) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(&upstream);
    std::vector<filled_block> blocks;
    for (unsigned round = 0; round < 10; ++round) {
        for (const filled_block& each : use(resource, round, 2000)) blocks.push_back(each);
        resource.trim();
        const blocks_of_size more = allocate(resource, 100, mebibyte / 4);
        deallocate(resource, more);
    }
    free_all(resource, blocks);  // checks their content
    resource.trim();
    expect_only_heaps(upstream);
}

TEST(memory_that_comes_back, trim_gives_back_what_an_ended_thread_has_borrowed_from_the_heap_of_this_one) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(&upstream);
    const auto begin = [&] { resource.deallocate(resource.allocate(16), 16); };
    {
        worker borrower;
        std::thread([&] {
            borrower.run(begin);
            deallocate(resource, allocate(resource, 1024, slab / 2));
        }).join();
        borrower.run([&] { deallocate(resource, allocate(resource, 1024, 1024)); });
        begin();  // adopts the heap
    }
    resource.trim();
    expect_only_heaps(upstream);
}

TEST(memory_that_comes_back, trim_gives_back_what_ended_threads_have_borrowed_from_each_other) {
    for (const bool is_first_left_last : {false, true}) {
        support::ledger_resource upstream;
        concurrent_pool_resource resource(&upstream);
        auto first = std::make_unique<worker>();
        auto second = std::make_unique<worker>();
        first->run([&] { deallocate(resource, allocate(resource, 1024, slab / 2)); });
        second->run([&] { deallocate(resource, allocate(resource, 512, slab / 2)); });
        first = nullptr;
        second->run([&] { deallocate(resource, allocate(resource, 1024, 1024)); });
        first = std::make_unique<worker>();
        first->run([&] { deallocate(resource, allocate(resource, 2048, 2048)); });  // adopts the heap
        second = nullptr;
        first->run([&] { deallocate(resource, allocate(resource, 512, 512)); });
        second = std::make_unique<worker>();
        second->run([&] { deallocate(resource, allocate(resource, 4096, 4096)); });
        (is_first_left_last ? second : first) = nullptr;
        (is_first_left_last ? first : second) = nullptr;
        resource.trim();
        expect_only_heaps(upstream);
        EXPECT_EQ(heaps_in(upstream), 2);
    }
}

TEST(memory_that_comes_back, trim_sends_home_what_the_thread_has_freed_of_others) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(&upstream);
    blocks_of_size blocks;
    std::thread([&] { blocks = allocate(resource, 300, mebibyte); }).join();
    worker other;
    other.run([&] { resource.deallocate(resource.allocate(16), 16); });  // adopts the heap
    deallocate(resource, blocks);
    resource.trim();
    other.run([&] { resource.trim(); });
    expect_only_heaps(upstream);
}

TEST(memory_that_comes_back, a_thread_that_never_used_the_resource_may_trim_it) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(&upstream);
    std::thread([&] { deallocate(resource, allocate(resource, 300, mebibyte)); }).join();
    resource.trim();
    expect_only_heaps(upstream);
}

TEST(memory_that_comes_back, threads_trim_while_others_allocate) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(&upstream);
    std::vector<std::vector<filled_block>> left(4);
    for (int round = 0; round < 5; ++round) {
        support::in_threads(4, [&](int i) {
            const auto mine = static_cast<std::size_t>(i);
            if (i == 0) {
                for (int n = 0; n < 50; ++n) resource.trim();
            } else {
                std::vector<filled_block> before = std::move(left[mine]);
                left[mine] = use(resource, static_cast<unsigned>(i), 2000);
                resource.trim();
                free_all(resource, before);
            }
        });
        std::rotate(left.begin() + 1, left.begin() + 2, left.end());
    }
    for (std::vector<filled_block>& each : left) free_all(resource, each);
    resource.trim();
    expect_only_heaps(upstream);
}

// Else a server whose threads come and go would have a heap more with every trim.
TEST(memory_that_comes_back, a_thread_that_begins_during_a_trim_finds_the_heap_of_an_ended_one) {
    support::reentering_resource upstream;
    concurrent_pool_resource resource(&upstream);
    // The heap keeps the last slabs of each size until it is trimmed.
    const auto use_all_sizes = [&] {
        for (const std::size_t bytes : all_sizes) deallocate(resource, allocate(resource, bytes, slab));
    };
    upstream.enters_to_free = true;
    for (int i = 0; i < 20; ++i) {
        support::in_threads(4, [&](int) { use_all_sizes(); });
        upstream.use_above = [&] { std::thread([&] { resource.deallocate(resource.allocate(16), 16); }).join(); };
        resource.trim();
        upstream.use_above = nullptr;
    }
    EXPECT_LE(heaps_in(upstream.ledger()), 4 * 2) << "each of the threads at once had its own and looked through one";
}

TEST(memory_that_comes_back, a_thread_that_ends_sends_home_what_it_has_freed_of_others) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(&upstream);
    const blocks_of_size blocks = allocate(resource, 1024, 63 * 1024);  // the whole of a slab
    std::thread([&] { resource.deallocate(blocks.blocks.back(), 1024); }).join();
    upstream.allocations_left = 0;
    EXPECT_EQ(resource.allocate(1024), blocks.blocks.back());
    deallocate(resource, blocks);
}

TEST(memory_that_comes_back, a_thread_that_needs_memory_sends_home_what_it_has_freed_of_others) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource(&upstream);
    blocks_of_size blocks;
    resource.deallocate(resource.allocate(16), 16);  // this thread has a heap, and does not adopt the other one
    std::thread([&] { blocks = allocate(resource, 1024, 63 * 1024); }).join();  // the whole of a slab
    upstream.allocations_left = 0;
    resource.deallocate(blocks.blocks.back(), 1024);
    EXPECT_EQ(resource.allocate(1024), blocks.blocks.back());
    deallocate(resource, blocks);
}

TEST(memory_that_comes_back, without_an_upstream_all_heaps_are_asked_for_what_ended_threads_have_left) {
    support::ledger_resource upstream;
    concurrent_pool_resource resource({4096, 0}, &upstream);  // a slab to a chunk, so that none is spare
    void* const mine = resource.allocate(16);                 // this thread has a heap, with nothing to spare
    std::vector<std::unique_ptr<worker>> workers(12);
    std::vector<void*> used(workers.size());
    for (std::size_t i = 0; i < workers.size(); ++i) {
        workers[i] = std::make_unique<worker>();
        workers[i]->run([&] { used[i] = resource.allocate(100); });
    }
    workers.front()->run([&] { deallocate(resource, allocate(resource, 3000, slab / 2)); });
    for (auto& each : workers) each = nullptr;  // the one with free memory ends first, and is asked last
    upstream.allocations_left = 0;
    void* const block = resource.allocate(1024);
    EXPECT_NE(block, nullptr);
    resource.deallocate(block, 1024);
    resource.deallocate(mine, 16);
    for (void* const each : used) resource.deallocate(each, 100);
}

TEST(memory_that_comes_back, an_upstream_may_use_the_resource_while_what_an_ended_thread_has_left_goes_back) {
    support::reentering_resource upstream;
    concurrent_pool_resource resource(&upstream);
    resource.deallocate(resource.allocate(16), 16);  // this thread has a heap, and does not adopt the other one
    std::thread([&] {
        std::vector<blocks_of_size> made;
        // The second time, slabs that were looked through are used again, and so are not known to be empty.
        for (int round = 0; round < 2; ++round) {
            for (std::size_t bytes = 16; bytes < 1500; bytes += 16) made.push_back(allocate(resource, bytes, bytes));
        }
        for (const blocks_of_size& each : made) deallocate(resource, each);
    }).join();
    std::vector<void*> within;
    upstream.enters_to_free = true;
    upstream.use_above = [&] { within.push_back(resource.allocate(2000)); };
    void* const block = resource.allocate(2000);
    upstream.use_above = nullptr;
    EXPECT_FALSE(within.empty());
    for (void* const each : within) resource.deallocate(each, 2000);
    resource.deallocate(block, 2000);
    resource.trim();
    expect_only_heaps(upstream.ledger());
}

// Each request to the upstream fails in turn, in any thread.
TEST(memory_that_comes_back, after_any_failed_request_nothing_is_lost) {
    int failures = 0;
    for (int allowed = 0; failures == allowed; ++allowed) {
        support::ledger_resource upstream;
        concurrent_pool_resource resource(&upstream);
        upstream.allocations_left = allowed;
        std::vector<filled_block> blocks;
        bool has_failed = false;
        const auto fill = [&](std::size_t bytes) {
            try {
                for (std::size_t i = 0; i < 3 * slab / bytes; ++i) {
                    blocks.emplace_back(resource, bytes, 8, static_cast<unsigned>(i));
                }
            } catch (const support::upstream_failure&) {
                has_failed = true;
            }
        };
        for (const std::size_t bytes : {100U, 3000U}) {
            fill(bytes);
            std::thread([&] {
                fill(bytes);
                for (; blocks.size() > 50; blocks.pop_back()) blocks.back().free(resource);
            }).join();
            fill(50'000);
        }
        failures += has_failed ? 1 : 0;
        for (const filled_block& each : blocks) each.free(resource);
        upstream.allocations_left = support::ledger_resource::unlimited;
        for (const std::size_t bytes : all_sizes) deallocate(resource, allocate(resource, bytes, slab));
        resource.trim();
        expect_only_heaps(upstream);
    }
    EXPECT_GT(failures, 8);
}

TEST(memory_that_comes_back, after_exhaustion_all_that_was_freed_serves_any_other_size) {
    for (const std::size_t before : support::sizes{16, 700, 8192}) {
        support::ledger_resource upstream;
        upstream.bytes_limit = 4 * mebibyte;
        concurrent_pool_resource resource(&upstream);
        const auto exhaust = [&](std::size_t bytes) {
            blocks_of_size made{bytes, {}};
            try {
                while (true) made.blocks.push_back(resource.allocate(bytes));
            } catch (const support::upstream_failure&) {
            }
            deallocate(resource, made);
            return made.blocks.size() * bytes;
        };
        exhaust(before);
        for (const std::size_t after : all_sizes) {
            // Also what ended threads have left.
            if (after == 256) std::thread([&] { exhaust(before); }).join();
            EXPECT_GE(exhaust(after), 4 * mebibyte * 8 / 10) << after << " after " << before;
        }
    }
}

TEST(memory_that_comes_back, a_thread_may_use_more_resources_alternately_than_its_table_has_entries) {
    support::ledger_resource upstream;
    std::vector<std::unique_ptr<concurrent_pool_resource>> resources;
    for (int i = 0; i < 40; ++i) resources.push_back(std::make_unique<concurrent_pool_resource>(&upstream));
    std::vector<std::vector<filled_block>> blocks(resources.size());
    for (unsigned round = 0; round < 200; ++round) {
        for (std::size_t i = 0; i < resources.size(); ++i) {
            if (round % 2 == 0 || round < 20) blocks[i].emplace_back(*resources[i], 16 * (round % 50), 8, round);
            // Some are freed elsewhere.
            if (round % 4 != 3 || blocks[i].empty()) continue;
            blocks[i].front().free(*resources[i]);
            blocks[i].erase(blocks[i].begin());
        }
    }
    EXPECT_EQ(heaps_in(upstream), std::ssize(resources));
    std::thread([&] {
        for (std::size_t i = 0; i < resources.size(); ++i) free_all(*resources[i], blocks[i]);
    }).join();
    for (const auto& each : resources) each->trim();
    expect_only_heaps(upstream);
}

TEST(memory_that_comes_back, a_resource_of_many_may_end_and_another_take_its_entry) {
    support::ledger_resource upstream;
    std::vector<std::unique_ptr<concurrent_pool_resource>> resources(20);
    std::mt19937 random(1);
    for (unsigned i = 0; i < 1000; ++i) {
        std::unique_ptr<concurrent_pool_resource>& each = resources[random() % resources.size()];
        if (each == nullptr || random() % 8 == 0) each = std::make_unique<concurrent_pool_resource>(&upstream);
        filled_block(*each, 100, 8, i).free(*each);
    }
    resources.clear();
    EXPECT_EQ(upstream.bytes_live, 0U);
}

TEST(memory_that_comes_back, a_child_process_trims_whatever_the_threads_of_its_parent_were_doing) {
    concurrent_pool_resource resource;
    std::atomic<bool> done = false;
    std::thread busy([&] {
        for (unsigned i = 0; !done; ++i) {
            std::vector<filled_block> blocks = use(resource, i, 500);
            free_all(resource, blocks);
            resource.trim();
        }
    });
    for (int i = 0; i < 20; ++i) {
        std::vector<filled_block> blocks = use(resource, 7, 500);
        const pid_t child = fork();
        ASSERT_NE(child, -1);
        if (child == 0) {
            support::set_deadline();
            const bool is_intact = std::ranges::all_of(blocks, &filled_block::is_intact);
            free_all(resource, blocks);
            resource.trim();
            blocks = use(resource, 8, 500);
            free_all(resource, blocks);
            _exit(is_intact ? 0 : 1);
        }
        int status = -1;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
        free_all(resource, blocks);
    }
    done = true;
    busy.join();
}

TEST(memory_that_comes_back, statistics_may_be_asked_for_while_sizes_change) {
    concurrent_pool_resource resource;
    std::atomic<int> left = 3;
    support::in_threads(4, [&](int thread) {
        if (thread > 0) {
            for (int round = 0; round < 10; ++round) {
                for (const std::size_t bytes : all_sizes) deallocate(resource, allocate(resource, bytes, mebibyte / 2));
                resource.trim();
            }
            --left;
            return;
        }
        do {
            const freehold::pool_statistics found = resource.statistics();
            std::size_t slabs = 0;
            for (const freehold::pool_class_statistics& each : found) slabs += each.slabs;
            EXPECT_LE(found.spare + slabs * slab, found.mapped);
            std::this_thread::yield();
        } while (left != 0);
    });
    EXPECT_EQ(resource.quiet_statistics().live, 0U);
}
