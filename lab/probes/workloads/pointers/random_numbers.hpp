#pragma once
// Numbers that look random and are the same in every language: those of std::minstd_rand.

#include <cstdint>

namespace lab {

class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed = 1) : state_(seed) {}

    // Returns a number from 0 to n - 1.
    int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }

    std::uint64_t next() { return state_ = state_ * 48'271 % 2'147'483'647; }

private:
    std::uint64_t state_;
};

}  // namespace lab
