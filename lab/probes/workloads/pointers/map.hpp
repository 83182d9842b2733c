#pragma once
// map: `x` threads look up random keys of a hash map, and replace the entry instead one time of ten. A bucket is an
// atomic pointer to an entry, which never changes. All keys are there, and the next free bucket takes what collides.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "../keep.hpp"
#include "harness/threads.hpp"
#include "harness/workload.hpp"
#include "percentiles.hpp"
#include "pointer_strategy.hpp"
#include "random_numbers.hpp"
#include "replaced_object.hpp"

namespace lab::map {

inline constexpr int keys = 1 << 13;
inline constexpr int bits_of_bucket = 14;
inline constexpr long operations_of_replacement = 10;
inline constexpr int look_ups_of_round = 90;
inline constexpr int replacements_of_round = 10;
inline constexpr long timed_rounds = 10'000;  // of each thread
inline constexpr long weighed_operations = 1'000'000;

template <class Strategy, class Count>
struct entry : Strategy::template base<entry<Strategy, Count>> {
    explicit entry(int its_key, std::uint64_t its_value) : key(its_key), value(its_value) {}

    int key;
    std::uint64_t value;
    [[no_unique_address]] Count counted;
};

template <class Strategy, class Count = not_counted>
class hash_map {
    using bucket = typename Strategy::template pointer<entry<Strategy, Count>>;

public:
    hash_map() {
        std::vector<bool> taken(buckets_.size());
        for (int key = 0; key < keys; ++key) {
            std::size_t at = first_for(key);
            while (taken[at]) at = after(at);
            taken[at] = true;
            Strategy::replace(buckets_[at], key, std::uint64_t(key));
        }
    }

    hash_map(const hash_map&) = delete;
    hash_map& operator=(const hash_map&) = delete;

    ~hash_map() {
        for (bucket& each : buckets_) Strategy::release(each);
    }

    std::uint64_t find(int key) {
        for (std::size_t at = first_for(key);; at = after(at)) {
            const auto found = Strategy::load(buckets_[at]);
            if ((*found).key == key) return (*found).value;
        }
    }

    void replace(int key, std::uint64_t value) {
        std::size_t at = first_for(key);
        while ((*Strategy::load(buckets_[at])).key != key) at = after(at);
        Strategy::replace(buckets_[at], key, value);
    }

private:
    // Multiplicative hashing (Knuth): neighbors are spread.
    static std::size_t first_for(int key) {
        return (static_cast<std::uint64_t>(key) * 0x9e37'79b9'7f4a'7c15) >> (64 - bits_of_bucket);
    }

    std::size_t after(std::size_t at) const { return (at + 1) % buckets_.size(); }

    std::vector<bucket> buckets_{std::size_t{1} << bits_of_bucket};
};

template <class Strategy, class Count = not_counted>
class kept {
public:
    static void begin() {
        if (!shared) shared.emplace();
    }

    static void clear() { shared.reset(); }

    // Work is one of those below, which each thread does.
    static void run(int threads, void (*work)(int, long), long amount) {
        begin();
        run_in_threads(threads, work, amount);
    }

    static void use(int thread, long operations) {
        random_numbers random(seed_of(thread));
        for (long done = 1; done <= operations; ++done) {
            if (done % operations_of_replacement == 0) {
                replace(random);
            } else {
                look_up(random);
            }
        }
    }

    static void time_each(int thread, long rounds) {
        thread_times own;
        random_numbers random(seed_of(thread));
        for (; rounds > 0; --rounds) {
            for (int i = 0; i < look_ups_of_round; ++i) look_up(random);
            own.lap(own.reads);
            for (int i = 0; i < replacements_of_round; ++i) {
                replace(random);
                own.lap(own.stores);
            }
            own.lap(own.clock);
        }
        const std::lock_guard held(result);
        times.add(own);
    }

    // Counts the look-ups that find an entry of their key.
    static void verify(int thread, long operations) {
        random_numbers random(seed_of(thread));
        for (long done = 1; done <= operations; ++done) {
            const int key = random.below(keys);
            right += shared->find(key) % keys == static_cast<std::uint64_t>(key);
            replace(random);
        }
    }

    static inline std::atomic<std::uint64_t> right;
    static inline thread_times times;

private:
    static std::uint64_t seed_of(int thread) { return static_cast<std::uint64_t>(thread) + 1; }

    static void look_up(random_numbers& random) {
        std::uint64_t value = shared->find(random.below(keys));
        keep(value);
    }

    // The new value is that of the key, beside a random number.
    static void replace(random_numbers& random) {
        const int key = random.below(keys);
        shared->replace(key, random.next() * keys + static_cast<std::uint64_t>(key));
    }

    static inline std::optional<hash_map<Strategy, Count>> shared;
    static inline std::mutex result;
};

// What an operation takes when nobody is in its way can be counted.
template <class Strategy>
void alone(int, long iterations) {
    kept<Strategy>::begin();
    kept<Strategy>::use(0, iterations);
}

template <class Strategy>
void at_once(int threads, long iterations) {
    kept<Strategy>::run(threads, kept<Strategy>::use, iterations);
}

template <class Strategy>
void time_each(int threads, long) {
    kept<Strategy>::times = {};
    kept<Strategy>::run(threads, kept<Strategy>::time_each, timed_rounds);
    kept<Strategy>::clear();
    times_by_threads[threads] = kept<Strategy>::times;
}

// All that are alive but those in the map, and the next one of a thread, which is made before it replaces another.
template <class Strategy>
long unfreed(int threads) {
    kept<Strategy, counted>::run(threads, kept<Strategy, counted>::use, weighed_operations);
    return counted::most - keys - 1;
}

template <class Strategy>
std::uint64_t checksum() {
    kept<Strategy>::right = 0;
    kept<Strategy>::run(2, kept<Strategy>::verify, 10'000);
    kept<Strategy>::clear();
    return kept<Strategy>::right;
}

template <class Strategy>
inline constexpr series plot[] = {
    {.name = "operation", .sizes = one_thread, .work = alone<Strategy>, .clear = kept<Strategy>::clear},
    {.name = "operation",
     .sizes = several_threads,
     .work = at_once<Strategy>,
     .measured_by = clock::wall,
     .clear = kept<Strategy>::clear,
     .fits = has_processors,
     .peak_iterations = weighed_operations,
     .unfreed = unfreed<Strategy>},
    percentile<&thread_times::reads, 5000>("90 look-ups, p50", time_each<Strategy>),
    percentile<&thread_times::reads, 9900>("90 look-ups, p99"),
    percentile<&thread_times::reads, 9990>("90 look-ups, p99.9"),
    percentile<&thread_times::reads, 9999>("90 look-ups, p99.99"),
    percentile<&thread_times::stores, 5000>("replacement, p50"),
    percentile<&thread_times::stores, 9900>("replacement, p99"),
    percentile<&thread_times::stores, 9990>("replacement, p99.9"),
    percentile<&thread_times::stores, 9999>("replacement, p99.99"),
    percentile<&thread_times::clock, 5000>("clock alone, p50"),
    percentile<&thread_times::clock, 9900>("clock alone, p99"),
    percentile<&thread_times::clock, 9990>("clock alone, p99.9"),
    percentile<&thread_times::clock, 9999>("clock alone, p99.99"),
};

template <class Strategy>
    requires replaces<Strategy>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::map
