// The small-block pool in several threads.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <freehold/memory/small_block_pool.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "support/deadline.hpp"
#include "support/late_work.hpp"
#include "support/threads.hpp"

using freehold::small_block_pool;

namespace {

struct filled_block {
    unsigned char* begin;
    std::size_t bytes;
    unsigned char content;
};

filled_block make_filled(std::size_t bytes, unsigned char content) {
    auto* const begin = static_cast<unsigned char*>(small_block_pool::allocate(bytes));
    std::memset(begin, content, bytes);
    return {begin, bytes, content};
}

// Returns: whether the block still held what was written into it.
bool free_filled(const filled_block& block) {
    const bool intact =
        std::all_of(block.begin, block.begin + block.bytes, [&](unsigned char byte) { return byte == block.content; });
    small_block_pool::deallocate(block.begin, block.bytes);
    return intact;
}

// Where threads leave blocks for each other.
class exchange {
public:
    // Effects: leaves the block. Returns: another, left before by whomever; or the same one.
    filled_block swap(filled_block block, std::size_t place) {
        const std::lock_guard lock(mutex_);
        place %= 256;
        if (blocks_.size() < 256) {
            blocks_.push_back(block);
            return {nullptr, 0, 0};
        }
        std::swap(blocks_[place], block);
        return block;
    }

    ~exchange() {
        for (const filled_block& block : blocks_) EXPECT_TRUE(free_filled(block));
    }

private:
    std::mutex mutex_;
    std::vector<filled_block> blocks_;
};

// Allocates before main, and frees and allocates after it.
class of_the_program {
public:
    of_the_program() {
        for (int i = 0; i < 1000; ++i) blocks_.push_back(make_filled(40, 7));
    }
    of_the_program(const of_the_program&) = delete;
    of_the_program& operator=(const of_the_program&) = delete;

    ~of_the_program() {
        bool intact = true;
        for (const filled_block& block : blocks_) intact = free_filled(block) && intact;
        intact = free_filled(make_filled(40, 8)) && intact;
        if (announced) std::fprintf(stderr, intact ? "intact" : "damaged");
    }

    bool announced = false;

private:
    std::vector<filled_block> blocks_;
};

of_the_program lasting;

}  // namespace

TEST(concurrent_pool, blocks_allocated_in_one_thread_are_freed_in_another) {
    exchange common;
    support::in_threads(4, [&](int i) {
        std::mt19937 random(static_cast<unsigned>(i));
        for (int round = 0; round < 10000; ++round) {
            const std::size_t bytes = random() % small_block_pool::largest + 1;
            const auto content = static_cast<unsigned char>(random());
            const filled_block other = common.swap(make_filled(bytes, content), random());
            if (other.begin != nullptr) {
                ASSERT_TRUE(free_filled(other));
            }
        }
    });
}

TEST(concurrent_pool, threads_do_not_share_the_blocks_of_their_own_lists) {
    support::in_threads(4, [](int i) {
        std::vector<filled_block> blocks;
        for (int round = 0; round < 20; ++round) {
            for (int n = 0; n < 200; ++n) blocks.push_back(make_filled(48, static_cast<unsigned char>(i)));
            for (const filled_block& block : blocks) ASSERT_TRUE(free_filled(block));
            blocks.clear();
        }
    });
}

TEST(concurrent_pool, blocks_survive_the_thread_that_allocated_them) {
    std::vector<filled_block> blocks;
    for (int round = 0; round < 50; ++round) {
        std::thread([&] {
            for (int n = 0; n < 100; ++n) blocks.push_back(make_filled(72, static_cast<unsigned char>(round)));
        }).join();
        // Half of them are freed by the next thread, half of them by nobody's successor.
        std::thread([&] {
            for (int n = 0; n < 50; ++n) {
                EXPECT_TRUE(free_filled(blocks.back()));
                blocks.pop_back();
            }
        }).join();
    }
    for (const filled_block& block : blocks) EXPECT_TRUE(free_filled(block));
}

TEST(concurrent_pool, threads_come_and_go_while_others_work) {
    support::in_threads(3, [](int i) {
        for (int round = 0; round < 50; ++round) {
            std::thread([&] {
                std::vector<filled_block> blocks;
                for (int n = 0; n < 150; ++n) blocks.push_back(make_filled(120, static_cast<unsigned char>(i)));
                for (const filled_block& block : blocks) EXPECT_TRUE(free_filled(block));
            }).join();
        }
    });
}

TEST(concurrent_pool, a_thread_may_free_and_allocate_after_its_heap_was_left) {
    std::vector<filled_block> blocks;
    std::set<void*> ever_seen;
    const auto free_and_allocate = [&] {
        for (int times = 0; times < 2; ++times) {
            for (const filled_block& block : blocks) EXPECT_TRUE(free_filled(block));
            blocks.clear();
            for (int n = 0; n < 200 && times == 0; ++n) blocks.push_back(make_filled(104, 7));
            for (const filled_block& block : blocks) ever_seen.insert(block.begin);
        }
    };
    for (int round = 0; round < 50; ++round) {
        std::thread([&] {
            support::of_the_thread.work = free_and_allocate;
            for (int n = 0; n < 100; ++n) blocks.push_back(make_filled(104, 8));
        }).join();
    }
    EXPECT_LT(ever_seen.size(), 500U) << "threads that have ended keep nothing";
}

TEST(concurrent_pool_death, the_pool_is_there_before_main_and_after_it) {
    const auto end = [] {
        lasting.announced = true;
        std::exit(0);  // NOLINT(concurrency-mt-unsafe)
    };
    EXPECT_EXIT(end(), testing::ExitedWithCode(0), "intact");
}

TEST(concurrent_pool, a_child_process_allocates_whatever_the_threads_of_its_parent_were_doing) {
    std::atomic<bool> done = false;
    std::thread busy([&] {
        std::vector<filled_block> blocks;
        while (!done) {
            for (int n = 0; n < 300; ++n) blocks.push_back(make_filled(240, 7));
            std::thread([&] {
                for (const filled_block& block : blocks) EXPECT_TRUE(free_filled(block));
            }).join();
            blocks.clear();
        }
    });
    for (int i = 0; i < 20; ++i) {
        const filled_block block = make_filled(64, 7);
        const pid_t child = fork();
        ASSERT_NE(child, -1);
        if (child == 0) {
            support::set_deadline();
            bool intact = free_filled(block);
            for (int n = 0; n < 1000; ++n) intact = free_filled(make_filled(240, 8)) && intact;
            _exit(intact ? 0 : 1);
        }
        int status = -1;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
        EXPECT_TRUE(free_filled(block));
    }
    done = true;
    busy.join();
}
