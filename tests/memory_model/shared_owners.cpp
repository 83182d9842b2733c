// The second count of an object in a shared heap, under the checker: what each session did with the object and its
// block happens before the end of both, whoever ends them.

#include <gtest/gtest.h>

#include "support/checked_counting.hpp"
// After the names of the builtins.
#include <freehold/cyclic/detail/shared_owners.hpp>

#include <cstddef>
#include <mutex>

#include "support/checked_threading.hpp"
#include "support/checker.hpp"

namespace {

using support::for_every_execution;

using shared_owners = freehold::detail::basic_shared_owners<support::checked_threading>;

// An object whose session is gone, with a weak pointer.
struct merged_object {
    explicit merged_object(int owners) { count.merge(owners); }

    // Effects: as a session does that releases an owner.
    void release() {
        static_cast<void>(object.get());
        if (count.release(false).next != shared_owners::outcome::unowned) return;
        static_cast<void>(block.get());
        if (count.unqueue_owned().owners != 0) return;
        {
            const std::lock_guard held(record);
            if (count.unqueue_owned().owners != 0) return;
            is_expired = true;
        }
        object.set(0);
        block.set(0);
        ++ended;
    }

    // Effects: makes an owner of the weak pointer. Returns: whether it did.
    bool lock() {
        const std::lock_guard held(record);
        if (!is_expired) count.acquire();
        return !is_expired;
    }

    void check() const { EXPECT_EQ(ended, 1); }

    shared_owners count;
    support::checked_mutex record;
    bool is_expired = false;
    support::plain<int> object = 1;
    support::plain<int> block = 1;
    int ended = 0;
};

struct two_sessions_release : merged_object {
    static constexpr std::size_t threads = 2;

    two_sessions_release() : merged_object(2) {}

    void run(std::size_t) { release(); }
};

struct a_session_locks_what_another_releases : merged_object {
    static constexpr std::size_t threads = 2;

    a_session_locks_what_another_releases() : merged_object(1) {}

    void run(std::size_t thread) {
        if (thread == 0 || lock()) release();
    }
};

constexpr support::bounds some{.interruptions = 3, .surprises = 2, .steps_after = false};

}  // namespace

TEST(checked_shared_owners, two_sessions_release_the_last_owners) {
    EXPECT_GT(for_every_execution<two_sessions_release>(some), 10);
}

TEST(checked_shared_owners, a_session_locks_what_another_releases) {
    EXPECT_GT(for_every_execution<a_session_locks_what_another_releases>(some), 10);
}
