#pragma once
// sharded_counts: opening and closing of counting/sharded_counting.hpp and counting/detail/count_shards.hpp, the
// headers themselves, with two shards.

#include "counts.hpp"

#include <freehold/counting/sharded_counting.hpp>

struct sharding : counting {
    using word_counting = counting;

    [[nodiscard]] static std::size_t shards() noexcept { return 2; }
    [[nodiscard]] static std::size_t deal() noexcept { return static_cast<std::size_t>(number_of_thread); }
};

struct sharded_count : counted<freehold::shared_count<sharding>> {
    static constexpr std::size_t interruptions = 3;
    static constexpr std::size_t surprises = 2;

    void leave_anchor() {
        if (!count().try_release_anchor()) conclude(count().release_anchor());
    }
    void leave_copy() { conclude(count().release_copy()); }

    // Effects: as the destructor of a copy of the caller's pointer.
    void leave(bool is_copy) { is_copy ? leave_copy() : leave_anchor(); }
};

struct the_last_anchor_leaves_before_a_copy : sharded_count {
    static constexpr int threads = 2;

    the_last_anchor_leaves_before_a_copy() {
        expect(count().open());
        expect(count().acquire_copy());
    }

    void run(int thread) {
        use();
        thread == 0 ? leave_anchor() : leave_copy();
    }
};

struct the_last_anchor_leaves_while_a_copy_is_copied : the_last_anchor_leaves_before_a_copy {
    void run(int thread) {
        use();
        if (thread == 0) return leave_anchor();
        const bool is_copy = count().acquire_copy();
        leave_copy();
        use();
        leave(is_copy);
    }
};

struct an_anchor_leaves_while_another_opens : sharded_count {
    static constexpr int threads = 2;

    an_anchor_leaves_while_another_opens() { count().acquire(); }

    void run(int thread) {
        use();
        if (thread == 0) return leave_anchor();
        count().open();
        const bool is_copy = count().acquire_copy();
        leave_anchor();
        use();
        leave(is_copy);
    }
};

struct a_copy_is_made_while_another_opens : sharded_count {
    static constexpr int threads = 2;

    a_copy_is_made_while_another_opens() { count().acquire(); }

    void run(int thread) {
        if (thread == 0) {
            count().open();
            use();
            return leave_anchor();
        }
        const bool is_copy = count().acquire_copy();
        leave_anchor();
        use();
        leave(is_copy);
    }
};
