#include "timing.hpp"

#include <benchmark/benchmark.h>
#include <time.h>

namespace lab {

namespace {

struct batch_plan {
    int batches;
    double least_seconds;  // of processor time in each, in all threads together
};

constexpr batch_plan in_one_thread{9, 0.000'25};
constexpr batch_plan in_threads{5, 0.01};  // long, so that starting them does not show

double processor_seconds() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Returns how many iterations make a batch. Google Benchmark's own search is not used: it also looks at wall time, so
// that it ends at one iteration when the process is held up, and all batches are then too short to be timed.
long batch_iterations(const point& measured, double least_seconds) {
    for (long iterations = 1;; iterations *= 2) {
        const double started = processor_seconds();
        measured.work(iterations);
        if (processor_seconds() - started >= least_seconds) {
            return iterations;
        }
    }
}

void run_batch(const point& measured, benchmark::State& state) {
    measured.prepare();
    // The clock runs from the first call of KeepRunningBatch to the second.
    while (state.KeepRunningBatch(state.max_iterations)) {
        measured.work(state.max_iterations);
    }
    measured.finish();
}

// Keeps the median of each benchmark, or its only time, in the order in which they were registered.
class median_reporter : public benchmark::BenchmarkReporter {
public:
    struct times {
        double processor;
        double wall;
    };
    std::vector<times> nanoseconds;

    bool ReportContext(const Context&) override { return true; }

    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            if (run.repetitions == 1 || run.aggregate_name == "median") {
                nanoseconds.push_back({run.GetAdjustedCPUTime(), run.GetAdjustedRealTime()});
            }
        }
    }
};

}  // namespace

std::vector<measurement> time_points(const std::vector<point>& points) {
    for (const point& measured : points) {
        measured.warm_up();
        auto* benchmark = benchmark::RegisterBenchmark(
            measured.of->name, [measured](benchmark::State& state) { run_batch(measured, state); });
        if (measured.once()) {
            benchmark->Iterations(1);  // one batch, for it is long, and launches are many
        } else {
            const batch_plan& plan = measured.starts_threads() ? in_threads : in_one_thread;
            benchmark->Iterations(batch_iterations(measured, plan.least_seconds))->Repetitions(plan.batches);
        }
    }
    median_reporter reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
    benchmark::ClearRegisteredBenchmarks();

    std::vector<measurement> medians;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto [processor, wall] = reporter.nanoseconds.at(i);
        medians.push_back({points[i], points[i].of->measured_by == clock::wall ? wall : processor});
        points[i].clear();
    }
    return medians;
}

}  // namespace lab
