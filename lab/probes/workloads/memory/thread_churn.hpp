#pragma once
// thread-churn: threads come and go, `x` at a time. Each allocates 64 blocks of 16 bytes to 1 KiB, and frees all but
// one, which a later thread frees.

#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "../../harness/threads.hpp"
#include "../../harness/workload.hpp"
#include "chain.hpp"

namespace lab::thread_churn {

inline constexpr long threads_in_all = 10'000;

// What passes from thread to thread: the blocks of the last sixteen.
struct alignas(128) inheritance {
    chain blocks;
    int length = 0;
    random_numbers random{10'000};
    std::uint64_t digest = 0;
};

template <class Strategy>
struct generations {
    static inline std::vector<inheritance> lines;

    static void live(inheritance& inherited) {
        auto& arena = *kept_arena<Strategy>::arena;
        const auto any_words = [&inherited] { return chain::least_words + inherited.random.below(127); };
        inherited.blocks.push(arena, any_words());
        if (++inherited.length > 16) {
            inherited.digest = inherited.digest * 31 + inherited.blocks.pop(arena);
        }
        chain own;
        for (int i = 1; i < 64; ++i) {
            own.push(arena, any_words());
        }
        while (!own.empty()) {
            inherited.digest += own.pop(arena);
        }
    }

    static void descend(int line, long count) {
        for (; count > 0; --count) {
            std::thread(live, std::ref(lines[static_cast<std::size_t>(line)])).join();
        }
    }

    static void rest() {
        for (inheritance& each : lines) {
            while (!each.blocks.empty()) {
                each.blocks.pop(*kept_arena<Strategy>::arena);
            }
        }
        kept_arena<Strategy>::rest();
    }

    static void clear() {
        rest();
        lines.clear();
        kept_arena<Strategy>::clear();
    }
};

template <class Strategy>
void run(int threads, long iterations) {
    kept_arena<Strategy>::get();  // before there are threads
    generations<Strategy>::lines.resize(static_cast<std::size_t>(threads));
    run_in_threads(threads, generations<Strategy>::descend, iterations);
}

template <class Strategy>
std::uint64_t checksum() {
    generations<Strategy>::clear();
    run<Strategy>(2, 100);
    const std::uint64_t digest = generations<Strategy>::lines[0].digest + generations<Strategy>::lines[1].digest;
    generations<Strategy>::clear();
    return digest;
}

template <class Strategy>
inline constexpr series plot[] = {{.name = "16 bytes to 1 KiB",
                                   .sizes = std::span(thread_counts).first(2),
                                   .work = run<Strategy>,
                                   .measured_by = clock::wall,
                                   .clear = generations<Strategy>::clear,
                                   .fits = has_processors,
                                   .peak_iterations = threads_in_all,
                                   .rest = generations<Strategy>::rest}};

template <class Strategy>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::thread_churn
