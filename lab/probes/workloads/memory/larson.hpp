#pragma once
// larson: `x` threads replace random blocks of 16 to 64 bytes, 20'000 in each. After 100'000 replacements a thread
// hands its blocks on to a new thread and exits, as servers do (Larson and Krishnan, 1998).

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "../../harness/threads.hpp"
#include "../../harness/workload.hpp"
#include "blocks.hpp"

namespace lab::larson {

inline constexpr long generation = 100'000;

struct slot {
    word* block = nullptr;
    std::size_t words = 0;
};

// The blocks that pass from thread to thread.
struct alignas(128) inheritance {
    std::array<slot, 20'000> slots;
    random_numbers random{1998};
    std::uint64_t digest = 0;
};

template <class Strategy>
struct aging {
    static inline std::vector<inheritance> estates;  // one for each thread

    static void replace(inheritance& estate, long count) {
        auto& arena = *kept_arena<Strategy>::arena;
        for (; count > 0; --count) {
            slot& chosen = estate.slots[estate.random.below(estate.slots.size())];
            if (chosen.block != nullptr) {
                estate.digest += free_block(arena, chosen.block, chosen.words);
            }
            chosen.words = 2 + estate.random.below(7);
            chosen.block = allocate_block(arena, chosen.words, chosen.words);
        }
    }

    // Runs one thread after the other until `count` blocks were replaced.
    static void descend(int line, long count) {
        inheritance& estate = estates[static_cast<std::size_t>(line)];
        for (; count > 0; count -= generation) {
            std::thread(replace, std::ref(estate), std::min(count, generation)).join();
        }
    }

    static void clear() {
        for (inheritance& estate : estates) {
            for (const slot& each : estate.slots) {
                if (each.block != nullptr) {
                    free_block(*kept_arena<Strategy>::arena, each.block, each.words);
                }
            }
        }
        estates.clear();
        kept_arena<Strategy>::clear();
    }
};

template <class Strategy>
void run(int threads, long iterations) {
    kept_arena<Strategy>::get();  // before there are threads
    aging<Strategy>::estates.resize(static_cast<std::size_t>(threads));
    run_in_threads(threads, aging<Strategy>::descend, iterations);
}

template <class Strategy>
std::uint64_t checksum() {
    aging<Strategy>::clear();
    run<Strategy>(2, 2 * generation);
    const std::uint64_t digest = aging<Strategy>::estates[0].digest + aging<Strategy>::estates[1].digest;
    aging<Strategy>::clear();
    return digest;
}

template <class Strategy>
inline constexpr series plot[] = {{.name = "16 to 64 bytes",
                                   .sizes = thread_counts,
                                   .work = run<Strategy>,
                                   .measured_by = clock::wall,
                                   .clear = aging<Strategy>::clear,
                                   .fits = has_processors,
                                   .peak_iterations = 3 * generation}};

template <class Strategy>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::larson
