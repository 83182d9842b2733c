#pragma once
// litmus: the programs that distinguish memory models.
//
// Names as in the literature: MP message passing, SB store buffering, LB load buffering, IRIW independent reads of
// independent writes, WRC write-to-read causality, RWC read-to-write causality; 2+2W, ISA2, R, S, Z6U.

#include "program.hpp"

struct litmus : program {
    atomic<int> x = 0;
    atomic<int> y = 0;
    atomic<int> z = 0;
};

struct message_passing : litmus {
    static constexpr int threads = 2;
    void run(int thread) {
        if (thread == 0) {
            x.store(1, relaxed);
            y.store(1, orders[0]);
        } else {
            seen[0] = y.load(orders[1]);
            seen[1] = x.load(relaxed);
        }
    }
};

struct message_passing_by_fences : litmus {
    static constexpr int threads = 2;
    void run(int thread) {
        if (thread == 0) {
            x.store(1, relaxed);
            fence(orders[0]);
            y.store(1, relaxed);
        } else {
            seen[0] = y.load(relaxed);
            fence(orders[1]);
            seen[1] = x.load(relaxed);
        }
    }
};

// An acquire fence takes what a load before it has read, a release fence gives to a store after it.
struct message_passing_by_misplaced_fences : litmus {
    static constexpr int threads = 2;
    void run(int thread) {
        if (thread == 0) {
            x.store(1, relaxed);
            y.store(1, orders[0]);
            fence(release);
        } else {
            fence(acquire);
            seen[0] = y.load(orders[1]);
            seen[1] = x.load(relaxed);
        }
    }
};

struct message_passing_of_data : program {
    static constexpr int threads = 2;
    void run(int thread) {
        if (thread == 0) {
            data.set(1);
            ready.store(1, orders[0]);
        } else if (ready.load(orders[1]) == 1) {
            seen[0] = data.get();
        }
    }
    plain<int> data;
    atomic<int> ready = 0;
};

struct store_buffering : litmus {
    static constexpr int threads = 2;
    void run(int thread) {
        (thread == 0 ? x : y).store(1, orders[0]);
        seen[thread] = (thread == 0 ? y : x).load(orders[1]);
    }
};

struct store_buffering_by_fences : litmus {
    static constexpr int threads = 2;
    void run(int thread) {
        (thread == 0 ? x : y).store(1, relaxed);
        fence(orders[thread]);
        seen[thread] = (thread == 0 ? y : x).load(relaxed);
    }
};

// One thread orders by a fence, the other by its operations.
struct store_buffering_by_one_fence : litmus {
    static constexpr int threads = 2;
    void run(int thread) {
        if (thread == 0) {
            x.store(1, relaxed);
            fence(orders[0]);
            seen[0] = y.load(relaxed);
        } else {
            y.store(1, orders[1]);
            seen[1] = x.load(orders[2]);
        }
    }
};

struct store_buffering_by_updates : litmus {
    static constexpr int threads = 2;
    void run(int thread) {
        (thread == 0 ? x : y).fetch_add(1, orders[0]);
        seen[thread] = (thread == 0 ? y : x).fetch_add(0, orders[1]);
    }
};

struct store_buffering_of_three : litmus {
    static constexpr int threads = 3;
    void run(int thread) {
        atomic<int>& own = thread == 0 ? x : thread == 1 ? y : z;
        atomic<int>& next = thread == 0 ? y : thread == 1 ? z : x;
        own.store(1, relaxed);
        fence(orders[thread]);
        seen[thread] = next.load(relaxed);
    }
};

struct load_buffering : litmus {
    static constexpr int threads = 2;
    void run(int thread) {
        seen[thread] = (thread == 0 ? x : y).load(orders[0]);
        (thread == 0 ? y : x).store(1, orders[1]);
    }
};

struct independent_reads : litmus {
    static constexpr int threads = 4;
    void run(int thread) {
        if (thread < 2) return (thread == 0 ? x : y).store(1, orders[0]);
        const int first = 2 * (thread - 2);
        seen[first] = (thread == 2 ? x : y).load(orders[1]);
        seen[first + 1] = (thread == 2 ? y : x).load(orders[2]);
    }
};

