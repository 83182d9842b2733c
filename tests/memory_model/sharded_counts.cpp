// Sharded counting under the checker: an object is destroyed once, its block and its shards are freed once and later, a
// destroyed object is never owned again, whichever thread opens or closes the shards, and what owners did to the object
// happens before its end.

#include <gtest/gtest.h>

#include "support/checked_shards.hpp"
// After the names that it replaces.
#include <freehold/pointers/copy_on_write.hpp>
#include <freehold/pointers/shared_ptr.hpp>
#include <freehold/pointers/weak_ptr.hpp>

#include <cstddef>
#include <utility>

#include "support/checker.hpp"
#include "support/recorded_block.hpp"

namespace {

using support::for_every_execution;
using support::history;
using support::record_end;
using support::recording_allocator;

using owner = freehold::shared_ptr<int, support::checked_sharding>;
using weak = freehold::weak_ptr<int, support::checked_sharding>;

bool open_shards(const owner& p) { return freehold::detail::access::handle(p).block()->open(); }

// An object with an anchor and a weak pointer, to be shared out among threads.
struct scenario {
    // Effects: does what an owner does to the object.
    void use() {
        EXPECT_EQ(past.ended, 0);
        support::has_read(&object);
    }

    void use_and_reset(owner& mine) {
        use();
        mine.reset();
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

struct two_anchors_leave : scenario {
    static constexpr std::size_t threads = 2;

    two_anchors_leave() { watch.reset(); }

    void run(std::size_t thread) { use_and_reset(thread == 0 ? anchor : second); }

    owner second = watch.lock();
};

struct two_anchors_leave_beside_a_weak_pointer : scenario {
    static constexpr std::size_t threads = 3;

    void run(std::size_t thread) {
        if (thread == 0) return watch.reset();
        use_and_reset(thread == 1 ? anchor : second);
    }

    owner second = watch.lock();
};

struct open_scenario : scenario {
    open_scenario() { EXPECT_TRUE(open_shards(anchor)); }
};

struct the_last_anchor_leaves_while_a_copy_is_copied : open_scenario {
    static constexpr std::size_t threads = 2;

    the_last_anchor_leaves_while_a_copy_is_copied() { watch.reset(); }

    void run(std::size_t thread) {
        if (thread == 0) return use_and_reset(anchor);
        owner again = copy;
        copy.reset();
        use_and_reset(again);
    }

    owner copy = anchor;
};

struct two_anchors_and_a_copy_leave : open_scenario {
    static constexpr std::size_t threads = 3;

    two_anchors_and_a_copy_leave() { watch.reset(); }

    void run(std::size_t thread) { use_and_reset(thread == 0 ? anchor : thread == 1 ? second : copy); }

    owner second = watch.lock();
    owner copy = anchor;
};

struct a_lock_while_the_last_anchor_leaves : open_scenario {
    static constexpr std::size_t threads = 3;

    void run(std::size_t thread) {
        if (thread == 1) return use_and_reset(anchor);
        if (thread == 2) return use_and_reset(copy);
        owner locked = watch.lock();
        const owner again = locked;
        locked.reset();
        watch.reset();
        if (again) use();
    }

    owner copy = anchor;
};

// The shards must not lose their last anchor between the decision of one release and its step.
struct an_anchor_leaves_while_another_opens : scenario {
    static constexpr std::size_t threads = 2;

    an_anchor_leaves_while_another_opens() { watch.reset(); }

    void run(std::size_t thread) {
        if (thread == 1) return use_and_reset(second);
        open_shards(anchor);
        const owner copy = anchor;
        anchor.reset();
        use();
    }

    owner second = anchor;
};

struct an_anchor_leaves_while_a_locked_one_opens : scenario {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 1) return use_and_reset(anchor);
        owner locked = watch.lock();
        watch.reset();
        if (!locked) return;
        open_shards(locked);
        const owner copy = locked;
        locked.reset();
        use();
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
        use();
    }

