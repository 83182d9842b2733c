#pragma once
// One point of a workload: a series at one x.

#include <vector>

#include "workload.hpp"

namespace lab {

struct point {
    const series* of;
    int x;

    bool once() const { return of->once; }
    bool starts_threads() const { return of->measured_by == clock::wall; }

    void prepare() const {
        if (of->prepare != nullptr) {
            of->prepare(x);
        }
    }
    void work(long iterations) const { of->work(x, iterations); }
    void finish() const {
        if (of->finish != nullptr) {
            of->finish();
        }
    }

    void clear() const {
        if (of->clear != nullptr) {
            of->clear();
        }
    }

    // Whether one iteration does so much that it need not be done often to be counted, or to warm up.
    bool is_long() const { return once() || x >= 1000; }

    // Runs unmeasured, until allocators have filled their caches and symbols are bound. What is done once is long, so
    // the smallest x of a series warms up for the others.
    void warm_up() const {
        if (once() && !of->sizes.empty() && x != of->sizes.front()) {
            return;
        }
        prepare();
        work(is_long() ? 1 : 50);
        finish();
    }
};

// What was measured at a point; the measuring function defines the quantity.
struct measurement {
    point at;
    double value;
};

inline std::vector<point> points_of(const workload& workload, int scale) {
    std::vector<point> points;
    for (const series& series : workload.plot) {
        if (series.sizes.empty()) {
            points.push_back({&series, scale});
        }
        for (const int size : series.sizes) {
            if (series.fits == nullptr || series.fits(size, scale)) {
                points.push_back({&series, size});
            }
        }
    }
    return points;
}

}  // namespace lab
