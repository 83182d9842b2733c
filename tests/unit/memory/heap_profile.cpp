#include <gtest/gtest.h>
#include <freehold/memory/heap_profile.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <freehold/core/platform/process.hpp>
#include <freehold/memory/concurrent_pool_resource.hpp>
#include <freehold/memory/detail/process_heap.hpp>
#include <freehold/memory/small_block_pool.hpp>

#include "support/emulation.hpp"

using freehold::heap_profile;
using freehold::detail::module_profile;
using freehold::detail::process_heap;

namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;

// What samples stand for.
struct measured {
    double bytes = 0;
    double objects = 0;
    double live_bytes = 0;
    double live_objects = 0;
};

// Calls that are a site together.
class site {
public:
    // Effects: calls body(): what it allocates counts for this site.
    template <class Body>
    void operator()(Body body) {
        call(body);
    }

    // Returns: what is known of the site since its first call.
    [[nodiscard]] measured now() const {
        const measured all = sum();
        return {all.bytes - before_.bytes, all.objects - before_.objects, all.live_bytes - before_.live_bytes,
                all.live_objects - before_.live_objects};
    }

private:
    template <class Body>
    [[gnu::noinline]] void call(Body& body) {
        enter(__builtin_return_address(0));
        body();
        left_ = &body;  // so that it is a call
    }

    void enter(const void* place) {
        if (places_.count(place) != 0) return;
        const measured known = now();
        places_.insert(place);
        const measured all = sum();  // with those of another test
        before_ = {all.bytes - known.bytes, all.objects - known.objects, all.live_bytes - known.live_bytes,
                   all.live_objects - known.live_objects};
    }

    // Returns: what the stacks through the places have.
    [[nodiscard]] measured sum() const {
        measured found;
        module_profile::get()->stacks().visit([&](const auto& stack) {
            const auto is_mine = [this](const void* call) { return places_.count(call) != 0; };
            if (std::none_of(stack.calls, stack.calls + stack.count, is_mine)) return;
            const auto freed = stack.samples.freed();
            const auto all = stack.samples.allocated();
            constexpr double one = freehold::detail::sample_weight::one_object;
            found.bytes += static_cast<double>(all.bytes);
            found.objects += static_cast<double>(all.objects) / one;
            found.live_bytes += static_cast<double>(all.bytes - freed.bytes);
            found.live_objects += static_cast<double>(all.objects - freed.objects) / one;
        });
        return found;
    }

    std::set<const void*> places_;
    measured before_;
    const volatile void* left_ = nullptr;
};

// Effects: calls body(pool) in a thread, whose samples are the same in each run.
void in_fresh_thread(const std::function<void(freehold::concurrent_pool_resource&)>& body) {
    freehold::detail::sample_seeds.store(1, std::memory_order_relaxed);
    std::thread([&body] {
        freehold::concurrent_pool_resource pool;
        body(pool);
    }).join();
}

class HeapProfile : public testing::Test {
protected:
    void SetUp() override {
        if (!heap_profile::start()) GTEST_SKIP() << "the system shows no call stacks";
    }
};

void expect_within(double measured, double truth, double share) {
    EXPECT_GE(measured, truth * (1 - share));
    EXPECT_LE(measured, truth * (1 + share));
}

class HeapProfileOfBatches : public HeapProfile, public testing::WithParamInterface<std::size_t> {};

// A list is last in, first out: what it serves first says nothing of who keeps memory.
TEST_P(HeapProfileOfBatches, SharesOfAGrowingAndOfAChurningSite) {
    in_fresh_thread([](freehold::concurrent_pool_resource& pool) {
        const std::size_t batch = GetParam();
        constexpr std::size_t bytes = 256;
        constexpr std::size_t most_kept = 16 * mebi / bytes;
        site growing;
        site churning;
        std::vector<void*> kept;
        std::vector<void*> passing(2 * batch);
        std::size_t grown = 0;
        double live = 0;
        double others_live = 0;
        constexpr int rounds = 16;
        for (int round = 0; round < rounds; ++round) {
            while (kept.size() < most_kept) {
                growing([&] {
                    for (std::size_t i = 0; i < batch; ++i) kept.push_back(pool.allocate(bytes));
                });
                churning([&] {
                    for (void*& each : passing) each = pool.allocate(bytes);
                });
                for (void* const each : passing) pool.deallocate(each, bytes);
            }
            grown += kept.size() * bytes;
            live += growing.now().live_bytes;
            others_live += churning.now().live_bytes;
            for (void* const each : kept) pool.deallocate(each, bytes);
            kept.clear();
        }
        const double all = growing.now().bytes + churning.now().bytes;
        expect_within(growing.now().bytes / all, 1. / 3, .1);
        expect_within(churning.now().bytes / all, 2. / 3, .1);
        expect_within(all, 3 * static_cast<double>(grown), .1);
        expect_within(live, static_cast<double>(grown), .1);
        EXPECT_EQ(others_live, 0);
    });
}

