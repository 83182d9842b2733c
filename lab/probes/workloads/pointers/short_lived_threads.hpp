#pragma once
// short-lived-threads: threads come and go, `x` at a time, as a server's that has one for each request. Each reads the
// object that one pointer leads to, keeps an owner of it, replaces it, and ends.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "harness/histogram.hpp"
#include "harness/threads.hpp"
#include "harness/workload.hpp"
#include "pointer_strategy.hpp"

namespace lab::short_lived_threads {

inline constexpr long threads_in_all = 10'000;

// Of a kibibyte, so that the memory tells those that are not freed.
template <class Strategy>
struct settings : Strategy::template base<settings<Strategy>> {
    explicit settings(std::uint64_t its_version) { values.fill(its_version); }

    bool is_whole() const { return values.front() == values.back(); }

    std::array<std::uint64_t, 128> values;
};

template <class Strategy>
struct kept {
    static inline std::optional<typename Strategy::template pointer<settings<Strategy>>> current;
    static inline std::atomic<std::uint64_t> version;
    static inline std::atomic<std::uint64_t> sound;

    static void begin() {
        if (!current) Strategy::replace(current.emplace(), version++);
    }

    static void clear() {
        if (current) Strategy::release(*current);
        current.reset();
    }

    static void live() {
        {
            const auto seen = Strategy::load(*current);
            if constexpr (requires { share(seen); }) {
                [[maybe_unused]] const auto owner = share(seen);
                sound += (*owner).is_whole();
            } else {
                sound += (*seen).is_whole();
            }
        }
        Strategy::replace(*current, version++);
    }
};

// How long the threads took for what they did, without their start and end.
template <class Strategy>
struct timed {
    struct alignas(64) line {
        histogram nanoseconds;
    };

    static inline std::vector<line> lines;
    static inline histogram all;

    static void live(histogram& nanoseconds) {
        const auto started = std::chrono::steady_clock::now();
        kept<Strategy>::live();
        nanoseconds.add(static_cast<std::uint64_t>((std::chrono::steady_clock::now() - started).count()));
    }

    static void come_and_go(int which, long count) {
        histogram& nanoseconds = lines[static_cast<std::size_t>(which)].nanoseconds;
        for (; count > 0; --count) {
            std::thread(live, std::ref(nanoseconds)).join();
        }
    }

    template <int PerThousand>
    static double quantile(int) {
        return static_cast<double>(std::max(all.quantile(PerThousand / 1000.0), std::uint64_t{1}));
    }
};

template <class Strategy>
void run(int threads, long iterations) {
    using timed = short_lived_threads::timed<Strategy>;
    kept<Strategy>::begin();
    timed::lines = std::vector<typename timed::line>(static_cast<std::size_t>(threads));
    run_in_threads(threads, timed::come_and_go, iterations);
    timed::all.clear();
    for (const auto& each : timed::lines) {
        timed::all.add(each.nanoseconds);
    }
}

template <class Strategy>
void run_a_thousand(int threads, long) {
    run<Strategy>(threads, 1000);
}

template <class Strategy>
std::uint64_t checksum() {
    kept<Strategy>::begin();
    kept<Strategy>::sound = 0;
    run<Strategy>(2, 100);
    kept<Strategy>::clear();
    return kept<Strategy>::sound;
}

inline constexpr auto counts = std::span(thread_counts).first(2);

template <class Strategy>
inline constexpr series plot[] = {
    {.name = "thread",
     .sizes = counts,
     .work = run<Strategy>,
     .measured_by = clock::wall,
     .clear = kept<Strategy>::clear,
     .fits = has_processors,
     .peak_iterations = threads_in_all,
     .rest = kept<Strategy>::clear},
    {.name = "its work, p50",
     .sizes = counts,
     .work = run_a_thousand<Strategy>,
     .measured_by = clock::wall,
     .clear = kept<Strategy>::clear,
     .tell = timed<Strategy>::template quantile<500>},
    {.name = "its work, p99",
     .sizes = counts,
     .work = run_a_thousand<Strategy>,
     .measured_by = clock::wall,
     .clear = kept<Strategy>::clear,
     .tell = timed<Strategy>::template quantile<990>},
};

template <class Strategy>
    requires replaces<Strategy>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::short_lived_threads
