#pragma once
// What a garbage collector has done while something was measured.

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace lab {

// Pauses are in nanoseconds, and negative where none is known.
struct collector_work {
    long runs = 0;
    long median_pause = -1;
    long longest_pause = -1;
};

// Records the pauses of a collector that reports them.
class pause_log {
public:
    void add(std::chrono::nanoseconds pause) { pauses_.push_back(pause.count()); }

    // Returns what was added since the last call.
    collector_work take() {
        if (pauses_.empty()) {
            return {};
        }
        std::ranges::sort(pauses_);
        const collector_work done{static_cast<long>(pauses_.size()), pauses_[pauses_.size() / 2], pauses_.back()};
        pauses_.clear();
        return done;
    }

private:
    std::vector<long> pauses_;
};

// Counts the runs of a collector that does not report its pauses.
class run_count {
public:
    // Returns the runs since the last call, given their number so far.
    collector_work take(long so_far) { return {.runs = so_far - std::exchange(known_, so_far)}; }

private:
    long known_ = 0;
};

}  // namespace lab
