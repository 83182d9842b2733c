// The protocol of sharded counting in many orders of its steps: an object is destroyed once, its block is freed once
// and later, and a destroyed object is never owned again, whichever thread opens or closes the shards. What the steps
// make visible to each other is tested in sharded_shared_ptr.cpp, under ThreadSanitizer.

#include <gtest/gtest.h>
#include <freehold/counting/sharded_counting.hpp>
#include <freehold/pointers/copy_on_write.hpp>
#include <freehold/pointers/shared_ptr.hpp>
#include <freehold/pointers/weak_ptr.hpp>

#include <cstddef>
#include <utility>

#include "support/interleaving.hpp"
#include "support/recorded_block.hpp"
#include "support/stepping_atomic.hpp"
#include "support/stepping_counting.hpp"
#include "support/thread_state.hpp"

namespace {

using support::for_every_interleaving;
using support::history;
using support::record_end;
using support::recording_allocator;

struct stepping : support::stepping_counting {
    using word_counting = support::stepping_counting;

    template <class T>
    using shard_atomic = support::stepping_atomic<T>;

    [[nodiscard]] static std::size_t shards() noexcept { return 2; }

    // By the number in the run, so that each run is the same.
    [[nodiscard]] static std::size_t deal() noexcept { return support::interleaving::thread(); }
};

using owner = freehold::shared_ptr<int, stepping>;
using weak = freehold::weak_ptr<int, stepping>;

bool open_shards(const owner& p) { return freehold::detail::access::handle(p).block()->open(); }

// An object with an anchor and a weak pointer, to be shared out among threads.
struct scenario {
    scenario() { support::start_first_thread(); }

    // Returns: an owner of an object that is not destroyed, or none.
    owner lock() {
        owner locked = watch.lock();
        if (locked) {
            EXPECT_EQ(past.ended, 0);
        }
        return locked;
    }

    void check() const {
        EXPECT_EQ(past.ended, 1);
        EXPECT_EQ(past.freed, 1);
    }

    history past;
    int object = 0;
    owner anchor{&object, record_end{&past}, recording_allocator<int>(past)};
    weak watch = anchor;
};

struct open_scenario : scenario {
    open_scenario() { EXPECT_TRUE(open_shards(anchor)); }
};

struct the_last_anchor_leaves_while_a_copy_is_copied : open_scenario {
    static constexpr std::size_t threads = 2;

    the_last_anchor_leaves_while_a_copy_is_copied() { watch.reset(); }

    void run(std::size_t thread) {
        if (thread == 0) return anchor.reset();
        owner again = copy;
        copy.reset();
        EXPECT_EQ(past.ended, 0);
        again.reset();
    }

    owner copy = anchor;
};

struct two_anchors_and_a_copy_leave : open_scenario {
    static constexpr std::size_t threads = 3;

    two_anchors_and_a_copy_leave() { watch.reset(); }

    void run(std::size_t thread) {
        if (thread == 0) return anchor.reset();
        if (thread == 1) return second.reset();
        copy.reset();
    }

    owner second = watch.lock();
    owner copy = anchor;
};

struct a_lock_while_the_last_anchor_leaves : open_scenario {
    static constexpr std::size_t threads = 3;

    void run(std::size_t thread) {
        if (thread == 1) return anchor.reset();
        if (thread == 2) return copy.reset();
        owner locked = lock();
        owner again = locked;
        locked.reset();
        watch.reset();
        if (again) {
            EXPECT_EQ(past.ended, 0);
        }
    }

    owner copy = anchor;
};

// The shards must not lose their last anchor between the decision of one release and its step.
struct an_anchor_leaves_while_another_opens : scenario {
    static constexpr std::size_t threads = 2;

    an_anchor_leaves_while_another_opens() { watch.reset(); }

    void run(std::size_t thread) {
        if (thread == 1) return second.reset();
        open_shards(anchor);
        const owner copy = anchor;
        anchor.reset();
        EXPECT_EQ(past.ended, 0);
    }

