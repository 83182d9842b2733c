#pragma once
// The generations of objects that a collection destroys, or the end of a heap. What exists when it begins is the first;
// what finalizers and destructors of one generation make is the next. They may go on without end; a collection does
// not.

#include <cstddef>
#include <cstdio>

#include "config.hpp"

namespace freehold::inline v0_2::detail {

struct collected_generations {
    static constexpr std::size_t most = 1000;

    // Returns: whether the collection has to stop.
    [[nodiscard]] bool are_over() const noexcept { return count >= most; }

    // Effects: tells why it stops. The type is that of an object of the last generation.
    FREEHOLD_COLD FREEHOLD_NOINLINE static void report(const char* type) noexcept {
        std::fprintf(stderr,
                     "freehold: a collection stops after %zu generations of objects, each made by finalizers or "
                     "destructors of the one before\n"
                     "    type: %s\n"
                     "    a later collection goes on; at the end of a thread or heap the last generation leaks\n",
                     most, type);
    }

    std::size_t count = 0;     // generations after the first
    bool are_counted = false;  // objects may have been made in the collection

    // Of a collection in runs, of which each destroys what the one before has made garbage.
    std::size_t levels = 0;       // runs
    std::size_t destroyed = 0;    // by the last run
    bool looks_near = false;      // the next run does not go far
    bool has_candidates = false;  // the last run has left some
    bool is_done = false;
};

}  // namespace freehold::detail