struct independent_reads_by_fences : litmus {
    static constexpr int threads = 4;
    void run(int thread) {
        if (thread < 2) return (thread == 0 ? x : y).store(1, orders[0]);
        const int first = 2 * (thread - 2);
        seen[first] = (thread == 2 ? x : y).load(relaxed);
        fence(orders[1]);
        seen[first + 1] = (thread == 2 ? y : x).load(relaxed);
    }
};

struct coherence_of_reads : litmus {
    static constexpr int threads = 3;
    void run(int thread) {
        if (thread == 0) {
            x.store(1, orders[0]);
            x.store(2, orders[0]);
        } else {
            const int first = 2 * (thread - 1);
            seen[first] = x.load(orders[1]);
            seen[first + 1] = x.load(orders[1]);
        }
    }
};

// Two writes of one thread keep their order; a thread reads its own write or a later one.
struct coherence_of_writes : litmus {
    static constexpr int threads = 2;
    void run(int thread) {
        if (thread == 1) return x.store(3, orders[0]);
        x.store(1, orders[0]);
        seen[0] = x.load(orders[1]);
        x.store(2, orders[0]);
        seen[1] = x.load(orders[1]);
    }
    void finish() { seen[2] = x.load(relaxed); }
};

struct two_plus_two_writes : litmus {
    static constexpr int threads = 2;
    void run(int thread) {
        (thread == 0 ? x : y).store(1, orders[0]);
        (thread == 0 ? y : x).store(2, orders[1]);
    }
    void finish() {
        seen[0] = x.load(relaxed);
        seen[1] = y.load(relaxed);
    }
};

struct two_plus_two_writes_by_fences : litmus {
    static constexpr int threads = 2;
    void run(int thread) {
        (thread == 0 ? x : y).store(1, relaxed);
        fence(orders[thread]);
        (thread == 0 ? y : x).store(2, relaxed);
    }
    void finish() {
        seen[0] = x.load(relaxed);
        seen[1] = y.load(relaxed);
    }
};

// R: a write, and a read, against two writes.
struct writes_against_a_read : litmus {
    static constexpr int threads = 2;
    void run(int thread) {
        if (thread == 0) {
            x.store(1, orders[0]);
            y.store(1, orders[0]);
        } else {
            y.store(2, orders[0]);
            seen[0] = x.load(orders[1]);
        }
    }
    void finish() { seen[1] = y.load(relaxed); }
};

struct writes_against_a_read_by_fences : litmus {
    static constexpr int threads = 2;
    void run(int thread) {
        if (thread == 0) {
            x.store(1, relaxed);
            fence(orders[0]);
            y.store(1, relaxed);
        } else {
            y.store(2, relaxed);
            fence(orders[1]);
            seen[0] = x.load(relaxed);
        }
    }
    void finish() { seen[1] = y.load(relaxed); }
};

// S: what was released is overwritten by the thread that has acquired it.
struct a_write_after_an_acquire : litmus {
    static constexpr int threads = 2;
    void run(int thread) {
        if (thread == 0) {
            x.store(2, relaxed);
            y.store(1, orders[0]);
        } else {
            seen[0] = y.load(orders[1]);
            x.store(1, relaxed);
        }
    }
    void finish() { seen[1] = x.load(relaxed); }
};

struct write_to_read_causality : litmus {
    static constexpr int threads = 3;
    void run(int thread) {
        if (thread == 0) x.store(1, orders[0]);
        if (thread == 1) {
            seen[0] = x.load(orders[1]);
            y.store(1, orders[0]);
        }
        if (thread == 2) {
            seen[1] = y.load(orders[1]);
            seen[2] = x.load(relaxed);
        }
    }
};

struct read_to_write_causality : litmus {
    static constexpr int threads = 3;
    void run(int thread) {
        if (thread == 0) x.store(1, orders[0]);
        if (thread == 1) {
            seen[0] = x.load(orders[1]);
            seen[1] = y.load(orders[1]);
        }
        if (thread == 2) {
            y.store(1, orders[0]);
            seen[2] = x.load(orders[1]);
        }
    }
};

