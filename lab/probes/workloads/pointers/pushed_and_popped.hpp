#pragma once
// What stack and queue have in common: `x` threads each push a number and pop one, over and over. 100 numbers are there
// before. A thread has pushed before it pops, so the container is never empty.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "../alive_objects.hpp"
#include "../keep.hpp"
#include "harness/threads.hpp"
#include "harness/workload.hpp"
#include "percentiles.hpp"

namespace lab::pushed_and_popped {

inline constexpr long there_before = 100;
inline constexpr long pairs_timed_alone = 100'000;  // in each thread
inline constexpr long pairs_of_clock = 10;          // as often is the clock timed alone
inline constexpr long pairs_counted = 40'000;       // until what was popped is freed, again and again
inline constexpr long pairs_in_peak = 1'000'000;

template <class Container>
struct kept {
    static inline std::optional<Container> container;

    // The first numbers are pushed by a thread that then ends: an idle one may keep what it could not free at once.
    static void begin() {
        if (container) return;
        container.emplace();
        run_in_threads(1, fill, there_before);
    }

    // In a process that shall have one thread.
    static void begin_alone() {
        if (container) return;
        container.emplace();
        fill(0, there_before);
    }

    static void clear() { container.reset(); }

    static void fill(int, long numbers) {
        for (; numbers > 0; --numbers) {
            container->push(static_cast<std::uint64_t>(numbers));
        }
    }

    static void work(int, long pairs) {
        for (long done = 0; done < pairs; ++done) {
            container->push(static_cast<std::uint64_t>(done));
            auto popped = container->pop();
            keep(popped);
        }
    }
};

// What a push and a pop take when nobody is in their way can be counted.
template <class Container>
void alone(int, long pairs) {
    kept<Container>::begin_alone();
    kept<Container>::work(0, pairs);
}

template <class Container>
void at_once(int threads, long pairs) {
    kept<Container>::begin();
    run_in_threads(threads, kept<Container>::work, pairs);
}

// Each push is timed as a store, and each pop as a read.
template <class Container>
struct timed {
    static inline std::mutex result;
    static inline thread_times all;

    static void work(int, long pairs) {
        thread_times own;
        for (long done = 0; done < pairs; ++done) {
            kept<Container>::container->push(static_cast<std::uint64_t>(done));
            own.lap(own.stores);
            auto popped = kept<Container>::container->pop();
            keep(popped);
            own.lap(own.reads);
            if (done % pairs_of_clock == 0) own.lap(own.clock);
        }
        const std::lock_guard held(result);
        all.add(own);
    }
};

template <class Container>
void time_each(int threads, long) {
    kept<Container>::begin();
    timed<Container>::all = {};
    run_in_threads(threads, timed<Container>::work, pairs_timed_alone);
    kept<Container>::clear();
    times_by_threads[threads] = timed<Container>::all;
}

// Numbers that are all different, and how often each was popped.
template <class Container>
struct verified {
    static constexpr int threads = 2;
    static constexpr long pairs = 32'000;  // enough that threads meet on a busy machine

    static inline std::unique_ptr<Container> container;
    static inline std::vector<std::atomic<int>> popped;

    static void count(std::optional<std::uint64_t> number) {
        if (number) ++popped.at(*number);
    }

    static void work(int thread, long) {
        for (long done = 0; done < pairs; ++done) {
            container->push(static_cast<std::uint64_t>(thread * pairs + done));
            count(container->pop());
            // It grows meanwhile.
            if (done % 16 == 0) container->push(static_cast<std::uint64_t>((threads + thread) * pairs + done));
        }
    }

    // Returns how many numbers were popped exactly once. Throws if one was popped that none can have pushed.
    static std::uint64_t run() {
        container = std::make_unique<Container>();
        popped = std::vector<std::atomic<int>>(2 * threads * pairs);
        run_in_threads(threads, work, 0);
        while (const auto number = container->pop()) {
            count(number);
        }
        container.reset();
        std::uint64_t once = 0;
        for (const std::atomic<int>& times : popped) {
            once += times == 1;
        }
        return once;
    }
};

// All nodes that are alive but those in the container: those that were there before, and one of each thread.
template <class Container>
long unfreed(int threads) {
    at_once<typename Container::with_counted_nodes>(threads, pairs_in_peak);
    return counted::most - there_before - threads - Container::empty_nodes;
}

// Where the nodes are somebody else's, they cannot be counted.
template <class Container>
inline constexpr auto count_unfreed = static_cast<long (*)(int)>(nullptr);

template <class Container>
    requires requires { typename Container::with_counted_nodes; }
inline constexpr auto count_unfreed<Container> = &unfreed<Container>;

template <class Container>
inline constexpr series plot[] = {
    {.name = "push and pop",
     .sizes = one_thread,
     .work = alone<Container>,
     .clear = kept<Container>::clear,
     .counted_iterations = pairs_counted,
     .peak_iterations = pairs_in_peak,
     .rest = kept<Container>::clear,
     .unfreed = count_unfreed<Container>},
    {.name = "push and pop",
     .sizes = several_threads,
     .work = at_once<Container>,
     .measured_by = clock::wall,
     .clear = kept<Container>::clear,
     .fits = has_processors,
     .peak_iterations = pairs_in_peak,
     .rest = kept<Container>::clear,
     .unfreed = count_unfreed<Container>},
    percentile<&thread_times::stores, 5000>("push, p50", time_each<Container>),
    percentile<&thread_times::stores, 9900>("push, p99"),
    percentile<&thread_times::stores, 9990>("push, p99.9"),
    percentile<&thread_times::stores, 9999>("push, p99.99"),
    percentile<&thread_times::reads, 5000>("pop, p50"),
    percentile<&thread_times::reads, 9900>("pop, p99"),
    percentile<&thread_times::reads, 9990>("pop, p99.9"),
    percentile<&thread_times::reads, 9999>("pop, p99.99"),
    percentile<&thread_times::clock, 5000>("clock alone, p50"),
    percentile<&thread_times::clock, 9900>("clock alone, p99"),
    percentile<&thread_times::clock, 9990>("clock alone, p99.9"),
    percentile<&thread_times::clock, 9999>("clock alone, p99.99"),
};

template <class Container>
using of = measured<plot<Container>, verified<Container>::run>;

}  // namespace lab::pushed_and_popped
