#pragma once
// How often which number came up, in buckets that are a thirty-second part of a power of two wide, as in HdrHistogram.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>

namespace lab {

class histogram {
public:
    void add(std::uint64_t number) {
        ++counts_[bucket_of(number)];
        ++total_;
    }

    void add(const histogram& other) {
        std::transform(counts_.begin(), counts_.end(), other.counts_.begin(), counts_.begin(), std::plus());
        total_ += other.total_;
    }

    void clear() { *this = {}; }

    // Returns: the least number that is in no lower a bucket than `part` of all; 1 is the largest of them. Zero if
    // there are none.
    std::uint64_t quantile(double part) const {
        if (total_ == 0) {
            return 0;
        }
        auto missing = static_cast<std::uint64_t>(part * static_cast<double>(total_ - 1)) + 1;
        std::size_t bucket = 0;
        for (; counts_[bucket] < missing; ++bucket) {
            missing -= counts_[bucket];
        }
        return least_in(bucket);
    }

private:
    static constexpr int bits = 5;  // of a number that its bucket tells, beside its size
    static constexpr std::uint64_t parts = std::uint64_t{1} << bits;

    static std::size_t bucket_of(std::uint64_t number) {
        if (number < parts) {
            return number;
        }
        const int shift = std::bit_width(number) - 1 - bits;
        return (static_cast<std::uint64_t>(shift) << bits) + (number >> shift);
    }

    static std::uint64_t least_in(std::size_t bucket) {
        if (bucket < 2 * parts) {
            return bucket;
        }
        const std::uint64_t shift = (bucket >> bits) - 1;
        return (bucket - (shift << bits)) << shift;
    }

    std::array<std::uint64_t, 64 * parts> counts_{};
    std::uint64_t total_ = 0;
};

}  // namespace lab
