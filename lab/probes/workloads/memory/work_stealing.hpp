#pragma once
// work-stealing: `x` threads split a range of numbers into tasks, each a block of its own. A thread takes its newest
// task; one that has none steals the oldest of another, and frees what that one allocated.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "../../harness/threads.hpp"
#include "../../harness/workload.hpp"
#include "blocks.hpp"

namespace lab::work_stealing {

inline constexpr long tasks_for_peak = 100'000;

// A block of 24 to 272 bytes: the first word says its size, and the others which numbers it stands for.
template <class Arena>
word* make_task(Arena& arena, word first, word last) {
    const std::size_t words = 3 + (first * 2654435761u + last) % 32;
    word* const task = allocate_block(arena, words, words);
    task[1] = first;
    task[2] = last;
    return task;
}

struct alignas(128) task_list {
    std::mutex mutex;
    std::vector<word*> tasks;
    std::size_t oldest = 0;

    void push(word* task) {
        const std::lock_guard lock(mutex);
        tasks.push_back(task);
    }

    // Returns: null where there is none.
    word* take(bool newest) {
        const std::lock_guard lock(mutex);
        if (oldest == tasks.size()) {
            return nullptr;
        }
        word* const taken = newest ? tasks.back() : tasks[oldest];
        if (newest) {
            tasks.pop_back();
        } else {
            ++oldest;
        }
        if (oldest == tasks.size()) {
            tasks.clear();
            oldest = 0;
        }
        return taken;
    }
};

inline task_list all_tasks[most_threads];
inline std::atomic<long> unfinished;  // numbers
inline std::atomic<std::uint64_t> found;
inline int working;

inline word* steal(int thief) {
    for (int i = 1; i < working; ++i) {
        if (word* const task = all_tasks[(thief + i) % working].take(false)) {
            return task;
        }
    }
    return nullptr;
}

template <class Strategy>
void work(int thread, long) {
    auto& arena = *kept_arena<Strategy>::arena;
    task_list& own = all_tasks[thread];
    std::uint64_t sum = 0;
    while (unfinished.load(std::memory_order_relaxed) > 0) {  // what is found is read when all threads have ended
        word* task = own.take(true);
        if (task == nullptr && (task = steal(thread)) == nullptr) {
            std::this_thread::yield();
            continue;
        }
        const word first = task[1];
        const word last = task[2];
        free_block(arena, task, task[0]);
        if (last - first > 1) {
            const word middle = first + (last - first) / 2;
            own.push(make_task(arena, first, middle));
            own.push(make_task(arena, middle, last));
        } else {
            sum += first;
            unfinished.fetch_sub(1, std::memory_order_relaxed);
        }
    }
    found += sum;
}

// Each thread has as many numbers for its part, and the first one has all at the beginning.
template <class Strategy>
void run(int threads, long iterations) {
    auto& arena = kept_arena<Strategy>::get();  // before there are threads
    working = threads;
    unfinished = threads * iterations;
    all_tasks[0].push(make_task(arena, 0, static_cast<word>(threads * iterations)));
    run_in_threads(threads, work<Strategy>, iterations);
}

template <class Strategy>
std::uint64_t checksum() {
    found = 0;
    run<Strategy>(2, 1000);
    kept_arena<Strategy>::clear();
    return found;
}

template <class Strategy>
inline constexpr series plot[] = {{.name = "tasks",
                                   .sizes = thread_counts,
                                   .work = run<Strategy>,
                                   .measured_by = clock::wall,
                                   .clear = kept_arena<Strategy>::clear,
                                   .fits = has_processors,
                                   .peak_iterations = tasks_for_peak,
                                   .rest = kept_arena<Strategy>::rest}};

template <class Strategy>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::work_stealing