    owner second = anchor;
};

// A copy that finds the shards open finds them made.
struct a_copy_while_another_opens : scenario {
    static constexpr std::size_t threads = 2;

    a_copy_while_another_opens() { watch.reset(); }

    void run(std::size_t thread) {
        if (thread == 0) {
            open_shards(anchor);
            return use_and_reset(anchor);
        }
        const owner copy = second;
        EXPECT_GE(second.use_count(), 1);
        second.reset();
        use();
    }

    owner second = anchor;
};

// Asking whether an owner is alone closes the shards, too.
struct an_unwrap_while_the_last_anchor_leaves : open_scenario {
    static constexpr std::size_t threads = 2;

    an_unwrap_while_the_last_anchor_leaves() { watch.reset(); }

    void run(std::size_t thread) {
        if (thread == 0) return use_and_reset(anchor);
        (void)freehold::try_unwrap(std::move(copy));
        copy.reset();
    }

    owner copy = anchor;
};

struct two_threads_unwrap : open_scenario {
    static constexpr std::size_t threads = 2;

    two_threads_unwrap() { watch.reset(); }

    void run(std::size_t thread) {
        owner& mine = thread == 0 ? anchor : copy;
        use();
        (void)freehold::try_unwrap(std::move(mine));
        mine.reset();
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
            return use_and_reset(anchor);
        }
        owner copy = second;
        use();
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
        if (thread == 1) return use_and_reset(copy);
        if (thread == 2) return use_and_reset(second);
        if (const owner locked = watch.lock()) use();
        watch.reset();
    }

    owner copy = anchor;
    owner second = copy;
};

constexpr support::bounds some{.interruptions = 2, .surprises = 2};
constexpr support::bounds few{.interruptions = 2, .surprises = 1};

}  // namespace

TEST(sharded_counts, two_anchors_leave) { EXPECT_GT(for_every_execution<two_anchors_leave>(some), 10); }

TEST(sharded_counts, two_anchors_leave_beside_a_weak_pointer) {
    EXPECT_GT(for_every_execution<two_anchors_leave_beside_a_weak_pointer>(some), 10);
}

TEST(sharded_counts, the_last_anchor_leaves_while_a_copy_is_copied) {
    EXPECT_GT(for_every_execution<the_last_anchor_leaves_while_a_copy_is_copied>(some), 10);
}

TEST(sharded_counts, two_anchors_and_a_copy_leave) {
    EXPECT_GT(for_every_execution<two_anchors_and_a_copy_leave>(few), 10);
}

TEST(sharded_counts, a_lock_while_the_last_anchor_leaves) {
    EXPECT_GT(for_every_execution<a_lock_while_the_last_anchor_leaves>(few), 10);
}

TEST(sharded_counts, an_anchor_leaves_while_another_opens) {
    EXPECT_GT(for_every_execution<an_anchor_leaves_while_another_opens>(some), 10);
}

TEST(sharded_counts, an_anchor_leaves_while_a_locked_one_opens) {
    EXPECT_GT(for_every_execution<an_anchor_leaves_while_a_locked_one_opens>(some), 10);
}

TEST(sharded_counts, two_threads_open) { EXPECT_GT(for_every_execution<two_threads_open>(some), 10); }

TEST(sharded_counts, a_copy_while_another_opens) {
    EXPECT_GT(for_every_execution<a_copy_while_another_opens>(some), 10);
}

TEST(sharded_counts, an_unwrap_while_the_last_anchor_leaves) {
    EXPECT_GT(for_every_execution<an_unwrap_while_the_last_anchor_leaves>(some), 10);
}

TEST(sharded_counts, two_threads_unwrap) { EXPECT_GT(for_every_execution<two_threads_unwrap>(some), 10); }

TEST(sharded_counts, an_unwrap_while_another_opens) {
    EXPECT_GT(for_every_execution<an_unwrap_while_another_opens>(some), 10);
}

TEST(sharded_counts, two_copies_leave_after_the_anchor) {
    EXPECT_GT(for_every_execution<two_copies_leave_after_the_anchor>(few), 10);
}