    owner second = anchor;
};

struct an_anchor_leaves_while_a_locked_one_opens : scenario {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 1) return anchor.reset();
        owner locked = lock();
        watch.reset();
        if (!locked) return;
        open_shards(locked);
        const owner copy = locked;
        locked.reset();
        EXPECT_EQ(past.ended, 0);
    }
};

struct two_threads_open : scenario {
    static constexpr std::size_t threads = 2;

    two_threads_open() { watch.reset(); }

    void run(std::size_t thread) {
        owner& mine = thread == 0 ? anchor : second;
        open_shards(mine);
        const owner copy = mine;
        mine.reset();
        EXPECT_EQ(past.ended, 0);
    }

    owner second = anchor;
};

// Whoever asks whether it is alone closes the shards, too.
struct an_unwrap_while_the_last_anchor_leaves : open_scenario {
    static constexpr std::size_t threads = 2;

    an_unwrap_while_the_last_anchor_leaves() { watch.reset(); }

    void run(std::size_t thread) {
        if (thread == 0) return anchor.reset();
        (void)freehold::try_unwrap(std::move(copy));
        copy.reset();
    }

    owner copy = anchor;
};

// The shards must have their weight before another thread can close them.
struct an_unwrap_while_another_opens : scenario {
    static constexpr std::size_t threads = 2;

    an_unwrap_while_another_opens() { watch.reset(); }

    void run(std::size_t thread) {
        if (thread == 0) {
            open_shards(anchor);
            return anchor.reset();
        }
        owner copy = second;
        (void)freehold::try_unwrap(std::move(copy));
        copy.reset();
        second.reset();
    }

    owner second = anchor;
};

struct two_copies_leave_after_the_anchor : open_scenario {
    static constexpr std::size_t threads = 3;

    two_copies_leave_after_the_anchor() { anchor.reset(); }

    void run(std::size_t thread) {
        if (thread == 1) return copy.reset();
        if (thread == 2) return second.reset();
        lock().reset();
        watch.reset();
    }

    owner copy = anchor;
    owner second = copy;
};

}  // namespace

TEST(sharded_interleavings, the_last_anchor_leaves_while_a_copy_is_copied) {
    EXPECT_GT(for_every_interleaving<the_last_anchor_leaves_while_a_copy_is_copied>(5), 10);
}

TEST(sharded_interleavings, two_anchors_and_a_copy_leave) {
    EXPECT_GT(for_every_interleaving<two_anchors_and_a_copy_leave>(4), 10);
}

TEST(sharded_interleavings, a_lock_while_the_last_anchor_leaves) {
    EXPECT_GT(for_every_interleaving<a_lock_while_the_last_anchor_leaves>(3), 10);
}

TEST(sharded_interleavings, an_anchor_leaves_while_another_opens) {
    EXPECT_GT(for_every_interleaving<an_anchor_leaves_while_another_opens>(5), 10);
}

TEST(sharded_interleavings, an_anchor_leaves_while_a_locked_one_opens) {
    EXPECT_GT(for_every_interleaving<an_anchor_leaves_while_a_locked_one_opens>(6), 10);
}

TEST(sharded_interleavings, two_threads_open) { EXPECT_GT(for_every_interleaving<two_threads_open>(4), 10); }

TEST(sharded_interleavings, an_unwrap_while_the_last_anchor_leaves) {
    EXPECT_GT(for_every_interleaving<an_unwrap_while_the_last_anchor_leaves>(), 10);
}

TEST(sharded_interleavings, an_unwrap_while_another_opens) {
    EXPECT_GT(for_every_interleaving<an_unwrap_while_another_opens>(5), 10);
}

TEST(sharded_interleavings, two_copies_leave_after_the_anchor) {
    EXPECT_GT(for_every_interleaving<two_copies_leave_after_the_anchor>(3), 10);
}
