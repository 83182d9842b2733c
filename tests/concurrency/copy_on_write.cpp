// Objects that become ours alone while others leave them. The order of events is fixed, and ThreadSanitizer tells
// whether it is seen: relaxed_flag orders nothing.

#include <gtest/gtest.h>
#include <freehold/pointers/copy_on_write.hpp>
#include <freehold/pointers/make_shared.hpp>

#include <atomic>
#include <thread>
#include <utility>

#include "support/relaxed_flag.hpp"
#include "support/threads.hpp"
#include "support/tracked.hpp"

namespace {

struct object : support::tracked {
    explicit object(int initial = 0) : value(initial) {}

    int value;
};

using owner = freehold::shared_ptr<object>;

class concurrent_copy_on_write : public support::tracked_test {};

}  // namespace

TEST_F(concurrent_copy_on_write, a_change_in_place_happens_after_all_reads) {
    support::relaxed_flag left;
    owner mine = freehold::make_shared<object>(1);
    int seen = 0;
    std::thread other([&, theirs = mine]() mutable {
        seen = theirs->value;
        theirs.reset();
        left.raise();
    });
    left.wait();
    auto* const before = mine.get();
    freehold::make_mutable(mine).value = 2;
    EXPECT_EQ(mine.get(), before);
    other.join();
    EXPECT_EQ(seen, 1);
}

TEST_F(concurrent_copy_on_write, an_unwrap_happens_after_all_reads) {
    support::relaxed_flag left;
    owner mine = freehold::make_shared<object>(1);
    std::thread other([&, theirs = mine]() mutable {
        theirs->value = 2;
        theirs.reset();
        left.raise();
    });
    left.wait();
    EXPECT_EQ(freehold::try_unwrap(std::move(mine))->value, 2);
    other.join();
}

TEST_F(concurrent_copy_on_write, copies_are_made_of_what_others_own) {
    constexpr int threads = 4;
    const owner original = freehold::make_shared<object>(0);
    support::in_threads(threads, [mine = original](int i) {
        for (int round = 0; round < 500; ++round) {
            owner copy = mine;
            freehold::make_mutable(copy).value = i + 1;
            ASSERT_EQ(copy->value, i + 1);
        }
    });
    EXPECT_EQ(original->value, 0);
}

TEST_F(concurrent_copy_on_write, at_most_one_of_several_owners_unwraps) {
    for (int round = 0; round < 500; ++round) {
        owner owners[3] = {freehold::make_shared<object>(7)};
        owners[1] = owners[2] = owners[0];
        std::atomic<int> unwrapped = 0;
        support::in_threads(3, [&](int i) {
            if (freehold::try_unwrap(std::move(owners[i]))) ++unwrapped;
            owners[i].reset();
        });
        ASSERT_LE(unwrapped, 1);
        ASSERT_EQ(support::tracked::alive(), 0);
    }
}
