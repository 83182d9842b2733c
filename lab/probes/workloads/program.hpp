#pragma once
// Whole programs as workloads: a series is a program, which runs once for each time and at the sizes that a scale
// leaves time for.

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "harness/workload.hpp"

namespace lab {

struct extent {
    int x;
    int least_scale;  // from which on it is measured
};

// Extents is an array in ascending order. A program names run(x), which returns a number that every strategy must
// reach, and may name what series do: prepare(x), finish(), clear() and collections(); and takes_threads, true where
// other threads work for it.
template <const auto& Extents, class Program>
struct program {
    static inline std::uint64_t found = 0;  // by the last run

    static constexpr series as(const char* name) {
        series made{.name = name, .sizes = sizes, .work = run, .once = true, .fits = fits, .peak_iterations = 1};
        if constexpr (requires { Program::prepare; }) {
            made.prepare = Program::prepare;
        }
        if constexpr (requires { Program::finish; }) {
            made.finish = Program::finish;
        }
        if constexpr (requires { Program::clear(); }) {
            made.clear = Program::clear;
        }
        if constexpr (requires { requires Program::takes_threads; }) {
            made.measured_by = clock::process;
        }
        if constexpr (requires { Program::collections(); }) {
            made.collections = Program::collections;
        }
        return made;
    }

private:
    static constexpr auto sizes = [] {
        std::array<int, std::size(Extents)> all{};
        std::ranges::transform(Extents, all.begin(), &extent::x);
        return all;
    }();

    static bool fits(int x, int scale) { return std::ranges::find(Extents, x, &extent::x)->least_scale <= scale; }

    static void run(int x, long iterations) {
        for (; iterations > 0; --iterations) {
            found = static_cast<std::uint64_t>(Program::run(x));
        }
    }
};

// A base for programs that allocate by Strategy: what its collector has done, if it has one, and how that is measured.
template <class Strategy>
struct collecting {
    static constexpr bool takes_threads = requires { Strategy::collects_in_threads; };

    static void clear()
        requires requires { Strategy::clear(); }
    {
        Strategy::clear();
    }

    static collector_work collections()
        requires requires { Strategy::collections(); }
    {
        return Strategy::collections();
    }

    // How long it took to stop the threads that share objects.
    static auto stops()
        requires requires { Strategy::stops(); }
    {
        return Strategy::stops();
    }
};

}  // namespace lab
