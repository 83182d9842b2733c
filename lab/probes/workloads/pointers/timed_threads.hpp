#pragma once
// Programs whose `x` threads work at once. Each operation is timed, and where that is known, how long it took to stop
// all threads for a collection.

#include <chrono>
#include <cstdint>
#include <mutex>

#include "harness/histogram.hpp"
#include "harness/threads.hpp"
#include "workloads/pointers/operation_times.hpp"
#include "workloads/program.hpp"

namespace lab {

template <class Form>
concept stops_threads = requires { Form::stops(); };

// What one of the threads does. A Worker is derived from it, and made of a session and the number of the thread;
// work() is all that it does.
template <class Form>
class timed_worker {
public:
    // Returns the sum that all threads have found together.
    template <class Worker>
    static std::uint64_t run_all(int threads) {
        all_times.clear();
        all_sums = 0;
        run_in_threads(threads, run<Worker>, 0);
        if constexpr (stops_threads<Form>) {
            operation_times::keep(threads, all_times, Form::stops());
        } else {
            operation_times::keep(threads, all_times, {});
        }
        return all_sums;
    }

protected:
    using session = typename Form::session;

    timed_worker(session& own, int thread) : session_(own), thread_(thread) {}

    void time(const auto& operation) {
        const auto started = std::chrono::steady_clock::now();
        operation();
        times_.add(static_cast<std::uint64_t>((std::chrono::steady_clock::now() - started).count()));
    }

    session& session_;
    int thread_;
    std::uint64_t sum_ = 0;

private:
    template <class Worker>
    static void run(int thread, long) {
        session own;
        Worker worker(own, thread);
        worker.work();
        const std::lock_guard held(result);
        all_times.add(worker.times_);
        all_sums += worker.sum_;
    }

    static inline std::mutex result;
    static inline histogram all_times;
    static inline std::uint64_t all_sums;

    histogram times_;
};

// The time that passes is measured. Program is a Form, too.
template <const auto& Extents, class Program, text_argument Name>
struct timed_threads {
    static constexpr auto plot = [] {
        using times = with_operation_times<Extents, Program, Name, ", stop">;
        auto all = [] {
            if constexpr (stops_threads<Program>) {
                return times::plot;
            } else {
                return times::of_each;
            }
        }();
        all.front().measured_by = clock::wall;
        return all;
    }();

    static std::uint64_t checksum() { return program<Extents, Program>::found; }
};

}  // namespace lab