struct read_to_write_causality_by_fences : litmus {
    static constexpr int threads = 3;
    void run(int thread) {
        if (thread == 0) x.store(1, relaxed);
        if (thread == 1) {
            seen[0] = x.load(relaxed);
            fence(orders[0]);
            seen[1] = y.load(relaxed);
        }
        if (thread == 2) {
            y.store(1, relaxed);
            fence(orders[1]);
            seen[2] = x.load(relaxed);
        }
    }
};

// ISA2: through two flags of two threads.
struct two_flags_in_turn : litmus {
    static constexpr int threads = 3;
    void run(int thread) {
        if (thread == 0) {
            x.store(1, relaxed);
            y.store(1, orders[0]);
        } else if (thread == 1) {
            seen[0] = y.load(orders[1]);
            z.store(1, orders[0]);
        } else {
            seen[1] = z.load(orders[1]);
            seen[2] = x.load(relaxed);
        }
    }
};

// A third thread's update of the flag, between a release and an acquire of it.
struct release_sequence_by_an_update : litmus {
    static constexpr int threads = 3;
    void run(int thread) {
        if (thread == 0) {
            x.store(1, relaxed);
            y.store(1, orders[0]);
        } else if (thread == 1) {
            y.fetch_add(2, orders[1]);
        } else {
            seen[0] = y.load(acquire);
            seen[1] = x.load(relaxed);
        }
    }
};

struct release_sequence_by_two_updates : litmus {
    static constexpr int threads = 4;
    void run(int thread) {
        if (thread == 0) {
            x.store(1, relaxed);
            y.store(1, orders[0]);
        } else if (thread < 3) {
            y.fetch_add(2, orders[1]);
        } else {
            seen[0] = y.load(acquire);
            seen[1] = x.load(relaxed);
        }
    }
};

struct release_sequence_by_a_store : litmus {
    static constexpr int threads = 3;
    void run(int thread) {
        if (thread == 0) {
            x.store(1, relaxed);
            y.store(1, orders[0]);
        } else if (thread == 1) {
            if (y.load(orders[1]) == 1) y.store(2, relaxed);
        } else {
            seen[0] = y.load(acquire);
            seen[1] = x.load(relaxed);
        }
    }
};

// Since C++20 a store of the same thread does not continue its release sequence.
struct release_sequence_of_one_thread : litmus {
    static constexpr int threads = 2;
    void run(int thread) {
        if (thread == 0) {
            x.store(1, relaxed);
            y.store(1, orders[0]);
            y.store(2, relaxed);
        } else {
            seen[0] = y.load(acquire);
            seen[1] = x.load(relaxed);
        }
    }
};

// The fence gives to the first store; an update of another thread passes it on.
struct release_sequence_after_a_fence : litmus {
    static constexpr int threads = 3;
    void run(int thread) {
        if (thread == 0) {
            x.store(1, relaxed);
            fence(orders[0]);
            y.store(1, relaxed);
        } else if (thread == 1) {
            y.fetch_add(2, relaxed);
        } else {
            seen[0] = y.load(relaxed);
            fence(orders[1]);
            seen[1] = x.load(relaxed);
        }
    }
};

struct updates_and_a_store : litmus {
    static constexpr int threads = 3;
    void run(int thread) {
        if (thread == 2) return x.store(10, orders[0]);
        seen[thread] = x.fetch_add(1, orders[1]);
    }
    void finish() { seen[2] = x.load(relaxed); }
};

// A failed exchange only reads, with an order of its own.
struct exchanges_by_comparison : litmus {
    static constexpr int threads = 2;
    void run(int thread) {
        if (thread == 1) x.store(1, relaxed);
        int expected = 0;
        seen[thread] = y.compare_exchange_strong(expected, 1, orders[0], orders[1]) ? 1 : 0;
        if (thread == 0) seen[2] = x.load(relaxed);
    }
};

// Z6U: happens before against the order S.
struct sequential_order_against_happens_before : litmus {
    static constexpr int threads = 3;
    void run(int thread) {
        if (thread == 0) {
            x.store(1, orders[0]);
            y.store(1, orders[1]);
        } else if (thread == 1) {
            seen[0] = y.fetch_add(1, orders[0]);
            seen[1] = y.load(relaxed);
        } else {
            y.store(3, orders[0]);
            seen[2] = x.load(orders[0]);
        }
    }
};
