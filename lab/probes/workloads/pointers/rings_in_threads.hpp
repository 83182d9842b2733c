#pragma once
// rings-in-threads: `x` threads make rings of ten nodes and put them into places that all of them share. The ring that
// was there before is dropped, mostly by another thread than the one that made it. The last node of a ring owns the
// first where cycles are collected, and otherwise has a weak pointer to it.

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

#include "harness/threads.hpp"
#include "harness/workload.hpp"
#include "pointer_strategy.hpp"
#include "rings/owned.hpp"
#include "sessions.hpp"

namespace lab::rings_in_threads {

template <class Strategy>
struct kept {
    using ring = rings::ring<Strategy>;

    struct alignas(64) place {
        std::mutex mutex;
        ring held{};
    };

    static inline std::array<place, 64> places;
    static inline std::atomic<std::uint64_t> sum;  // of the first numbers of rings that were dropped

    static void drop(ring dropped) {
        if (dropped) sum += static_cast<std::uint64_t>(dropped->number);
    }

    static void work(int thread, long count) {
        typename session_of<Strategy>::type session;
        for (long made = 0; made < count; ++made) {
            ring passed = rings::make_ring<Strategy>(rings::ring_size, static_cast<int>(thread * count + made));
            place& chosen = places[static_cast<std::size_t>(made) % places.size()];
            {
                const auto held = session.lock(chosen.mutex);
                std::swap(chosen.held, passed);
            }
            drop(std::move(passed));
        }
    }

    static void clear() {
        for (place& each : places) {
            drop(std::exchange(each.held, ring()));
        }
    }
};

template <class Strategy>
void run(int threads, long rings_of_each) {
    wait_for<Strategy>([=] { run_in_threads(threads, kept<Strategy>::work, rings_of_each); });
}

template <class Strategy>
std::uint64_t checksum() {
    kept<Strategy>::clear();
    kept<Strategy>::sum = 0;
    run<Strategy>(2, 1000);
    kept<Strategy>::clear();
    return kept<Strategy>::sum;
}

template <class Strategy>
inline constexpr series plot[] = {{.name = "ring",
                                   .sizes = thread_counts,
                                   .work = run<Strategy>,
                                   .measured_by = clock::wall,
                                   .clear = kept<Strategy>::clear,
                                   .fits = has_processors,
                                   .peak_iterations = 100'000}};

template <class Strategy>
    requires(copies<Strategy, rings::node> && has_weak<Strategy>)
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::rings_in_threads
