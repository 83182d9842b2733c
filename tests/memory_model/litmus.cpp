// The checker finds all that the memory model allows and nothing that it forbids, in the programs that distinguish
// memory models; and each kind of fault.
//
// The outcomes are those of C++20 without values out of the future. Names as in the literature: MP message passing, SB
// store buffering, LB load buffering, IRIW independent reads of independent writes, 2+2W, WRC, ISA2, Z6U.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "support/checked_asymmetric_fence.hpp"
#include "support/checked_atomic.hpp"
#include "support/checked_mutex.hpp"
#include "support/checker.hpp"

namespace {

using support::bounds;
using support::checked_fence;
using support::first_failure;
using support::plain;
using halves = support::checked_asymmetric_fence;
constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;
constexpr auto acq_rel = std::memory_order_acq_rel;
constexpr auto seq_cst = std::memory_order_seq_cst;

// Nothing is between the operations, so one step each is enough.
constexpr bounds all_is_declared{.steps_after = false};

using variable = support::checked_atomic<int>;
using outcome = std::array<int, 4>;

// What a program has read, at its end.
struct litmus {
    variable x = 0;
    variable y = 0;
    variable z = 0;
    outcome seen{};
};

template <class Program>
std::set<outcome>& seen_by() {
    static std::set<outcome> all;
    return all;
}

template <class Program>
struct collected : Program {
    void check() {
        if constexpr (requires { this->finish(); }) this->finish();
        seen_by<Program>().insert(this->seen);
    }
};

// Returns: all outcomes of the program.
template <class Program>
std::set<outcome> outcomes() {
    if (seen_by<Program>().empty()) support::for_every_execution<collected<Program>>(all_is_declared);
    return seen_by<Program>();
}

using set = std::set<outcome>;

template <std::memory_order Write, std::memory_order Read>
struct message_passing : litmus {
    static constexpr std::size_t threads = 2;
    void run(std::size_t thread) {
        if (thread == 0) {
            x.store(1, relaxed);
            y.store(1, Write);
        } else {
            seen[0] = y.load(Read);
            seen[1] = x.load(relaxed);
        }
    }
};

template <std::memory_order Write, std::memory_order Read>
struct message_passing_by_fences : litmus {
    static constexpr std::size_t threads = 2;
    void run(std::size_t thread) {
        if (thread == 0) {
            x.store(1, relaxed);
            checked_fence(Write);
            y.store(1, relaxed);
        } else {
            seen[0] = y.load(relaxed);
            checked_fence(Read);
            seen[1] = x.load(relaxed);
        }
    }
};

template <std::memory_order Write, std::memory_order Read>
struct store_buffering : litmus {
    static constexpr std::size_t threads = 2;
    void run(std::size_t thread) {
        (thread == 0 ? x : y).store(1, Write);
        seen[thread] = (thread == 0 ? y : x).load(Read);
    }
};

template <std::memory_order First, std::memory_order Second>
struct store_buffering_with_fences : litmus {
    static constexpr std::size_t threads = 2;
    void run(std::size_t thread) {
        (thread == 0 ? x : y).store(1, relaxed);
        checked_fence(thread == 0 ? First : Second);
        seen[thread] = (thread == 0 ? y : x).load(relaxed);
    }
};

// One thread has the reader's half of a fence, the other a reader's or the reclaimer's.
template <bool IsReader>
struct store_buffering_with_halves : litmus {
    static constexpr std::size_t threads = 2;
    void run(std::size_t thread) {
        (thread == 0 ? x : y).store(1, relaxed);
        if (thread == 0 || IsReader) {
            halves::light();
        } else {
            halves::heavy();
        }
        seen[thread] = (thread == 0 ? y : x).load(relaxed);
    }
};

// Dekker: one thread orders by a fence, the other by its operations.
struct store_buffering_with_one_fence : litmus {
    static constexpr std::size_t threads = 2;
    void run(std::size_t thread) {
        if (thread == 0) {
            x.store(1, relaxed);
            checked_fence(seq_cst);
            seen[0] = y.load(relaxed);
        } else {
            y.store(1, seq_cst);
            seen[1] = x.load(seq_cst);
        }
    }
};

struct load_buffering : litmus {
    static constexpr std::size_t threads = 2;
    void run(std::size_t thread) {
        seen[thread] = (thread == 0 ? x : y).load(relaxed);
        (thread == 0 ? y : x).store(1, relaxed);
    }
};

template <std::memory_order Write, std::memory_order Read, std::memory_order Second = Read>
struct independent_reads : litmus {
    static constexpr std::size_t threads = 4;
    void run(std::size_t thread) {
        if (thread == 0) x.store(1, Write);
        if (thread == 1) y.store(1, Write);
        if (thread == 2) {
            seen[0] = x.load(Read);
            seen[1] = y.load(Second);
        }
        if (thread == 3) {
            seen[2] = y.load(Read);
            seen[3] = x.load(Second);
        }
    }
};

struct coherence_of_reads : litmus {
    static constexpr std::size_t threads = 3;
    void run(std::size_t thread) {
        if (thread == 0) {
            x.store(1, relaxed);
            x.store(2, relaxed);
        } else {
            const std::size_t first = 2 * (thread - 1);
            seen[first] = x.load(relaxed);
            seen[first + 1] = x.load(relaxed);
        }
    }
};

// Two writes of one thread keep their order; a thread reads its own write or a later one.
struct coherence_of_writes : litmus {
    static constexpr std::size_t threads = 2;
    void run(std::size_t thread) {
        if (thread == 1) return x.store(3, relaxed);
        x.store(1, relaxed);
        seen[0] = x.load(relaxed);
        x.store(2, relaxed);
        seen[1] = x.load(relaxed);
    }
    void finish() { seen[2] = x.load(relaxed); }
};

template <std::memory_order Write>
struct two_plus_two_writes : litmus {
    static constexpr std::size_t threads = 2;
    void run(std::size_t thread) {
        (thread == 0 ? x : y).store(1, Write);
        (thread == 0 ? y : x).store(2, Write);
    }
    void finish() {
        seen[0] = x.load(relaxed);
        seen[1] = y.load(relaxed);
    }
};

// A third thread's operation on the flag, between a release and an acquire of it.
template <bool IsUpdate>
struct release_sequence : litmus {
    static constexpr std::size_t threads = 3;
    void run(std::size_t thread) {
        if (thread == 0) {
            x.store(1, relaxed);
            y.store(1, release);
        } else if (thread == 1) {
            if (IsUpdate) {
                y.fetch_add(2, relaxed);
            } else if (y.load(relaxed) == 1) {
                y.store(2, relaxed);
            }
        } else {
            seen[0] = y.load(acquire);
            seen[1] = x.load(relaxed);
        }
    }
};

// Since C++20 a store of the same thread does not continue its release sequence.
struct release_sequence_of_one_thread : litmus {
    static constexpr std::size_t threads = 2;
    void run(std::size_t thread) {
        if (thread == 0) {
            x.store(1, relaxed);
            y.store(1, release);
            y.store(2, relaxed);
        } else {
            seen[0] = y.load(acquire);
            seen[1] = x.load(relaxed);
        }
    }
};

struct two_updates : litmus {
    static constexpr std::size_t threads = 3;
    void run(std::size_t thread) {
        if (thread == 2) return x.store(10, relaxed);
        seen[thread] = x.fetch_add(1, relaxed);
    }
    void finish() { seen[2] = x.load(relaxed); }
};

struct two_exchange_by_comparison : litmus {
    static constexpr std::size_t threads = 2;
    void run(std::size_t thread) {
        int expected = 0;
        seen[thread] = x.compare_exchange_strong(expected, 1, relaxed, relaxed) ? 1 : 0;
    }
};

struct a_weak_exchange : litmus {
    static constexpr std::size_t threads = 1;
    void run(std::size_t) {
        seen[0] = x.compare_exchange_weak(seen[1], 1, relaxed, relaxed) ? 1 : 0;
        seen[2] = x.load(relaxed);
    }
};

template <std::memory_order Write, std::memory_order Read>
struct write_to_read_causality : litmus {
    static constexpr std::size_t threads = 3;
    void run(std::size_t thread) {
        if (thread == 0) x.store(1, Write);
        if (thread == 1) {
            seen[0] = x.load(Read);
            y.store(1, Write);
        }
        if (thread == 2) {
            seen[1] = y.load(Read);
            seen[2] = x.load(relaxed);
        }
    }
};

// An acquire fence takes what a relaxed load before it read, not what one after it does.
struct fence_before_the_load : litmus {
    static constexpr std::size_t threads = 2;
    void run(std::size_t thread) {
        if (thread == 0) {
            x.store(1, relaxed);
            y.store(1, release);
        } else {
            checked_fence(acquire);
            seen[0] = y.load(relaxed);
            seen[1] = x.load(relaxed);
        }
    }
};

struct fence_after_the_store : litmus {
    static constexpr std::size_t threads = 2;
    void run(std::size_t thread) {
        if (thread == 0) {
            x.store(1, relaxed);
            y.store(1, relaxed);
            checked_fence(release);
        } else {
            seen[0] = y.load(acquire);
            seen[1] = x.load(relaxed);
        }
    }
};

// Z6U: the standard's example of a sequentially consistent order that differs from happens before.
struct sequential_order_against_happens_before : litmus {
    static constexpr std::size_t threads = 3;
    void run(std::size_t thread) {
        if (thread == 0) {
            x.store(1, seq_cst);
            y.store(1, release);
        } else if (thread == 1) {
            seen[0] = y.fetch_add(1, seq_cst);
            seen[1] = y.load(relaxed);
        } else {
            y.store(3, seq_cst);
            seen[2] = x.load(seq_cst);
        }
    }
};

// Whether `some` outcome shows it.
bool contains(const set& all, outcome some) { return all.contains(some); }

}  // namespace