INSTANTIATE_TEST_SUITE_P(BatchesOf, HeapProfileOfBatches, testing::Values(1, 10, 100, 1000, 10000));

class HeapProfileOfSizes : public HeapProfile, public testing::WithParamInterface<std::size_t> {};

TEST_P(HeapProfileOfSizes, NumbersAndBytes) {
    in_fresh_thread([](freehold::concurrent_pool_resource& pool) {
        const std::size_t bytes = GetParam();
        const std::size_t count = std::max(512 * mebi / bytes, std::size_t{500});
        site churning;
        churning([&] {
            for (std::size_t i = 0; i < count; ++i) pool.deallocate(pool.allocate(bytes), bytes);
        });
        expect_within(churning.now().objects, static_cast<double>(count), .1);
        expect_within(churning.now().bytes, static_cast<double>(count * bytes), .1);
        EXPECT_EQ(churning.now().live_bytes, 0);
        EXPECT_EQ(churning.now().live_objects, 0);
    });
}

INSTANTIATE_TEST_SUITE_P(Of, HeapProfileOfSizes, testing::Values(1000, 8192, 100 * 1024, 512 * 1024, 2 * mebi));

TEST_F(HeapProfile, AThreadFreesWhatAnotherHasAllocated) {
    in_fresh_thread([](freehold::concurrent_pool_resource& pool) {
        site allocating;
        std::vector<void*> blocks;
        allocating([&] {
            for (std::size_t i = 0; i < 64 * mebi / 1000; ++i) blocks.push_back(pool.allocate(1000));
        });
        expect_within(allocating.now().live_bytes, 64. * mebi, .3);
        std::thread([&] {
            for (void* const each : blocks) pool.deallocate(each, 1000);
        }).join();
        EXPECT_EQ(allocating.now().live_bytes, 0);
    });
}

TEST_F(HeapProfile, ThreadsThatEndLeaveTheirSamples) {
    in_fresh_thread([](freehold::concurrent_pool_resource& pool) {
        site allocating;
        std::vector<std::vector<void*>> blocks(500);
        for (std::vector<void*>& each : blocks) {
            std::thread([&] {
                allocating([&] {
                    for (int i = 0; i < 128; ++i) each.push_back(pool.allocate(1000));
                });
            }).join();
        }
        expect_within(allocating.now().live_bytes, 500 * 128 * 1000., .3);
        for (const std::vector<void*>& each : blocks) {
            for (void* const block : each) pool.deallocate(block, 1000);
        }
        EXPECT_EQ(allocating.now().live_bytes, 0);
    });
}

// Each of these threads has no heap before its one call.

TEST_F(HeapProfile, TheFirstSmallBlockOfAThreadCounts) {
    in_fresh_thread([](freehold::concurrent_pool_resource& pool) {
        site allocating;
        for (int i = 0; i < 3000; ++i) {
            std::thread([&] { allocating([&] { pool.deallocate(pool.allocate(8000), 8000); }); }).join();
        }
        expect_within(allocating.now().objects, 3000, .4);
        EXPECT_EQ(allocating.now().live_bytes, 0);
    });
}

TEST_F(HeapProfile, TheFirstLargeBlockOfAThreadCounts) {
    freehold::detail::sample_seeds.store(1, std::memory_order_relaxed);
    site allocating;
    for (int i = 0; i < 3000; ++i) {
        std::thread([&] { allocating([] { process_heap::deallocate(process_heap::allocate(400 * 1024)); }); }).join();
    }
    expect_within(allocating.now().objects, 3000, .1);
}

TEST_F(HeapProfile, ReleasedBlocksAreNotInUse) {
    in_fresh_thread([](freehold::concurrent_pool_resource& pool) {
        site allocating;
        freehold::concurrent_pool_resource released;
        void* kept = nullptr;
        allocating([&] {
            for (int i = 0; i < 10000; ++i) static_cast<void>(released.allocate(1000));
            static_cast<void>(released.allocate(50 * mebi));
            kept = pool.allocate(40 * mebi);
        });
        released.release();
        EXPECT_EQ(allocating.now().live_bytes, 40. * mebi);
        pool.deallocate(kept, 40 * mebi);
    });
}

TEST_F(HeapProfile, TrimGivesBackTheMemoryOfSampledBlocks) {
    in_fresh_thread([](freehold::concurrent_pool_resource& pool) {
        std::vector<void*> blocks;
        for (int i = 0; i < 10000; ++i) blocks.push_back(pool.allocate(1000));
        for (void* const each : blocks) pool.deallocate(each, 1000);
        pool.trim();
        EXPECT_EQ(pool.statistics().mapped, 0U);
    });
}

