#pragma once
// mostly-one-thread: the thread that made objects copies owners of them and destroys the copies, over and over. After
// every 1'000 of its copies each of the other `x - 1` threads makes one, too.

#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <optional>
#include <thread>

#include "../keep.hpp"
#include "harness/threads.hpp"
#include "harness/workload.hpp"
#include "pointer_strategy.hpp"

namespace lab::mostly_one_thread {

inline constexpr std::size_t objects = 64;
inline constexpr long copies_per_visit = 1000;

template <class Strategy>
struct shared_object : Strategy::template base<shared_object<Strategy>> {
    std::uint64_t number = 7;
};

template <class Strategy>
struct kept {
    using owner = typename Strategy::template pointer<shared_object<Strategy>>;

    static inline std::array<std::optional<owner>, objects> owners;
    static inline std::atomic<long> progress;  // of the thread that made the objects; -1 before that
    static inline std::atomic<std::uint64_t> sum;

    static void make() {
        for (auto& each : owners) {
            each.emplace(make_owner<Strategy, shared_object<Strategy>>());
        }
    }

    static void clear() {
        for (auto& each : owners) {
            each.reset();
        }
    }

    static const owner& at(long number) { return *owners[static_cast<std::size_t>(number) % objects]; }

    static void copy(long first, long end) {
        for (; first < end; ++first) {
            auto mine = at(first);
            keep(mine);
        }
    }

    static void copy_most(long copies) {
        for (long done = 0; done < copies; done += copies_per_visit) {
            progress.store(done, std::memory_order_release);
            copy(done, std::min(done + copies_per_visit, copies));
        }
        progress.store(copies, std::memory_order_release);
    }

    static void copy_now_and_then(long copies) {
        std::uint64_t found = 0;
        for (long next = 0; next < copies; next += copies_per_visit) {
            while (progress.load(std::memory_order_acquire) < next) {
                std::this_thread::yield();
            }
            const auto mine = at(next / copies_per_visit);
            found += (*mine).number;
        }
        sum += found;
    }

    static void work(int thread, long copies) {
        if (thread > 0) return copy_now_and_then(copies);
        make();
        copy_most(copies);
    }
};

// What a copy takes when no other thread makes one can be counted.
template <class Strategy>
void alone(int, long copies) {
    if (!kept<Strategy>::owners.front()) kept<Strategy>::make();
    kept<Strategy>::copy(0, copies);
}

template <class Strategy>
void at_once(int threads, long copies) {
    kept<Strategy>::clear();
    kept<Strategy>::progress = -1;
    run_in_threads(threads, kept<Strategy>::work, copies);
}

template <class Strategy>
std::uint64_t checksum() {
    kept<Strategy>::sum = 0;
    at_once<Strategy>(2, 100'000);
    kept<Strategy>::clear();
    return kept<Strategy>::sum;
}

template <class Strategy>
inline constexpr series plot[] = {
    {.name = "copy", .sizes = one_thread, .work = alone<Strategy>, .clear = kept<Strategy>::clear},
    {.name = "copy",
     .sizes = several_threads,
     .work = at_once<Strategy>,
     .measured_by = clock::wall,
     .clear = kept<Strategy>::clear,
     .fits = has_processors},
};

template <class Strategy>
    requires(Strategy::shares && std::copy_constructible<typename Strategy::template pointer<shared_object<Strategy>>>)
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::mostly_one_thread