TEST(litmus, message_passing) {
    const set strong{{0, 0}, {0, 1}, {1, 1}};
    const set weak{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    EXPECT_EQ((outcomes<message_passing<release, acquire>>()), strong);
    EXPECT_EQ((outcomes<message_passing<seq_cst, seq_cst>>()), strong);
    EXPECT_EQ((outcomes<message_passing<relaxed, acquire>>()), weak);
    EXPECT_EQ((outcomes<message_passing<release, relaxed>>()), weak);
    EXPECT_EQ((outcomes<message_passing_by_fences<release, acquire>>()), strong);
    EXPECT_EQ((outcomes<message_passing_by_fences<acq_rel, acq_rel>>()), strong);
    EXPECT_EQ((outcomes<message_passing_by_fences<acquire, acquire>>()), weak);
    EXPECT_EQ((outcomes<message_passing_by_fences<release, release>>()), weak);
    EXPECT_TRUE(contains(outcomes<fence_before_the_load>(), {1, 0}));
    EXPECT_TRUE(contains(outcomes<fence_after_the_store>(), {1, 0}));
}

TEST(litmus, store_buffering) {
    const set strong{{0, 1}, {1, 0}, {1, 1}};
    const set weak{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    EXPECT_EQ((outcomes<store_buffering<seq_cst, seq_cst>>()), strong);
    EXPECT_EQ((outcomes<store_buffering<release, acquire>>()), weak);
    EXPECT_EQ((outcomes<store_buffering<release, seq_cst>>()), weak);
    EXPECT_EQ((outcomes<store_buffering<seq_cst, acquire>>()), weak);
    EXPECT_EQ((outcomes<store_buffering_with_fences<seq_cst, seq_cst>>()), strong);
    EXPECT_EQ((outcomes<store_buffering_with_fences<seq_cst, acq_rel>>()), weak);
    EXPECT_EQ(outcomes<store_buffering_with_one_fence>(), strong);
}

TEST(litmus, halves_of_a_fence) {
    EXPECT_EQ(outcomes<store_buffering_with_halves<false>>(), (set{{0, 1}, {1, 0}, {1, 1}}));
    EXPECT_EQ(outcomes<store_buffering_with_halves<true>>(), (set{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
}

TEST(litmus, load_buffering) {
    EXPECT_EQ(outcomes<load_buffering>(), (set{{0, 0}, {0, 1}, {1, 0}})) << "no value comes out of the future";
}

TEST(litmus, independent_reads_of_independent_writes) {
    const outcome disagreement{1, 0, 1, 0};
    EXPECT_EQ((outcomes<independent_reads<seq_cst, seq_cst>>()).size(), 15);
    EXPECT_FALSE(contains(outcomes<independent_reads<seq_cst, seq_cst>>(), disagreement));
    EXPECT_EQ((outcomes<independent_reads<release, acquire>>()).size(), 16);
    EXPECT_TRUE(contains(outcomes<independent_reads<release, acquire>>(), disagreement));
    EXPECT_FALSE(contains(outcomes<independent_reads<relaxed, seq_cst>>(), disagreement))
        << "coherence orders the reads";
    EXPECT_FALSE(contains(outcomes<independent_reads<seq_cst, relaxed, seq_cst>>(), disagreement))
        << "allowed by the standard";
}

TEST(litmus, coherence) {
    const set seen = outcomes<coherence_of_reads>();
    EXPECT_EQ(seen.size(), 36);
    for (const outcome& each : seen) EXPECT_TRUE(each[0] <= each[1] && each[2] <= each[3]);
    EXPECT_EQ(outcomes<coherence_of_writes>(), (set{{1, 2, 2}, {1, 2, 3}, {1, 3, 3}, {3, 2, 2}}));
}

TEST(litmus, two_plus_two_writes) {
    const set strong{{1, 2}, {2, 1}, {2, 2}};
    const set weak{{1, 1}, {1, 2}, {2, 1}, {2, 2}};
    EXPECT_EQ(outcomes<two_plus_two_writes<relaxed>>(), weak);
    EXPECT_EQ(outcomes<two_plus_two_writes<release>>(), weak);
    EXPECT_EQ(outcomes<two_plus_two_writes<seq_cst>>(), strong);
}

TEST(litmus, release_sequences) {
    const set updated = outcomes<release_sequence<true>>();
    EXPECT_EQ(updated, (set{{0, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}, {3, 1}}));
    EXPECT_TRUE(contains(outcomes<release_sequence<false>>(), {2, 0}));
    EXPECT_FALSE(contains(outcomes<release_sequence<false>>(), {1, 0}));
    EXPECT_TRUE(contains(outcomes<release_sequence_of_one_thread>(), {2, 0}));
}

TEST(litmus, updates_are_atomic) {
    EXPECT_EQ(outcomes<two_updates>(),
              (set{{0, 1, 10}, {1, 0, 10}, {0, 10, 11}, {10, 0, 11}, {10, 11, 12}, {11, 10, 12}}));
    EXPECT_EQ(outcomes<two_exchange_by_comparison>(), (set{{0, 1}, {1, 0}}));
    EXPECT_EQ(outcomes<a_weak_exchange>(), (set{{0, 0, 0}, {1, 0, 1}}));
}

TEST(litmus, causality) {
    EXPECT_TRUE(contains(outcomes<write_to_read_causality<relaxed, relaxed>>(), {1, 1, 0}));
    EXPECT_FALSE(contains(outcomes<write_to_read_causality<release, acquire>>(), {1, 1, 0}));
    EXPECT_FALSE(contains(outcomes<sequential_order_against_happens_before>(), {1, 3, 0})) << "allowed by the standard";
    EXPECT_TRUE(contains(outcomes<sequential_order_against_happens_before>(), {1, 3, 1}));
}

namespace {

template <std::memory_order Write, std::memory_order Read>
struct published_data {
    static constexpr std::size_t threads = 2;
    void run(std::size_t thread) {
        if (thread == 0) {
            data.set(1);
            ready.store(true, Write);
        } else if (ready.load(Read)) {
            EXPECT_EQ(data.get(), 1);
        }
    }
    void check() {}
    plain<int> data = 0;
    support::checked_atomic<bool> ready = false;
};

struct end_before_the_last_use {
    static constexpr std::size_t threads = 2;
    struct shared {
        variable owners = 2;
        variable uses = 0;
    };
    void run(std::size_t) {
        const bool is_last = object->owners.fetch_sub(1, acq_rel) == 1;
        if (is_last) {
            delete std::exchange(object, nullptr);
        } else if (IsLate) {
            address->fetch_add(1, relaxed);
        }
    }
    void check() {}
    static inline bool IsLate = false;
    shared* object = new shared;
    variable* address = &object->uses;
};

struct locked_data {
    static constexpr std::size_t threads = 2;
    void run(std::size_t) {
        const std::lock_guard held(mutex);
        data.set(data.get() + 1);
    }
    void check() { EXPECT_EQ(data.get(), 2); }
    support::checked_mutex mutex;
    plain<int> data = 0;
};

struct mutexes_in_two_orders {
    static constexpr std::size_t threads = 2;
    void run(std::size_t thread) {
        const std::lock_guard outer(mutex[thread]);
        const std::lock_guard inner(mutex[1 - thread]);
    }
    void check() {}
    support::checked_mutex mutex[2];
};

struct unlock_by_a_thread_that_has_not_locked {
    static constexpr std::size_t threads = 2;
    void run(std::size_t thread) {
        if (thread == 0) mutex.lock();
        mutex.unlock();
    }
    void check() {}
    support::checked_mutex mutex;
};

template <bool IsNotified>
struct wait_for_a_condition {
    static constexpr std::size_t threads = 2;
    void run(std::size_t thread) {
        std::unique_lock held(mutex);
        if (thread == 0) {
            condition.wait(held, [this] { return ready.get(); });
        } else {
            ready.set(true);
            if (IsNotified) condition.notify_one();
        }
    }
    void check() {}
    support::checked_mutex mutex;
    support::checked_condition condition;
    plain<bool> ready = false;
};

struct spin_for_ever {
    static constexpr std::size_t threads = 2;
    void run(std::size_t thread) {
        while (thread == 0 && x.load(acquire) == 0) {
        }
    }
    void check() {}
    variable x = 0;
};

template <class Scenario>
void expect_failure(const std::string& why, bounds limits = {}) {
    const std::string found = first_failure<Scenario>(limits);
    EXPECT_TRUE(found.starts_with(why)) << found;
}

}  // namespace

TEST(checker, finds_races) {
    EXPECT_EQ((first_failure<published_data<release, acquire>>()), "");
    expect_failure<published_data<relaxed, acquire>>("data race: plain read races with a write");
    expect_failure<published_data<release, relaxed>>("data race: plain read races with a write");
    EXPECT_EQ(first_failure<locked_data>(), "");
}

TEST(checker, finds_who_unlocks_a_mutex_of_others) {
    expect_failure<unlock_by_a_thread_that_has_not_locked>("unlock by a thread");
}

TEST(checker, finds_uses_outside_of_a_lifetime) {
    EXPECT_EQ(first_failure<end_before_the_last_use>(), "");
    end_before_the_last_use::IsLate = true;
    expect_failure<end_before_the_last_use>("data race: ");
}

TEST(checker, finds_threads_that_wait_for_ever) {
    expect_failure<mutexes_in_two_orders>("deadlock, thread ");
    EXPECT_EQ(first_failure<wait_for_a_condition<true>>(), "");
    expect_failure<wait_for_a_condition<false>>("deadlock, thread 0 waits for ");
    expect_failure<spin_for_ever>("livelock", {.interruptions = 1, .surprises = 1});
}

TEST(checker, tells_an_execution_that_fails) {
    const std::string found = first_failure<published_data<relaxed, acquire>>();
    EXPECT_NE(found.find("thread 1  load"), std::string::npos) << found;
    EXPECT_NE(found.find("acquire  reads 1  (litmus.cpp:"), std::string::npos) << found;
}

TEST(checker, finds_at_random_what_it_finds_in_order) {
    support::execution::expects_failure = true;
    support::decisions some(1);
    const auto found = support::explore<published_data<relaxed, acquire>>({}, some, 1000);
    support::execution::expects_failure = false;
    EXPECT_TRUE(found.failure.starts_with("data race")) << found.failure;
    support::for_random_executions<published_data<release, acquire>>(1000, 1);
}
