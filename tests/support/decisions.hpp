#pragma once
// decisions: what one execution of a program under test is free to choose, remembered so that the next one differs.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <vector>

namespace support {

// Depth first through all choices; or, with a seed, at random.
class decisions {
public:
    decisions() = default;
    explicit decisions(std::uint64_t seed) : random_(seed) {}

    // Returns: a number less than `options`. Number 0 is the ordinary choice, and at random the most frequent one.
    [[nodiscard]] std::size_t choose(std::size_t options) {
        if (options == 1) return 0;
        if (random_) return (*random_)() % 4 != 0 ? 0 : static_cast<std::size_t>((*random_)() % options);
        if (position_ == made_.size()) made_.push_back({0, options});
        const decision& made = made_[position_++];
        if (made.options != options) {
            std::fprintf(stderr, "the scenario does other things after the same decisions: what does it remember?\n");
            std::abort();
        }
        return made.chosen;
    }

    // Effects: the decisions become those of the next execution. Returns: false if each was made in every way.
    [[nodiscard]] bool advance() {
        if (random_) return true;
        position_ = 0;
        while (!made_.empty() && made_.back().chosen + 1 == made_.back().options) made_.pop_back();
        if (made_.empty()) return false;
        ++made_.back().chosen;
        return true;
    }

private:
    struct decision {
        std::size_t chosen;
        std::size_t options;
    };

    std::optional<std::mt19937_64> random_;
    std::vector<decision> made_;
    std::size_t position_ = 0;
};

}  // namespace support
