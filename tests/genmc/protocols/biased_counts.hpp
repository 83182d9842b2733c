#pragma once
// biased_counts: merge and thread end of counting/biased_counting.hpp and counting/detail/thread_bias.hpp, the headers
// themselves.

#include "counts.hpp"

#ifdef UNDER_GENMC
// Which knows no thread_local objects of a class. There is one that arranges for a thread's end, and is not used here.
#include <pthread.h>
#define thread_local
#include <freehold/core/thread_end.hpp>
#undef thread_local
#endif
#include <freehold/counting/biased_counting.hpp>

struct biasing : counting {
    using word_counting = counting;

    static constexpr bool is_biased = true;
};

using biased_count = freehold::shared_count<biasing>;

// An object of one owner that a thread made and left: a thread may take its place, or stand in for it.
struct made_and_left : program {
    using bias = freehold::detail::thread_bias<biased_count, threading>;

    static constexpr std::size_t interruptions = 4;
    static constexpr std::size_t surprises = 2;

    made_and_left() {
        current = this;
        // The bias of the maker, and those for the threads, which are used again.
        if (!are_made) {
            for (bias*& each : biases) {
                each = bias::take();
                static_cast<void>(bias::resign());
            }
            are_made = true;
        } else {
            for (bias* each : biases) static_cast<void>(each->try_hold());
        }
        for (bias* each : biases) each->leave(bias::nobody);
        static_cast<void>(bias::take());
        block = new biased_count;
        biased_count::leave_thread();
    }
    made_and_left(const made_and_left&) = delete;
    made_and_left& operator=(const made_and_left&) = delete;
    ~made_and_left() { delete block; }

    biased_count& count() { return *block; }

    void take_over() { static_cast<void>(bias::take()); }
    void end_thread() { biased_count::leave_thread(); }

    void use() { expect(object.get() == 0); }

    void release() {
        bool is_rare = false;
        count().release([&is_rare]() noexcept { is_rare = true; });
        if (is_rare) conclude(count());
    }

    // As control_block: there are no weak pointers here.
    void conclude(biased_count& its) {
        if (its.resolve_release() == freehold::release_outcome::owned) return;
        use();
        object.set(1);
    }

    void finish() { expect(object.get() == 1); }

    static inline made_and_left* current;
    static inline bias* biases[2];
    static inline bool are_made = false;
    biased_count* block;
    plain<int> object;
};

template <>
struct freehold::destruction_of_merged<biasing> {
    static void run(biased_count& merged) noexcept { made_and_left::current->conclude(merged); }
};

struct the_last_owner_leaves_while_the_maker_ends : made_and_left {
    static constexpr int threads = 2;

    void run(int thread) {
        if (thread == 1) {
            use();
            return release();
        }
        take_over();
        end_thread();
    }
};

struct the_maker_and_another_owner_leave : made_and_left {
    static constexpr int threads = 2;

    the_maker_and_another_owner_leave() { count().acquire(); }

    void run(int thread) {
        if (thread == 0) take_over();
        use();
        release();
        if (thread == 0) end_thread();
    }
};

struct the_maker_merges_while_another_owner_leaves : made_and_left {
    static constexpr int threads = 2;

    the_maker_merges_while_another_owner_leaves() { count().acquire(); }

    void run(int thread) {
        if (thread == 1) {
            use();
            return release();
        }
        take_over();
        count().merge();
        use();
        release();
        end_thread();
    }
};
