#pragma once
// queens: a logic program finds every way to place `x` queens on a board of x by x squares so that none attacks
// another. It works on immutable lists that share their tails, and calls its functions in four styles.

#include <cstdint>

#include "programs/extents.hpp"
#include "workloads/program.hpp"

namespace lab::queens {

template <class Program>
using game = program<extents, Program>;

// A program for each style.
template <class ByValue, class ByConstReference, class Modern, class Borrowed>
struct played {
    static constexpr series plot[] = {
        game<ByValue>::as("by value"),
        game<ByConstReference>::as("const reference"),
        game<Modern>::as("modern"),
        game<Borrowed>::as("borrowed"),
    };

    // The solutions that each style found last, four digits for each.
    static std::uint64_t checksum() {
        std::uint64_t digest = 0;
        for (const std::uint64_t found :
             {game<ByValue>::found, game<ByConstReference>::found, game<Modern>::found, game<Borrowed>::found}) {
            digest = digest * 10'000 + found;
        }
        return digest;
    }
};

// One for all styles, where lists are passed in one way.
template <class Program>
using played_alike = played<Program, Program, Program, Program>;

}  // namespace lab::queens
