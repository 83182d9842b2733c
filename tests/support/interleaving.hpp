#pragma once
// Runs a few threads in every possible order of their steps, one after the other.
//
// A step ends where the code under test calls interleaving::step(). Nothing is left to chance: a test fails in the
// same order of steps on each run. Memory orders are not tested, since the steps are far apart.

#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <semaphore>
#include <thread>
#include <vector>

namespace support {

// The decisions of one run; advance() makes them those of the next, until each was made in every way.
class decisions {
public:
    // Returns: a number less than `options`.
    [[nodiscard]] std::size_t choose(std::size_t options) {
        if (position_ == made_.size()) made_.push_back({0, options});
        return made_[position_++].chosen;
    }

    // Returns: whether there is another run.
    [[nodiscard]] bool advance() {
        position_ = 0;
        while (!made_.empty() && made_.back().chosen + 1 == made_.back().options) made_.pop_back();
        if (made_.empty()) return false;
        ++made_.back().chosen;
        return true;
    }

private:
    struct decision {
        std::size_t chosen;
        std::size_t options;
    };

    std::vector<decision> made_;
    std::size_t position_ = 0;
};

// One run. One thread works at a time; at the end of its step it wakes the one that the decisions name.
class interleaving {
public:
    // Effects: ends a step of the calling thread, if it belongs to a run.
    static void step() {
        if (current_ != nullptr) current_->give_turn(self_);
    }

    // Returns: the number of the calling thread in its run; 0 outside of a run.
    [[nodiscard]] static std::size_t thread() noexcept { return self_; }

    // Effects: ends a step; the thread has no other one before the condition holds. Requires: it will hold.
    template <class Condition>
    static void wait_until(Condition condition) {
        step();
        if (current_ == nullptr || condition()) return;
        current_->condition_[self_] = condition;
        current_->pass_turn(self_, current_->next());  // no interruption: the thread can't go on
        current_->condition_[self_] = nullptr;
    }

    // Effects: calls scenario.run(0), …, scenario.run(threads - 1) in threads, and waits for them. A thread is
    // interrupted between two steps at most `interruptions` times in all.
    template <class Scenario>
    static void run(Scenario& scenario, std::size_t threads, std::size_t interruptions, decisions& decided) {
        interleaving turns(threads, interruptions, decided);
        std::vector<std::thread> workers;
        for (std::size_t i = 0; i < threads; ++i) {
            workers.emplace_back([&scenario, &turns, i] {
                turns.turn_[i].acquire();
                current_ = &turns;
                self_ = i;
                scenario.run(i);
                turns.leave(i);
            });
        }
        turns.turn_[turns.next()].release();
        for (std::thread& worker : workers) worker.join();
    }

private:
    static constexpr std::size_t most_threads = 3;

    interleaving(std::size_t threads, std::size_t interruptions, decisions& decided)
        : decided_(decided), interruptions_left_(interruptions) {
        for (std::size_t i = 0; i < threads; ++i) ready_.push_back(i);
    }

    // Requires: a thread is ready. Returns: the one whose turn it is.
    [[nodiscard]] std::size_t next() {
        std::vector<std::size_t> able;
        std::ranges::copy_if(ready_, std::back_inserter(able),
                             [this](std::size_t i) { return !condition_[i] || condition_[i](); });
        return able.at(decided_.choose(able.size()));
    }

    void give_turn(std::size_t self) {
        if (interruptions_left_ == 0) return;
        const std::size_t other = next();
        if (other == self) return;
        --interruptions_left_;
        pass_turn(self, other);
    }

    void pass_turn(std::size_t self, std::size_t other) {
        turn_[other].release();
        turn_[self].acquire();
    }

    void leave(std::size_t self) {
        std::erase(ready_, self);
        if (!ready_.empty()) turn_[next()].release();
    }

    static inline thread_local interleaving* current_ = nullptr;
    static inline thread_local std::size_t self_ = 0;

    decisions& decided_;
    std::size_t interruptions_left_;
    std::vector<std::size_t> ready_;
    std::array<std::function<bool()>, most_threads> condition_;  // under which each may go on
    std::array<std::binary_semaphore, most_threads> turn_{std::binary_semaphore(0), std::binary_semaphore(0),
                                                          std::binary_semaphore(0)};
};

// Keeps the calling thread, and those that it starts, on the processor that it is on. One thread works at a time, and
// to wake it on another processor takes thirty times as long as to go on with it on this one.
class on_one_processor {
public:
    on_one_processor(const on_one_processor&) = delete;
    on_one_processor& operator=(const on_one_processor&) = delete;

#if defined(__linux__)
    on_one_processor() {
        const int here = sched_getcpu();
        if (here < 0 || here >= CPU_SETSIZE || sched_getaffinity(0, sizeof before_, &before_) != 0) return;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(here, &one);
        kept_ = sched_setaffinity(0, sizeof one, &one) == 0;
    }

    ~on_one_processor() {
        if (kept_) sched_setaffinity(0, sizeof before_, &before_);
    }

private:
    cpu_set_t before_{};
    bool kept_ = false;
#else
    on_one_processor() = default;
#endif
};

// Effects: makes a Scenario for every order in which its Scenario::threads can make their steps, runs it and calls its
// check(). Where those orders are too many, only for those with few interruptions: nearly all faults need no more.
// Returns: the number of orders.
template <class Scenario>
int for_every_interleaving(std::size_t interruptions = std::numeric_limits<std::size_t>::max()) {
    const on_one_processor kept;
    decisions decided;
    int runs = 0;
    do {
        Scenario scenario;
        interleaving::run(scenario, Scenario::threads, interruptions, decided);
        scenario.check();
        ++runs;
    } while (decided.advance());
    return runs;
}

}  // namespace support
