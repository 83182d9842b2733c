#include "timing.hpp"

#include <benchmark/benchmark.h>
#include <time.h>

namespace lab {

namespace {

struct batch_plan {
    int batches;
    double least_seconds;  // of processor time in each, in each thread
};

constexpr batch_plan in_one_thread{9, 0.000'25};
constexpr int batches_of_one = 3;           // where one iteration is long enough
constexpr batch_plan in_threads{3, 0.005};  // long, so that starting them does not show

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

// Keeps the median of the benchmark, or its only time.
class median_reporter : public benchmark::BenchmarkReporter {
public:
    double processor_nanoseconds = 0;
    double wall_nanoseconds = 0;

    bool ReportContext(const Context&) override { return true; }

    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            if (run.repetitions == 1 || run.aggregate_name == "median") {
                processor_nanoseconds = run.GetAdjustedCPUTime();
                wall_nanoseconds = run.GetAdjustedRealTime();
            }
        }
    }
};

// A point is timed right after its own warm-up, and cleared before the next one: what another point keeps, such as a
// resource full of pages, would otherwise be missing in the caches that this one has just filled.
double time_point(const point& measured) {
    if (measured.of->tell != nullptr) {
        measured.work(1);
        measured.clear();
        return measured.of->tell(measured.x);
    }
    if (!measured.of->warm) {
        measured.warm_up();
    }
    auto* benchmark = benchmark::RegisterBenchmark(measured.of->name,
                                                   [measured](benchmark::State& state) { run_batch(measured, state); });
    if (measured.of->measured_by == clock::process) {
        benchmark->MeasureProcessCPUTime();
    }
    if (measured.once()) {
        benchmark->Iterations(1);  // one batch, for it is long, and launches are many
    } else {
        const batch_plan& plan = measured.starts_threads() ? in_threads : in_one_thread;
        const double least_seconds = plan.least_seconds * (measured.starts_threads() ? measured.x : 1);
        const long iterations = batch_iterations(measured, least_seconds);
        benchmark->Iterations(iterations)->Repetitions(iterations == 1 ? batches_of_one : plan.batches);
    }
    median_reporter reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
    benchmark::ClearRegisteredBenchmarks();
    measured.clear();
    return measured.of->measured_by == clock::wall ? reporter.wall_nanoseconds : reporter.processor_nanoseconds;
}

}  // namespace

std::vector<measurement> time_points(const std::vector<point>& points) {
    std::vector<measurement> medians;
    for (const point& measured : points) {
        medians.push_back({measured, time_point(measured)});
    }
    return medians;
}

}  // namespace lab
