#pragma once
// queens: a logic program finds every way to place `x` queens on a board of x by x squares so that none attacks
// another. It works on immutable lists that share their tails, and calls its functions in four styles.

#include <algorithm>
#include <cstdint>

#include "harness/workload.hpp"

namespace lab::queens {

// Each board takes some five times as long as the one before.
struct board {
    int size;
    int least_scale;  // from which on it is played
};

inline constexpr board boards[] = {{6, 1}, {8, 30'000}, {9, 1'000'000}, {10, 3'000'000}, {11, 10'000'000}};
inline constexpr int sizes[] = {6, 8, 9, 10, 11};

inline bool fits(int size, int scale) { return std::ranges::find(boards, size, &board::size)->least_scale <= scale; }

// A program names solutions(size), and may name what is done before a board is played (`prepare`) and what frees all
// that it keeps (`clear`).
template <class Program>
struct game {
    static inline std::uint64_t solutions = 0;  // of the board that was played last

    static void play(int size, long iterations) {
        for (; iterations > 0; --iterations) {
            solutions = static_cast<std::uint64_t>(Program::solutions(size));
        }
    }

    static constexpr series in_style(const char* name) {
        series found{.name = name, .sizes = sizes, .work = play, .once = true, .fits = fits, .peak_iterations = 1};
        if constexpr (requires { Program::prepare; }) {
            found.prepare = Program::prepare;
        }
        if constexpr (requires { Program::clear; }) {
            found.clear = Program::clear;
        }
        return found;
    }
};

// A program for each style.
template <class ByValue, class ByConstReference, class Modern, class Borrowed>
struct played {
    static constexpr series plot[] = {
        game<ByValue>::in_style("by value"),
        game<ByConstReference>::in_style("const reference"),
        game<Modern>::in_style("modern"),
        game<Borrowed>::in_style("borrowed"),
    };

    // The solutions that each style found last, four digits for each.
    static std::uint64_t checksum() {
        std::uint64_t digest = 0;
        for (const std::uint64_t found : {game<ByValue>::solutions, game<ByConstReference>::solutions,
                                          game<Modern>::solutions, game<Borrowed>::solutions}) {
            digest = digest * 10'000 + found;
        }
        return digest;
    }
};

// One for all styles, where lists are passed in one way.
template <class Program>
using played_alike = played<Program, Program, Program, Program>;

}  // namespace lab::queens
