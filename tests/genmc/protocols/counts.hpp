#pragma once
// counts: the sticky count and weak lock of counting/shared_count.hpp over counting/atomic_counting.hpp, the headers
// themselves. What a control block does with the count is as in pointers/detail/control_block.hpp.

#include "../counting.hpp"

#include <freehold/counting/shared_count.hpp>

// An object with one owner, whose count is in a block of its own.
template <class Count>
struct counted : program {
    Count& count() { return *block; }

    // Effects: does what an owner does to the object.
    void use() { expect(object.get() == 0); }

    void release() {
        switch (count().company_of_owner()) {
            case freehold::company::owners: {
                bool is_rare = false;
                count().release([&is_rare]() noexcept { is_rare = true; });
                return is_rare ? conclude(count().resolve_release()) : void();
            }
            case freehold::company::weak_pointers: return conclude(count().release_beside_weak());
            case freehold::company::none: return conclude(freehold::release_outcome::expired_without_weak);
        }
    }

    void conclude(freehold::release_outcome outcome) {
        if (outcome == freehold::release_outcome::owned) return;
        if (outcome == freehold::release_outcome::unused) return free_block();
        use();
        object.set(1);
        outcome == freehold::release_outcome::expired_with_weak ? release_weak() : free_block();
    }

    void release_weak() {
        if (count().release_weak()) free_block();
    }

    void free_block() { block.end(); }

    // Effects: uses the object if it can be locked.
    void lock() {
        if (!count().try_acquire()) return;
        use();
        release();
    }

    void finish() {
        expect(object.get() == 1);
        expect(block.is_ended());
    }

    allocated<Count> block;
    plain<int> object;
};

using sticky_count = counted<freehold::shared_count<counting>>;

struct two_owners_leave : sticky_count {
    static constexpr int threads = 2;

    two_owners_leave() { count().acquire(); }

    void run(int) {
        use();
        release();
    }
};

struct the_last_owner_leaves_while_another_locks : sticky_count {
    static constexpr int threads = 2;

    the_last_owner_leaves_while_another_locks() { count().acquire_weak(); }

    void run(int thread) {
        if (thread == 0) return release();
        lock();
        release_weak();
    }
};

struct two_owners_leave_while_another_locks : sticky_count {
    static constexpr int threads = 3;
    static constexpr std::size_t interruptions = 3;
    static constexpr std::size_t surprises = 2;

    two_owners_leave_while_another_locks() {
        count().acquire();
        count().acquire_weak();
    }

    void run(int thread) {
        if (thread == 0) {
            lock();
            return release_weak();
        }
        use();
        release();
    }
};
