// Weak pointers and owners in several threads.

#include <gtest/gtest.h>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/shared_ptr.hpp>
#include <freehold/pointers/weak_ptr.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>

#include "support/relaxed_flag.hpp"
#include "support/threads.hpp"
#include "support/tracked.hpp"

namespace {

struct object : support::tracked {
    ~object() { alive = false; }

    int value = 0;
    bool alive = true;
};

using owner = freehold::shared_ptr<object>;
using weak = freehold::weak_ptr<object>;

std::atomic<int> blocks = 0;

// Counts the blocks that are allocated and checks that an object was destroyed before its block was freed.
template <class T>
struct counting_allocator {
    using value_type = T;

    counting_allocator() = default;

    template <class U>
    counting_allocator(const counting_allocator<U>&) {}

    T* allocate(std::size_t n) {
        blocks.fetch_add(1, std::memory_order_relaxed);
        return std::allocator<T>().allocate(n);
    }

    void deallocate(T* memory, std::size_t n) {
        EXPECT_EQ(support::tracked::alive(), 0) << "the memory went before the object";
        blocks.fetch_sub(1, std::memory_order_relaxed);
        std::allocator<T>().deallocate(memory, n);
    }

    template <class U>
    friend bool operator==(const counting_allocator&, const counting_allocator<U>&) {
        return true;
    }
};

owner make() { return freehold::allocate_shared<object>(counting_allocator<object>()); }

class concurrent_weak_pointers : public support::tracked_test {
protected:
    void TearDown() override {
        support::tracked_test::TearDown();
        EXPECT_EQ(blocks, 0);
    }
};

}  // namespace

TEST_F(concurrent_weak_pointers, lock_racing_with_the_last_release_gives_a_living_object_or_nothing) {
    for (int round = 0; round < 1000; ++round) {
        owner last = make();
        weak watch = last;
        support::in_threads(3, [&](int i) {
            if (i == 0) {
                last.reset();
                return;
            }
            weak mine = watch;
            for (int attempt = 0; attempt < 10; ++attempt) {
                if (const owner locked = mine.lock()) {
                    ASSERT_TRUE(locked->alive);
                    ASSERT_GE(locked.use_count(), 1);
                }
            }
        });
        ASSERT_TRUE(watch.expired());
        ASSERT_EQ(support::tracked::destroyed(), round + 1);
    }
}

TEST_F(concurrent_weak_pointers, what_has_ended_is_never_locked_again) {
    for (int round = 0; round < 1000; ++round) {
        owner last = make();
        weak watch = last;
        std::atomic<bool> resurrected = false;
        support::in_threads(3, [&](int i) {
            if (i == 0) return last.reset();
            bool ended = false;
            for (int attempt = 0; attempt < 10; ++attempt) {
                const bool locked = watch.lock() != nullptr;
                if (ended && locked) resurrected = true;
                ended = ended || !locked;
            }
        });
        ASSERT_FALSE(resurrected);
    }
}

TEST_F(concurrent_weak_pointers, the_block_is_freed_once_whether_owner_or_weak_pointer_is_the_last) {
    for (int round = 0; round < 1000; ++round) {
        owner last = make();
        weak watchers[3] = {last, last, last};
        support::in_threads(4, [&](int i) {
            if (i == 3)
                last.reset();
            else
                watchers[i].reset();
        });
        ASSERT_EQ(blocks, 0);
    }
}

TEST_F(concurrent_weak_pointers, weak_pointers_are_copied_while_owners_come_and_go) {
    const owner keeper = make();
    const weak watch = keeper;
    support::in_threads(4, [&](int) {
        for (int round = 0; round < 2000; ++round) {
            const weak copy = watch;
            const owner locked = copy.lock();
            ASSERT_TRUE(locked);
            const weak again = locked;
        }
    });
    EXPECT_EQ(keeper.use_count(), 1);
}

// From here on the order of events is fixed, and ThreadSanitizer tells whether it is seen: relaxed_flag orders nothing.

TEST_F(concurrent_weak_pointers, the_last_owner_of_an_object_with_weak_pointers_sees_what_another_wrote) {
    support::relaxed_flag left;
    owner mine = make();
    const weak watch = mine;
    std::thread other([&, theirs = mine]() mutable {
        theirs->value = 7;
        theirs.reset();
        left.raise();
    });
    left.wait();
    mine.reset();  // its destructor writes into the object
    other.join();
}

TEST_F(concurrent_weak_pointers, a_lock_sees_what_an_owner_wrote_before_its_release) {
    support::relaxed_flag left;
    const owner keeper = make();
    const weak watch = keeper;
    std::thread other([&, theirs = keeper]() mutable {
        theirs->value = 7;
        theirs.reset();
        left.raise();
    });
    left.wait();
    EXPECT_EQ(watch.lock()->value, 7);
    other.join();
}

TEST_F(concurrent_weak_pointers, an_owner_that_finds_itself_alone_may_change_what_others_have_read) {
    const owner mine = make();
    int seen = -1;
    std::thread other([&seen, theirs = mine]() mutable {
        seen = theirs->value;
        theirs.reset();
    });
    while (mine.use_count() != 1) std::this_thread::yield();
    mine->value = 7;
    other.join();
    EXPECT_EQ(seen, 0);
}

TEST_F(concurrent_weak_pointers, the_thread_that_frees_the_block_sees_what_the_deleter_did) {
    struct deleter {
        explicit deleter(int& target) : result(&target) {}
        deleter(deleter&& other) noexcept : calls(other.calls), result(other.result) {}
        ~deleter() { *result += calls; }
        void operator()(const object* pointer) {
            ++calls;
            delete pointer;
        }

        int calls = 0;
        int* result;
    };
    int calls = 0;
    support::relaxed_flag ended;
    owner last(new object, deleter(calls), counting_allocator<object>());
    weak watch = last;
    std::thread other([&] {
        last.reset();
        ended.raise();
    });
    ended.wait();
    watch.reset();
    EXPECT_EQ(calls, 1);
    other.join();
}

TEST_F(concurrent_weak_pointers, the_owner_that_frees_the_block_sees_what_weak_pointers_did) {
    support::relaxed_flag left;
    owner last = make();
    std::thread other([&, watch = weak(last)]() mutable {
        watch.lock()->value = 7;
        watch.reset();
        left.raise();
    });
    left.wait();
    last.reset();
    EXPECT_EQ(blocks, 0);
    other.join();
}
