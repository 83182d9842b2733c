#pragma once
// checker: runs a scenario in every order of its steps and with every value that the memory model lets it read.
//
//     struct publication {
//         static constexpr std::size_t threads = 2;
//         void run(std::size_t thread);   // what each thread does, with checked_atomic, plain, checked_mutex…
//         void check();                   // after all threads
//     };
//     EXPECT_GT(for_every_execution<publication>(), 10);
//
// What is constructed before the threads, they all have seen. It fails where a check fails, at a data race, a deadlock
// or a livelock, and tells the execution in which that happened: each operation with its thread, place, order and
// value.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "decisions.hpp"
#include "execution.hpp"
#include "on_one_processor.hpp"
#include "sanitized.hpp"

namespace support {

// Threads that run one execution after the other: to start them anew takes longer than most executions.
template <class Scenario>
class crew {
public:
    crew() {
        for (std::size_t i = 0; i < Scenario::threads; ++i) {
            threads_.emplace_back([this, i] {
                for (started_[i].acquire(); execution_ != nullptr; started_[i].acquire()) {
                    execution_->run_thread(i, [this](std::size_t thread) { scenario_->run(thread); });
                    ended_.release();
                }
            });
        }
    }
    crew(const crew&) = delete;
    crew& operator=(const crew&) = delete;
    ~crew() {
        execution_ = nullptr;
        for (gate& each : started_) each.release();
        for (std::thread& each : threads_) each.join();
    }

    void run(Scenario& scenario, execution& running) {
        scenario_ = &scenario;
        execution_ = &running;
        for (gate& each : started_) each.release();
        running.run();
        for (std::size_t i = 0; i < Scenario::threads; ++i) ended_.acquire();
    }

private:
    struct gate : std::binary_semaphore {
        gate() : std::binary_semaphore(0) {}
    };

    Scenario* scenario_ = nullptr;
    execution* execution_ = nullptr;
    std::vector<gate> started_{Scenario::threads};
    std::counting_semaphore<most_threads> ended_{0};
    std::vector<std::thread> threads_;
};

struct exploration {
    std::size_t executions = 0;
    std::string failure;  // of the first execution that failed
};

// Effects: makes a Scenario for each execution, runs it and calls its check(), until an execution fails.
template <class Scenario>
exploration explore(bounds limits, decisions& decided, std::size_t most = static_cast<std::size_t>(-1)) {
    static_assert(Scenario::threads <= most_threads);
    const on_one_processor kept;  // one thread works at a time
    exploration result;
    crew<Scenario> threads;
    do {
        std::optional<Scenario> scenario(std::in_place);
        execution running(Scenario::threads, limits, decided);
        threads.run(*scenario, running);
        ++result.executions;
        result.failure = running.failure();
        if (result.failure.empty()) scenario->check();
        if (testing::Test::HasFailure() && result.failure.empty())
            result.failure = "a check failed\n" + running.story();
        if (!result.failure.empty() && !execution::expects_failure) execution::end_program(result.failure);
    } while (result.failure.empty() && result.executions < most && decided.advance());
    return result;
}

// Executions with a sanitizer, which has nothing to say of their order and takes ten times as long for each.
inline constexpr std::size_t most_sanitized = 500;

// Effects: runs the scenario so many times, at random, but in the same way for the same seed. A sanitizer's build runs
// it at most most_sanitized times.
template <class Scenario>
void for_random_executions(std::size_t times, std::uint64_t seed, bounds limits = {}) {
    decisions some(seed);
    explore<Scenario>(limits, some, sanitized ? std::min(times, most_sanitized) : times);
}

// Effects: runs the scenario in every execution within the limits; with a sanitizer, in the first and in some at
// random. Returns: their number.
template <class Scenario>
std::size_t for_every_execution(bounds limits = {}) {
    constexpr std::size_t most = sanitized ? most_sanitized : static_cast<std::size_t>(-1);
    decisions all;
    const std::size_t executions = explore<Scenario>(limits, all, most).executions;
    if (executions == most) for_random_executions<Scenario>(most, 1, limits);
    return executions;
}

// Returns: why the first execution that fails does; nothing if none does.
template <class Scenario>
std::string first_failure(bounds limits = {}) {
    execution::expects_failure = true;
    decisions all;
    std::string failure = explore<Scenario>(limits, all).failure;
    execution::expects_failure = false;
    return failure;
}

}  // namespace support
