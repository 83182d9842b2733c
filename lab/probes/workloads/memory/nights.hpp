#pragma once
// nights: a server of two threads, two days and two nights. In the eight parts of a day each thread holds 20 to 60 MiB,
// whose sizes change from part to part; at night 2 MiB, with a twentieth of the load. A tenth of what a thread drops is
// freed by the other one.

#include <array>
#include <mutex>
#include <semaphore>
#include <thread>
#include <utility>

#include "steps.hpp"

namespace lab::nights {

// What a thread does in a step.
struct load {
    std::size_t sizes;         // which ones most blocks have
    std::size_t held_words;    // what it comes to hold
    std::size_t replacements;  // in each beat
    int beats;
};

// Blocks that one thread drops and the other one frees.
template <class Arena>
class handed_over {
public:
    explicit handed_over(Arena& arena) : arena_(arena) {}

    handed_over(const handed_over&) = delete;
    handed_over& operator=(const handed_over&) = delete;

    ~handed_over() { free_all(); }

    void add(word* block) {
        const std::lock_guard guard(mutex_);
        words_ += chain::words_of(block);
        blocks_.append(block);
    }

    void free_all() {
        chain taken;
        {
            const std::lock_guard guard(mutex_);
            taken = std::exchange(blocks_, {});
            words_ = 0;
        }
        while (!taken.empty()) {
            taken.pop(arena_);
        }
    }

    std::size_t words() const { return words_; }

private:
    Arena& arena_;
    std::mutex mutex_;
    chain blocks_;
    std::size_t words_ = 0;
};

// A thread that does what it is told to, and idles meanwhile.
template <class Strategy>
class worker {
public:
    using arena = typename Strategy::arena;

    worker(std::uint64_t seed, int percent, handed_over<arena>& own, handed_over<arena>& others)
        : percent_(percent), own_(own), others_(others), random_(seed) {}

    worker(const worker&) = delete;
    worker& operator=(const worker&) = delete;

    ~worker() {
        load_.beats = -1;
        start_.release();
        thread_.join();
    }

    void start(const load& now) {
        load_ = now;
        start_.release();
    }

    void wait() { done_.acquire(); }

    std::size_t held_words() const { return held_; }
    std::uint64_t digest() const { return digest_; }

private:
    void work() {
        for (start_.acquire(); load_.beats >= 0; start_.acquire()) {
            beat(load_.beats, percent_, [this] { serve(); });
            done_.release();
        }
        drop_down_to(0);
    }

    void serve() {
        for (std::size_t i = 0; i < load_.replacements; ++i) {
            const std::size_t words = next_words();
            blocks_[random_.below(blocks_.size())].push(arena_, words);
            held_ += words;
            drop_down_to(load_.held_words);
        }
        own_.free_all();
    }

    // Most blocks have up to twice the size of the others, from 16 bytes to 4 KiB; one in eight has any of these sizes,
    // and one in 500 has up to 256 KiB.
    std::size_t next_words() {
        constexpr std::size_t doublings = 8;
        constexpr std::size_t kibibyte = 1024 / sizeof(word);
        if (random_.below(500) == 0) {
            return 8 * kibibyte + random_.below(248 * kibibyte);
        }
        const std::size_t doubled = random_.below(8) == 0 ? random_.below(doublings) : load_.sizes % doublings;
        const std::size_t least = chain::least_words << doubled;
        return least + random_.below(least);
    }

    void drop_down_to(std::size_t words) {
        while (held_ > words) {
            chain& chosen = blocks_[random_.below(blocks_.size())];
            if (chosen.empty()) {
                continue;
            }
            word* const block = chosen.take();
            const std::size_t dropped = chain::words_of(block);
            held_ -= dropped;
            digest_ = digest_ * 31 + dropped;
            if (random_.below(10) == 0) {
                others_.add(block);
            } else {
                arena_.template allocator<word>().deallocate(block, dropped);
            }
        }
    }

    arena& arena_ = *kept_arena<Strategy>::arena;
    int percent_;
    handed_over<arena>& own_;
    handed_over<arena>& others_;
    random_numbers random_;
    std::array<chain, 64> blocks_;
    std::size_t held_ = 0;
    std::uint64_t digest_ = 0;
    load load_{};
    std::binary_semaphore start_{0};
    std::binary_semaphore done_{0};
    std::thread thread_{[this] { work(); }};  // last, as it uses the others
};

template <class Strategy>
class program {
public:
    static constexpr int of_a_day = 24;
    static constexpr int of_a_night = 6;
    static constexpr int steps = 2 * (of_a_day + of_a_night);

    explicit program(int percent) : percent_(percent) {}

    std::size_t step(int number) {
        const bool is_night = number % (of_a_day + of_a_night) >= of_a_day;
        const std::size_t part = static_cast<std::size_t>(number / 3);
        const auto start = [&](worker<Strategy>& one, std::size_t differing) {
            const std::size_t mebibytes = is_night ? 2 : 20 + (part + differing) * 29 % 41;
            const std::size_t words = part_of(words_in(1024) * mebibytes, percent_);
            one.start(is_night ? load{2, words, 100, 60} : load{part * 5, words, 2000, 15});
        };
        start(first_, 0);
        start(second_, 3);
        first_.wait();
        second_.wait();
        const std::size_t words = first_.held_words() + second_.held_words() + for_first_.words() + for_second_.words();
        return words * sizeof(word);
    }

    std::uint64_t digest() const { return first_.digest() ^ second_.digest(); }

private:
    using arena = typename Strategy::arena;

    int percent_;
    handed_over<arena> for_first_{kept_arena<Strategy>::get()};
    handed_over<arena> for_second_{kept_arena<Strategy>::get()};
    worker<Strategy> first_{1, percent_, for_first_, for_second_};
    worker<Strategy> second_{2, percent_, for_second_, for_first_};
};

template <class Strategy>
inline constexpr series plot[] = {in_steps<Strategy, program<Strategy>>::as("two days")};

template <class Strategy>
using of = measured<plot<Strategy>, in_steps<Strategy, program<Strategy>>::checksum>;

}  // namespace lab::nights
