#pragma once
// How long the operations of a program take: each, and each hundred in a row.
//
// A program calls start() before its first operation, done() after each, and keep(x) after the last; one thread only. A
// hundred takes the processor time of the thread; one operation the time that passes, but no more than its hundred, so
// that a time slice of another process is not taken for a pause. Reading the clock, some 25 ns, is part of each.

#include <time.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string_view>

#include "harness/histogram.hpp"
#include "harness/workload.hpp"
#include "workloads/program.hpp"

namespace lab {

class operation_times {
public:
    static void start() {
        ones.clear();
        hundreds.clear();
        done_of_hundred = 0;
        processor_time = now(CLOCK_THREAD_CPUTIME_ID);
        time = now(CLOCK_MONOTONIC);
    }

    static void done() {
        const std::uint64_t ended = now(CLOCK_MONOTONIC);
        of_hundred[done_of_hundred++] = ended - time;
        time = ended;
        if (done_of_hundred == of_hundred.size()) {
            end_hundred();
        }
    }

    // Counts an operation that a program has timed itself.
    static void add(std::uint64_t nanoseconds) { ones.add(nanoseconds); }

    static void keep(int x) { keep(x, ones, hundreds); }

    // Of what a program has timed itself.
    static void keep(int x, const histogram& each, const histogram& others) {
        const auto write = [](const histogram& from, auto to) {
            return std::ranges::transform(parts, to, [&from](double part) { return from.quantile(part); }).out;
        };
        write(others, write(each, kept[x].begin()));
    }

    // Figure: p50, p99, p99.9 and the longest of one operation, then of a hundred.
    template <std::size_t Figure>
    static double tell(int x) {
        return static_cast<double>(std::max(kept[x][Figure], std::uint64_t{1}));  // ratios are made of it
    }

private:
    static constexpr std::array parts = {0.5, 0.99, 0.999, 1.0};

    static void end_hundred() {
        const std::uint64_t ended = now(CLOCK_THREAD_CPUTIME_ID);
        const std::uint64_t hundred = ended - processor_time;
        hundreds.add(hundred);
        std::ranges::for_each(of_hundred, [hundred](std::uint64_t one) { ones.add(std::min(one, hundred)); });
        done_of_hundred = 0;
        processor_time = now(CLOCK_THREAD_CPUTIME_ID);
        time = now(CLOCK_MONOTONIC);
    }

    static std::uint64_t now(clockid_t clock) {
        timespec read;
        clock_gettime(clock, &read);
        return static_cast<std::uint64_t>(read.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(read.tv_nsec);
    }

    static inline histogram ones;
    static inline histogram hundreds;
    static inline std::array<std::uint64_t, 100> of_hundred;
    static inline std::size_t done_of_hundred = 0;
    static inline std::uint64_t processor_time = 0;
    static inline std::uint64_t time = 0;
    static inline std::map<int, std::array<std::uint64_t, 2 * parts.size()>> kept;
};

// Text as a template argument.
template <std::size_t Size>
struct text_argument {
    char letters[Size] = {};

    constexpr text_argument(const char (&text)[Size]) { std::ranges::copy(text, letters); }
};

// Returns the series of two plots.
template <std::size_t One, std::size_t Other>
constexpr std::array<series, One + Other> joined(const std::array<series, One>& one,
                                                 const std::array<series, Other>& other) {
    std::array<series, One + Other> all{};
    std::ranges::copy(other, std::ranges::copy(one, all.begin()).out);
    return all;
}

// The series of a program, called Name, and those that tell how long its operations took in its run before them, and
// hundreds of them, or what else the program has kept beside them.
template <const auto& Extents, class Program, text_argument Name, text_argument Others = ", hundred">
class with_operation_times {
    static constexpr const char* figures[4] = {", p50", ", p99", ", p99.9", ", max"};

    template <std::size_t Figure>
    static constexpr auto name = [] {
        std::array<char, sizeof(Name.letters) + sizeof(Others.letters) + 20> joined{};
        auto end = joined.begin();
        for (const std::string_view part : {Name.letters, Figure < 4 ? ", one" : Others.letters, figures[Figure % 4]}) {
            end = std::ranges::copy(part, end).out;
        }
        return joined;
    }();

    static constexpr series run = program<Extents, Program>::as(Name.letters);

    template <std::size_t Figure>
    static constexpr series told = {.name = name<Figure>.data(),
                                    .sizes = run.sizes,
                                    .work = [](int, long) {},
                                    .fits = run.fits,
                                    .tell = operation_times::tell<Figure>};

public:
    static constexpr std::array of_each = {run, told<0>, told<1>, told<2>, told<3>};
    static constexpr std::array plot = joined(of_each, std::array{told<4>, told<5>, told<6>, told<7>});
};

}  // namespace lab