TEST_F(HeapProfile, BlocksAreFoundByAWalk) {
    in_fresh_thread([](freehold::concurrent_pool_resource& pool) {
        std::set<void*> expected;
        for (int i = 0; i < 10000; ++i) expected.insert(pool.allocate(1000));
        std::set<void*> found;
        pool.walk([&](void* block, std::size_t) { found.insert(block); });
        EXPECT_EQ(found, expected);
    });
}

class HeapProfileOfMalloc : public HeapProfile {
protected:
    void SetUp() override {
        HeapProfile::SetUp();
#ifdef FREEHOLD_ADDRESS_SANITIZER
        GTEST_SKIP() << "it writes what a pool has marked as free, and is never built like this";
#endif
    }
};

// A block of more than 40 times the mean distance is always sampled.

TEST_F(HeapProfileOfMalloc, ALargeBlockThatIsResized) {
    in_fresh_thread([](freehold::concurrent_pool_resource&) {
        site allocating;
        void* block = nullptr;
        allocating([&] { block = process_heap::allocate(40 * mebi); });
        EXPECT_EQ(allocating.now().live_bytes, 40. * mebi);
        for (const std::size_t bytes : {90 * mebi, 35 * mebi, 64 * mebi}) {
            allocating([&] { block = process_heap::reallocate(block, bytes); });
            EXPECT_EQ(allocating.now().live_bytes, static_cast<double>(bytes));
            EXPECT_EQ(allocating.now().live_objects, 1);
        }
        process_heap::deallocate(block);
        EXPECT_EQ(allocating.now().live_bytes, 0);
        EXPECT_EQ(allocating.now().bytes, (40. + 90 + 35 + 64) * mebi);
    });
}

TEST_F(HeapProfileOfMalloc, AlignedAndZeroedBlocks) {
    in_fresh_thread([](freehold::concurrent_pool_resource&) {
        site allocating;
        constexpr std::size_t count = 5000;
        std::vector<void*> blocks;
        allocating([&] {
            for (std::size_t i = 0; i < count; ++i) {
                blocks.push_back(process_heap::allocate(3000, 1024));
                blocks.push_back(process_heap::allocate(9000, 4096));
                blocks.push_back(process_heap::allocate_zeroed(5000));
                blocks.push_back(process_heap::allocate_zeroed(11000));
            }
        });
        expect_within(allocating.now().live_bytes, count * 28000., .2);
        for (void* const each : blocks) process_heap::deallocate(each);
        EXPECT_EQ(allocating.now().live_bytes, 0);
    });
}

TEST_F(HeapProfileOfMalloc, SmallBlocksThatAreResized) {
    in_fresh_thread([](freehold::concurrent_pool_resource&) {
        site allocating;
        std::vector<void*> blocks;
        allocating([&] {
            for (int i = 0; i < 30000; ++i) {
                blocks.push_back(process_heap::reallocate(process_heap::allocate(1000), 3000));
            }
        });
        expect_within(allocating.now().bytes, 30000 * 4000., .2);
        expect_within(allocating.now().live_bytes, 30000 * 3000., .2);
        for (void* const each : blocks) process_heap::deallocate(each);
        EXPECT_EQ(allocating.now().live_bytes, 0);
    });
}

TEST_F(HeapProfile, TheSmallBlockPool) {
    in_fresh_thread([](freehold::concurrent_pool_resource&) {
        using freehold::small_block_pool;
        site churning;
        churning([] {
            for (int i = 0; i < 2'000'000; ++i) small_block_pool::deallocate(small_block_pool::allocate(256), 256);
        });
        expect_within(churning.now().objects, 2'000'000, .2);
        EXPECT_EQ(churning.now().live_bytes, 0);
    });
}

// As the system's unwinder may.
TEST_F(HeapProfile, WhatAProfileAllocatesIsNotSampled) {
    in_fresh_thread([](freehold::concurrent_pool_resource& pool) {
        site allocating;
        freehold::detail::is_in_profile = true;
        allocating([&] { pool.deallocate(pool.allocate(50 * mebi), 50 * mebi); });
        freehold::detail::is_in_profile = false;
        EXPECT_EQ(allocating.now().bytes, 0);
    });
}

TEST_F(HeapProfile, BlocksWithoutRoomInTheTableCountAsFreed) {
    using samples = freehold::detail::basic_heap_samples<freehold::detail::process_threading, 1, 4>;
    samples::table table;
    samples small(nullptr, table);
    freehold::detail::sample_sums sums;
    char blocks[5 * 16];
    for (int i = 0; i < 5; ++i) small.add(blocks + 16 * i, 50 * mebi, nullptr, sums);
    EXPECT_EQ(small.untracked(), 1U);
    EXPECT_EQ(sums.allocated().bytes, 250 * mebi);
    EXPECT_EQ(sums.freed().bytes, 50 * mebi);
    for (int i = 0; i < 5; ++i) small.remove(blocks + 16 * i);
    EXPECT_EQ(sums.freed().bytes, 250 * mebi);
}

