#pragma once
// How many blocks and bytes a sampled block stands for.

#include <cmath>
#include <cstdint>

#include "events.hpp"

namespace advise {

class weighing {
public:
    explicit weighing(std::uint64_t sampled_bytes) : mean_(static_cast<double>(sampled_bytes)) {}

    // Returns the event as what it stands for. A block was recorded with the probability that one of its bytes was
    // chosen.
    event of(event each) {
        if (mean_ == 0 || each.is_half || recorder::is_free(each.what)) return each;
        ++samples_;
        const double blocks = -1 / std::expm1(-static_cast<double>(each.size) / mean_);
        const double whole = std::floor(blocks + rest_);
        rest_ += blocks - whole;  // what was left of one goes to the next
        each.blocks = static_cast<std::uint64_t>(whole);
        each.size = static_cast<std::uint64_t>(std::llround(blocks * static_cast<double>(each.size)));
        return each;
    }

    std::uint64_t samples() const { return samples_; }

private:
    double mean_, rest_ = 0;
    std::uint64_t samples_ = 0;
};

}
