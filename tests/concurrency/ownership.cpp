// Owners of one object in several threads: shared_ptr and intrusive_ptr.

#include <gtest/gtest.h>
#include <freehold/pointers/intrusive_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/ref_counted.hpp>
#include <freehold/pointers/shared_ptr.hpp>

#include <utility>

#include "support/contract.hpp"
#include "support/relaxed_flag.hpp"
#include "support/summed_at_end.hpp"
#include "support/threads.hpp"
#include "support/tracked.hpp"

namespace {

struct object : freehold::ref_counted<object>, support::summed_at_end {};

constexpr int threads = object::writers;

struct shared {
    static constexpr const char* name = "shared_ptr";
    using pointer = freehold::shared_ptr<object>;
    static pointer make() { return pointer(new object); }
};

struct housed : shared {
    static constexpr const char* name = "make_shared";
    static pointer make() { return freehold::make_shared<object>(); }
};

struct intrusive {
    static constexpr const char* name = "intrusive_ptr";
    using pointer = freehold::intrusive_ptr<object>;
    static pointer make() { return freehold::make_intrusive<object>(); }
};

template <class Family>
class concurrent_owners : public support::tracked_test {};

}  // namespace

template <>
struct support::implementations<concurrent_owners> {
    using types = testing::Types<shared, housed, intrusive>;
};

CONTRACT(concurrent_owners, copies_made_and_released_in_several_threads_are_all_counted) {
    const auto p = TypeParam::make();
    support::in_threads(threads, [mine = p](int) {
        for (int round = 0; round < 5000; ++round) {
            auto copy = mine;
            auto moved = std::move(copy);
            copy = moved;
            moved = copy;
        }
    });
    EXPECT_EQ(support::tracked::destroyed(), 0);
}

CONTRACT(concurrent_owners, whichever_thread_is_the_last_destroys_the_object_once) {
    constexpr int rounds = 500;
    for (int round = 0; round < rounds; ++round) {
        typename TypeParam::pointer owners[threads] = {TypeParam::make()};
        owners[0]->sum_at_end = threads;
        for (int i = 1; i < threads; ++i) owners[i] = owners[0];
        support::in_threads(threads, [&](int i) {
            owners[i]->values[i] = 1;
            owners[i].reset();
        });
        ASSERT_EQ(support::tracked::destroyed(), round + 1);
    }
}

CONTRACT(concurrent_owners, the_last_owner_sees_what_another_wrote_before_it_left) {
    support::relaxed_flag left;
    auto mine = TypeParam::make();
    mine->sum_at_end = 1;
    support::in_threads(2, [&, theirs = mine](int i) mutable {
        if (i == 0) {
            theirs->values[0] = 1;
            theirs.reset();
            left.raise();
        } else {
            left.wait();
            mine.reset();
        }
    });
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

// An object made while there was one thread is counted on when there are more.
CONTRACT(concurrent_owners, an_object_made_before_the_first_thread_is_released_by_threads) {
    auto p = TypeParam::make();
    auto copy = p;
    p->sum_at_end = threads;
    support::in_threads(threads, [mine = std::move(copy)](int i) mutable {
        auto own = mine;
        own->values[i] = 1;
    });
    EXPECT_EQ(p->values[0] + p->values[threads - 1], 2);
    p.reset();
    EXPECT_EQ(support::tracked::destroyed(), 1);
}