// Else whoever reads the memory of a process would take the profile for an owner, and overlook a leak.
TEST(HeapSamples, HaveNoAddressOfABlockOrOfItsOwner) {
    using samples = freehold::detail::basic_heap_samples<freehold::detail::process_threading, 1, 4>;
    samples::table table;
    samples small(nullptr, table);
    freehold::detail::sample_sums sums;
    const char block[16] = {};
    const char owner[16] = {};
    small.add(block, 50 * mebi, owner, sums);
    std::uintptr_t words[sizeof(table) / sizeof(std::uintptr_t)];
    std::memcpy(words, static_cast<const void*>(&table), sizeof(words));
    for (const std::uintptr_t each : words) {
        EXPECT_NE(each, reinterpret_cast<std::uintptr_t>(block));
        EXPECT_NE(each, reinterpret_cast<std::uintptr_t>(owner));
    }
    small.remove(block);
}

struct few_stacks {
    static constexpr std::size_t stacks = 8;
    static constexpr std::size_t most_probes = 8;
    static constexpr std::size_t bytes = 512;
};

TEST(SampledStacks, AreTheSameSiteAgainAndOneForAllThatHaveNoRoom) {
    using few = freehold::detail::basic_sampled_stacks<freehold::detail::process_threading, few_stacks>;
    few::atomic<few::stack*> table[few_stacks::stacks] = {};
    alignas(few::stack) std::byte memory[few_stacks::bytes] = {};
    few stacks(table, memory);
    void* calls[20];
    for (std::size_t i = 0; i < std::size(calls); ++i) calls[i] = calls + i;
    auto* const first = &stacks.find(calls, 10);
    EXPECT_NE(first, &stacks.lost());
    EXPECT_NE(&stacks.find(calls, 9), first);
    EXPECT_NE(&stacks.find(calls + 1, 10), first);
    EXPECT_EQ(&stacks.find(calls, 10), first);
    EXPECT_EQ(&stacks.find(calls, 20), &stacks.lost());
}

// Files.

class HeapProfileFile : public HeapProfile {
protected:
    void SetUp() override {
        HeapProfile::SetUp();
        if (support::is_emulated()) GTEST_SKIP() << "the system is another one";
        path_ = testing::TempDir() + "freehold_heap_profile_" + std::to_string(freehold::detail::process_id());
    }

    void TearDown() override {
        for (const char* const suffix : {"", ".1", ".folded"}) std::remove((path_ + suffix).c_str());
    }

    static std::string contents(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    std::string path_;
};

TEST_F(HeapProfileFile, NeverReplacesAnother) {
    ASSERT_TRUE(heap_profile::write(path_.c_str()));
    const std::string before = contents(path_);
    EXPECT_NE(before.find("inuse_space"), std::string::npos);
    ASSERT_TRUE(heap_profile::write(path_.c_str()));
    EXPECT_EQ(contents(path_), before);
    EXPECT_NE(contents(path_ + ".1").find("inuse_space"), std::string::npos);
}

TEST_F(HeapProfileFile, IsReadByItsUserOnly) {
    using std::filesystem::perms;
    ASSERT_TRUE(heap_profile::write(path_.c_str()));
    EXPECT_EQ(std::filesystem::status(path_).permissions(), perms::owner_read | perms::owner_write);
}

TEST_F(HeapProfileFile, CannotBeMadeWhereThereIsNoFolder) {
    EXPECT_FALSE(heap_profile::write((path_ + "/none").c_str()));
}

TEST_F(HeapProfileFile, FoldedStacksSayWhatIsInUse) {
    const std::string path = path_ + ".folded";
    in_fresh_thread([&](freehold::concurrent_pool_resource& pool) {
        void* const block = pool.allocate(77 * mebi + 7);
        ASSERT_TRUE(heap_profile::write(path.c_str(), heap_profile::format_of(path.c_str())));
        pool.deallocate(block, 77 * mebi + 7);
    });
    EXPECT_NE(contents(path).find(" " + std::to_string(77 * mebi + 7) + "\n"), std::string::npos);
}

TEST_F(HeapProfileFile, IsWrittenAtTheNextSample) {
    in_fresh_thread([&](freehold::concurrent_pool_resource& pool) {
        heap_profile::write_soon(path_.c_str());
        EXPECT_TRUE(contents(path_).empty());
        pool.deallocate(pool.allocate(50 * mebi), 50 * mebi);
        EXPECT_FALSE(contents(path_).empty());
    });
}

}  // namespace
