#pragma once
// tracked: a base class that counts its objects, so that a test can tell what is alive and what is destroyed.

#include <gtest/gtest.h>

#include <atomic>

namespace support {

// Thread safety: full. The counts are relaxed: they must not order what a concurrency test leaves unordered.
class tracked {
public:
    tracked() noexcept { alive_.fetch_add(1, std::memory_order_relaxed); }
    tracked(const tracked&) noexcept : tracked() {}
    tracked& operator=(const tracked&) noexcept { return *this; }
    ~tracked() {
        alive_.fetch_sub(1, std::memory_order_relaxed);
        destroyed_.fetch_add(1, std::memory_order_relaxed);
    }

    [[nodiscard]] static int alive() noexcept { return alive_.load(std::memory_order_relaxed); }

    // Returns: how many objects the running test has destroyed.
    [[nodiscard]] static int destroyed() noexcept { return destroyed_.load(std::memory_order_relaxed); }

private:
    friend class tracked_test;

    static inline std::atomic<int> alive_ = 0;
    static inline std::atomic<int> destroyed_ = 0;
};

// A test that must end with no tracked object alive, nor any destroyed more often than it was constructed.
class tracked_test : public testing::Test {
protected:
    void SetUp() override {
        tracked::alive_.store(0, std::memory_order_relaxed);
        tracked::destroyed_.store(0, std::memory_order_relaxed);
    }

    void TearDown() override { EXPECT_EQ(tracked::alive(), 0) << "leaked if positive, destroyed twice if negative"; }
};

}  // namespace support
