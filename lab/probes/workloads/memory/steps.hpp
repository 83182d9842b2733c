#pragma once
// What programs have in common that are followed over time. A program is constructed from the percentage of the whole
// that it shall do, and has:
//   steps          how many there are
//   step(number)   does one, in order; returns the bytes that the program then uses
//   digest()       of all that it did

#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>

#include "../../harness/workload.hpp"
#include "chain.hpp"

namespace lab {

inline std::size_t part_of(std::size_t whole, int percent) { return whole * static_cast<std::size_t>(percent) / 100; }

// Returns how much of `whole` is done after the step of that number, of `steps`.
inline std::size_t done_after(int number, int steps, std::size_t whole) {
    return whole * (static_cast<std::size_t>(number) + 1) / static_cast<std::size_t>(steps);
}

// Does `work` again and again, and sleeps 10 ms after each time; less where less than the whole is done.
void beat(int beats, int percent, const auto& work) {
    for (; beats > 0; --beats) {
        work();
        std::this_thread::sleep_for(std::chrono::microseconds(100) * percent);
    }
}

// Allocates blocks, each of words_of(its number), and frees them.
void come_and_go(auto& arena, std::size_t blocks, const auto& words_of) {
    chain all;
    for (std::size_t i = 0; i < blocks; ++i) {
        all.push(arena, words_of(i));
    }
    while (!all.empty()) {
        all.pop(arena);
    }
}

template <class Strategy, class Program>
struct in_steps {
    static inline std::unique_ptr<Program> it;

    static std::size_t step(int number, int percent) {
        if (number == 0) {
            it = std::make_unique<Program>(percent);
        }
        return it->step(number);
    }

    static void clear() {
        it.reset();
        kept_arena<Strategy>::clear();
    }

    static std::uint64_t checksum() {
        for (int number = 0; number < Program::steps; ++number) {
            step(number, 1);
        }
        const std::uint64_t digest = it->digest();
        clear();
        return digest;
    }

    static constexpr series as(const char* name) {
        return {
            .name = name, .clear = clear, .rest = kept_arena<Strategy>::rest, .steps = Program::steps, .step = step};
    }
};

}  // namespace lab
