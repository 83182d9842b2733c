#include "counting.hpp"

#include "usage_error.hpp"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif

namespace lab {

#ifdef CALLGRIND_DUMP_STATS

namespace {

// Out of line, so that the same instructions surround every stretch.
[[gnu::noinline]] void collect(const point& counted, long iterations) {
    counted.prepare();
    CALLGRIND_TOGGLE_COLLECT;
    if (iterations > 0) {
        counted.work(iterations);
    }
    CALLGRIND_TOGGLE_COLLECT;
    counted.finish();
    CALLGRIND_DUMP_STATS;
}

}  // namespace

std::vector<measurement> count_points(const std::vector<point>& points) {
    if (!RUNNING_ON_VALGRIND) {
        throw usage_error("count works only under valgrind --tool=callgrind");
    }
    CALLGRIND_ZERO_STATS;
    std::vector<measurement> dumps;
    dumps.reserve(2 * points.size());  // an allocation between two stretches would change what the second one finds
    for (const point& counted : points) {
        counted.warm_up();
        const long least = counted.once() ? 0 : 1;
        const long more = counted.is_long() ? 1 : counted.of->counted_iterations;
        for (const long iterations : {least, least + more}) {
            collect(counted, iterations);
            dumps.push_back({counted, static_cast<double>(iterations)});
        }
        counted.clear();
    }
    return dumps;
}

#else

std::vector<measurement> count_points(const std::vector<point>&) {
    throw usage_error("count needs valgrind's headers when the probe is built");
}

#endif

}  // namespace lab
