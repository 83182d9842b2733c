// The protocol by which a session and others count the owners of an object, in every order of its steps: the object
// ends once, with its last owner, and nobody looks at it after that. What the steps make visible to each other is
// tested in cyclic_heap.cpp, under ThreadSanitizer.

#include <gtest/gtest.h>
#include <freehold/collection/detail/shared_owners.hpp>

#include <cstddef>
#include <mutex>
#include <utility>

#include "support/stepping_atomic.hpp"
#include "support/stepping_mutex.hpp"

namespace {

using support::for_every_interleaving;

using shared_owners = freehold::detail::basic_shared_owners<support::stepping_atomic>;

// An object with the owners that its session has counted, which is the first thread of a scenario, and what of heap and
// session deals with it.
struct counted_object {
    // Effects: another thread is the owner of one more, from the start.
    void own_elsewhere() { owners.acquire(); }

    void release_in_session() {
        expect_alive();
        if (--plain != 0) return;
        const shared_owners::content taken = take(0);
        if (plain == 0 && !taken.is(shared_owners::queued)) expire([this] { return is_unowned(); });
    }

    void release_elsewhere() {
        expect_alive();
        const shared_owners::released left = owners.release(false);
        if (left.next == shared_owners::outcome::owned) return;
        if (left.next == shared_owners::outcome::to_be_queued && deliver()) return;
        expire([this] { return owners.has_ended(); });
    }

    // Returns: whether the observer's caller is an owner now.
    bool lock_elsewhere() {
        const std::lock_guard held(record);
        if (expired) return false;
        expect_alive();
        owners.acquire();
        return true;
    }

    void safepoint() {
        bool came = false;
        {
            const std::lock_guard held(heap);
            came = std::exchange(arrived, false);
        }
        if (!came) return;
        expect_alive();
        static_cast<void>(take(shared_owners::queued));
        if (plain == 0) expire([this] { return is_unowned(); });
    }

    void end_session() {
        std::unique_lock held(heap);
        while (arrived) {
            held.unlock();
            safepoint();
            held.lock();
        }
        if (ended == 0) owners.merge(std::exchange(plain, 0));
        has_session = false;
    }

    void expect_ended() {
        if (has_session) safepoint();
        EXPECT_EQ(ended, 1);
    }

    shared_owners owners;
    std::int64_t plain = 0;

private:
    shared_owners::content take(std::uint64_t cleared) {
        const shared_owners::content taken = owners.take(cleared);
        plain += taken.owners;
        EXPECT_GE(plain, 0);
        return taken;
    }

    [[nodiscard]] bool is_unowned() {
        static_cast<void>(take(0));
        return plain == 0;
    }

    [[nodiscard]] bool deliver() {
        const std::lock_guard held(heap);
        arrived |= has_session;
        return has_session;
    }

    template <class HasEnded>
    void expire(HasEnded has_ended) {
        const std::lock_guard held(record);
        if (!has_ended()) return;
        expired = true;
        ++ended;
    }

    void expect_alive() const { EXPECT_EQ(ended, 0) << "used after its end"; }

    support::stepping_mutex heap;
    support::stepping_mutex record;
    bool has_session = true;
    bool arrived = false;
    bool expired = false;
    int ended = 0;
};

// The session drops its owner, and two others each what they have counted themselves.
struct all_drop_what_they_have_counted : counted_object {
    static constexpr std::size_t threads = 3;

    all_drop_what_they_have_counted() {
        plain = 1;
        own_elsewhere();
        own_elsewhere();
    }

    void run(std::size_t thread) { thread == 0 ? release_in_session() : release_elsewhere(); }

    void check() { expect_ended(); }
};

// The session has counted all of the owners, of which two were handed over.
struct others_drop_what_the_session_has_counted : counted_object {
    static constexpr std::size_t threads = 3;

    others_drop_what_the_session_has_counted() { plain = 3; }

    void run(std::size_t thread) {
        if (thread != 0) return release_elsewhere();
        release_in_session();
        safepoint();
    }

    void check() { expect_ended(); }
};

// The session drops what another has counted, which drops what the session has.
struct each_drops_what_the_other_has_counted : counted_object {
    static constexpr std::size_t threads = 2;

    each_drops_what_the_other_has_counted() {
        plain = 1;
        own_elsewhere();
        own_elsewhere();
    }

    void run(std::size_t thread) {
        if (thread != 0) return release_elsewhere();
        release_in_session();
        release_in_session();
    }

    void check() { expect_ended(); }
};

// The session ends while another drops what it has counted.
struct the_session_ends : counted_object {
    static constexpr std::size_t threads = 2;

    the_session_ends() { plain = 2; }

    void run(std::size_t thread) {
        if (thread == 0) return end_session();
        release_elsewhere();
        release_elsewhere();
    }

    void check() { expect_ended(); }
};

// The session drops its owner and ends, while another copies what it has, and drops both.
struct the_session_ends_while_another_copies : counted_object {
    static constexpr std::size_t threads = 2;

    the_session_ends_while_another_copies() { plain = 2; }

    void run(std::size_t thread) {
        if (thread == 0) {
            release_in_session();
            return end_session();
        }
        owners.acquire();
        release_elsewhere();
        release_elsewhere();
    }

    void check() { expect_ended(); }
};

// The session drops the last owner, while another locks an observer and drops what it got.
struct observers_are_locked : counted_object {
    static constexpr std::size_t threads = 2;

    observers_are_locked() { plain = 1; }

    void run(std::size_t thread) {
        if (thread == 0) return release_in_session();
        if (lock_elsewhere()) release_elsewhere();
    }

    void check() { expect_ended(); }
};

// The same where no session has the object any more.
struct observers_of_what_no_session_has_are_locked : counted_object {
    static constexpr std::size_t threads = 2;

    observers_of_what_no_session_has_are_locked() {
        plain = 1;
        end_session();
    }

    void run(std::size_t thread) {
        if (thread == 0 || lock_elsewhere()) release_elsewhere();
    }

    void check() { expect_ended(); }
};

}  // namespace

TEST(shared_owners_interleavings, all_drop_what_they_have_counted) {
    EXPECT_GT(for_every_interleaving<all_drop_what_they_have_counted>(), 10);
}

TEST(shared_owners_interleavings, others_drop_what_the_session_has_counted) {
    EXPECT_GT(for_every_interleaving<others_drop_what_the_session_has_counted>(), 10);
}

TEST(shared_owners_interleavings, each_drops_what_the_other_has_counted) {
    EXPECT_GT(for_every_interleaving<each_drops_what_the_other_has_counted>(), 10);
}

TEST(shared_owners_interleavings, the_session_ends_while_another_drops_what_it_has_counted) {
    EXPECT_GT(for_every_interleaving<the_session_ends>(), 10);
}

TEST(shared_owners_interleavings, the_session_ends_while_another_copies) {
    EXPECT_GT(for_every_interleaving<the_session_ends_while_another_copies>(), 10);
}

TEST(shared_owners_interleavings, an_observer_is_locked_while_the_session_drops_the_last_owner) {
    EXPECT_GT(for_every_interleaving<observers_are_locked>(), 10);
}

TEST(shared_owners_interleavings, an_observer_is_locked_while_the_last_owner_of_what_no_session_has_is_dropped) {
    EXPECT_GT(for_every_interleaving<observers_of_what_no_session_has_are_locked>(), 10);
}
