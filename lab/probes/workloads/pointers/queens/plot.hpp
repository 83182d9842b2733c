#pragma once
// queens: a logic program finds every way to place `x` queens on a board of x by x squares so that none attacks
// another. It works on immutable lists that share their tails, and is written in five styles.

#include <cstdint>

#include "registry/extents.hpp"
#include "workloads/program.hpp"

namespace lab::queens {

template <class Program>
using game = program<extents, Program>;

// A program for each style.
template <class ByValue, class ByConstReference, class Modern, class Borrowed, class Direct>
struct played {
    static constexpr series plot[] = {
        game<ByValue>::as("by value"), game<ByConstReference>::as("const reference"),
        game<Modern>::as("modern"),    game<Borrowed>::as("borrowed"),
        game<Direct>::as("direct"),
    };

    // The solutions that each style found last, twelve bits for each.
    static std::uint64_t checksum() {
        std::uint64_t digest = 0;
        for (const std::uint64_t found : {game<ByValue>::found, game<ByConstReference>::found, game<Modern>::found,
                                          game<Borrowed>::found, game<Direct>::found}) {
            digest = digest << 12 | found;
        }
        return digest;
    }
};

// One for all styles but the direct one, where lists are passed in one way.
template <class Program, class Direct>
using played_alike = played<Program, Program, Program, Program, Direct>;

}  // namespace lab::queens
