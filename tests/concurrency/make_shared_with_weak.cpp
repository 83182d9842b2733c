// An object that has weak pointers in other threads before it exists: a lock finds it whole.

#include <gtest/gtest.h>
#include <freehold/counting/atomic_counting.hpp>
#include <freehold/counting/biased_counting.hpp>
#include <freehold/pointers/enable_shared_from_this.hpp>
#include <freehold/pointers/make_shared_with_weak.hpp>
#include <freehold/pointers/weak_ptr.hpp>

#include <atomic>
#include <thread>

namespace {

template <class Counting>
struct node : freehold::enable_shared_from_this<node<Counting>, Counting> {
    explicit node(int initial) : value(initial) {}

    int value;
};

template <class Counting>
class concurrent_make_shared_with_weak : public testing::Test {};

using countings = testing::Types<freehold::atomic_counting, freehold::biased_counting>;
TYPED_TEST_SUITE(concurrent_make_shared_with_weak, countings);

}  // namespace

TYPED_TEST(concurrent_make_shared_with_weak, an_object_that_is_locked_as_it_begins_is_whole) {
    using made = node<TypeParam>;
    using weak = freehold::weak_ptr<made, TypeParam>;
    for (int round = 0; round < 200; ++round) {
        weak watch;
        std::atomic<bool> is_known = false;
        std::thread other([&] {
            while (!is_known.load()) std::this_thread::yield();
            auto locked = watch.lock();
            while (!locked) locked = watch.lock();
            EXPECT_EQ(locked->value, 7);
            EXPECT_EQ(locked->weak_from_this().lock(), locked);
        });
        const auto owner = freehold::make_shared_with_weak<made, TypeParam>([&](const weak& self) {
            watch = self;
            is_known.store(true);
            return made(7);
        });
        other.join();
    }
}
