#pragma once
// idle-threads: `x` threads have each allocated blocks and freed them, and idle. Meanwhile another one fills fresh
// memory with blocks of 8 KiB.

#include <cstdint>
#include <deque>
#include <semaphore>
#include <thread>

#include "../../harness/threads.hpp"
#include "../../harness/workload.hpp"
#include "chain.hpp"

namespace lab::idle_threads {

inline constexpr int threads[] = {1, 64, 1000, 4000};
inline constexpr std::size_t words = 8192 / sizeof(word);
inline constexpr int blocks_at_once = 1024;

// A whole run has time for a thousand threads, a workload alone for more.
inline bool may_idle(int threads, int scale) { return threads == 1 || (64 * threads <= scale && may_start(threads)); }

// A thread that idles as soon as it is there.
template <class Strategy>
class idler {
public:
    idler() { ready_.acquire(); }

    idler(const idler&) = delete;
    idler& operator=(const idler&) = delete;

    ~idler() {
        end_.release();
        thread_.join();
    }

private:
    void live() {
        auto& arena = *kept_arena<Strategy>::arena;
        chain own;
        random_numbers random(4000);
        for (int i = 0; i < 16; ++i) {
            own.push(arena, chain::least_words + random.below(126));
        }
        while (!own.empty()) {
            own.pop(arena);
        }
        ready_.release();
        end_.acquire();
    }

    std::binary_semaphore ready_{0};
    std::binary_semaphore end_{0};
    std::thread thread_{[this] { live(); }};  // last, as it uses the others
};

template <class Strategy>
struct crowd {
    static inline std::deque<idler<Strategy>> threads;
    static inline chain blocks;

    static void gather(int count) {
        clear();
        kept_arena<Strategy>::get();  // before there are threads
        for (; count > 0; --count) {
            threads.emplace_back();
        }
    }

    static std::uint64_t free_all() {
        std::uint64_t digest = 0;
        while (!blocks.empty()) {
            digest = digest * 31 + blocks.pop(*kept_arena<Strategy>::arena);
        }
        return digest;
    }

    static void rest() {
        free_all();
        kept_arena<Strategy>::rest();
    }

    // Blocks are left to their arena, and those of malloc are lost: else the next point would find no fresh memory.
    static void clear() {
        blocks = {};
        threads.clear();
        kept_arena<Strategy>::clear();
    }
};

template <class Strategy>
void run(int, long iterations) {
    for (iterations *= blocks_at_once; iterations > 0; --iterations) {
        crowd<Strategy>::blocks.push(*kept_arena<Strategy>::arena, words);
    }
}

template <class Strategy>
std::uint64_t checksum() {
    crowd<Strategy>::gather(2);
    run<Strategy>(2, 1);
    const std::uint64_t digest = crowd<Strategy>::free_all();
    crowd<Strategy>::clear();
    return digest;
}

template <class Strategy>
inline constexpr series plot[] = {{.name = "1,024 fresh blocks",
                                   .sizes = threads,
                                   .work = run<Strategy>,
                                   .once = true,
                                   .prepare = crowd<Strategy>::gather,
                                   .clear = crowd<Strategy>::clear,
                                   .fits = may_idle,
                                   .peak_iterations = 1,
                                   .rest = crowd<Strategy>::rest}};

template <class Strategy>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::idle_threads
