#pragma once
// published: one of `x` threads replaces an object as fast as it can and does nothing else. The others read it all the
// time, until that one is done.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "../keep.hpp"
#include "harness/threads.hpp"
#include "harness/workload.hpp"
#include "percentiles.hpp"
#include "pointer_strategy.hpp"
#include "replaced_object.hpp"

namespace lab::published {

inline constexpr long reads_at_once = 100;
inline constexpr long stores_of_iteration = 100'000;
inline constexpr long weighed_iterations = 3;
inline constexpr long stores_of_clock = 10;  // as often is the clock timed alone

// The wall-clock time that operations of the same kind took.
struct throughput {
    long operations = 0;
    double nanoseconds = 0;

    void add(const throughput& other) {
        operations += other.operations;
        nanoseconds += other.nanoseconds;
    }

    double of_one() const { return nanoseconds / static_cast<double>(operations); }
};

struct rates {
    throughput stores;
    throughput reads;
};

inline std::map<int, rates> by_threads;

template <class Strategy, class Count = not_counted>
class publication {
    using object = settings<Strategy, Count>;

public:
    // Work is publish or verify.
    static void run(int threads, void (*work)(int, long), long stores) {
        if (!current) Strategy::replace(current.emplace(), std::uint64_t{0});
        is_over = false;
        found = {};
        times = {};
        unsound = 0;
        run_in_threads(threads, work, stores);
    }

    static void clear() {
        if (current) Strategy::release(*current);
        current.reset();
    }

    template <bool Timed>
    static void publish(int thread, long stores) {
        thread_times own;
        const auto started = std::chrono::steady_clock::now();
        const long done = thread == 0 ? write<Timed>(stores, own) : read<Timed>(own);
        const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - started;
        const std::lock_guard held(result);
        (thread == 0 ? found.stores : found.reads).add({done, taken.count()});
        if constexpr (Timed) times.add(own);
    }

    // Counts the reads that find an object which is not whole, or older than the one before.
    static void verify(int thread, long stores) {
        if (thread == 0) return publish<false>(thread, stores);
        std::uint64_t known = 0;
        decltype(auto) source = reader_of<Strategy>(*current);
        while (!is_over) {
            const auto seen = Strategy::load(source);
            unsound += !(*seen).is_sound(known);
        }
    }

    static std::uint64_t current_version() { return (*Strategy::load(*current)).version; }

    static inline std::atomic<std::uint64_t> unsound;
    static inline rates found;
    static inline thread_times times;

private:
    template <bool Timed>
    static long write(long stores, thread_times& own) {
        for (long version = 1; version <= stores; ++version) {
            Strategy::replace(*current, static_cast<std::uint64_t>(version));
            if constexpr (Timed) {
                own.lap(own.stores);
                if (version % stores_of_clock == 0) own.lap(own.clock);
            }
        }
        is_over = true;
        return stores;
    }

    template <bool Timed>
    static long read(thread_times& own) {
        long reads = 0;
        decltype(auto) source = reader_of<Strategy>(*current);
        do {
            for (long i = 0; i < reads_at_once; ++i) {
                const auto seen = Strategy::load(source);
                std::uint64_t content = (*seen).version;
                keep(content);
            }
            reads += reads_at_once;
            if constexpr (Timed) own.lap(own.reads);
        } while (!is_over.load(std::memory_order_relaxed));  // relaxed: nothing is read that the writer has written
        return reads;
    }

    static inline std::optional<typename Strategy::template pointer<object>> current;
    static inline std::atomic<bool> is_over;
    static inline std::mutex result;
};

// The number of stores is given, for on a busy machine the readers may spend much time without the writer. The first
// iteration warms up: what is not yet freed takes fresh memory. The last one is told.
template <class Strategy>
void at_once(int threads, long iterations) {
    using publication = published::publication<Strategy>;
    for (; iterations >= 0; --iterations) {
        publication::run(threads, publication::template publish<false>, stores_of_iteration);
    }
    by_threads[threads] = publication::found;
}

template <throughput rates::* Which>
double one_of(int threads) {
    return (by_threads[threads].*Which).of_one();
}

template <class Strategy>
void time_each(int threads, long) {
    using publication = published::publication<Strategy>;
    publication::run(threads, publication::template publish<true>, stores_of_iteration);
    publication::clear();
    times_by_threads[threads] = publication::times;
}

// All that are alive but the current one and the next one, which is made before it is stored.
template <class Strategy>
long unfreed(int threads) {
    using publication = published::publication<Strategy, counted>;
    publication::run(threads, publication::template publish<false>, weighed_iterations * stores_of_iteration);
    return counted::most - 2;
}

template <class Strategy>
std::uint64_t checksum() {
    using publication = published::publication<Strategy>;
    publication::run(2, publication::verify, 10'000);
    const std::uint64_t found = publication::unsound * 1'000'000 + publication::current_version();
    publication::clear();
    return found;
}

template <class Strategy>
inline constexpr series plot[] = {
    {.name = "store",
     .sizes = several_threads,
     .work = at_once<Strategy>,
     .measured_by = clock::wall,
     .clear = publication<Strategy>::clear,
     .fits = has_processors,
     .peak_iterations = weighed_iterations,
     .tell = one_of<&rates::stores>,
     .unfreed = unfreed<Strategy>},
    {.name = "read",
     .sizes = several_threads,
     .work = was_run,
     .measured_by = clock::wall,
     .fits = has_processors,
     .tell = one_of<&rates::reads>},
    percentile<&thread_times::stores, 5000>("store, p50", time_each<Strategy>),
    percentile<&thread_times::stores, 9900>("store, p99"),
    percentile<&thread_times::stores, 9990>("store, p99.9"),
    percentile<&thread_times::stores, 9999>("store, p99.99"),
    percentile<&thread_times::reads, 5000>("100 reads, p50"),
    percentile<&thread_times::reads, 9900>("100 reads, p99"),
    percentile<&thread_times::reads, 9990>("100 reads, p99.9"),
    percentile<&thread_times::reads, 9999>("100 reads, p99.99"),
    percentile<&thread_times::clock, 5000>("clock alone, p50"),
    percentile<&thread_times::clock, 9900>("clock alone, p99"),
    percentile<&thread_times::clock, 9990>("clock alone, p99.9"),
    percentile<&thread_times::clock, 9999>("clock alone, p99.99"),
};

template <class Strategy>
    requires replaces<Strategy>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::published
