#pragma once
// utilization: `x` subsystems with an arena each begin, and hold 16,384 blocks of 16 to 512 bytes together, each of
// which they have replaced once; then they end. Where many are small, memory that an arena does not share is lost, and
// making an arena takes long (P0089, with its losing cases).

#include <cstdint>
#include <deque>

#include "../../harness/workload.hpp"
#include "chain.hpp"

namespace lab::utilization {

inline constexpr int subsystems[] = {16, 256};
inline constexpr int blocks = 16'384;

// Many arenas take long to make.
inline bool takes_no_longer(int subsystems, int scale) { return 10 * subsystems <= scale; }

template <class Strategy>
class program {
public:
    void begin(int count) {
        const int held = blocks / count;
        for (; count > 0; --count) {
            subsystem& added = subsystems_.emplace_back();
            for (int i = 0; i < 2 * held; ++i) {
                added.blocks.push(added.arena, chain::least_words + random_.below(63));
                if (i >= held) {
                    digest_ += added.blocks.pop(added.arena);
                }
            }
        }
    }

    void end() {
        for (subsystem& each : subsystems_) {
            while (!each.blocks.empty()) {
                digest_ = digest_ * 31 + each.blocks.pop(each.arena);
            }
        }
        subsystems_.clear();
    }

    std::uint64_t digest() const { return digest_; }

private:
    struct subsystem {
        typename Strategy::arena arena;
        chain blocks;
    };

    std::deque<subsystem> subsystems_;
    random_numbers random_{89};
    std::uint64_t digest_ = 0;
};

template <class Strategy>
inline program<Strategy> kept;

template <class Strategy>
void rest() {
    kept<Strategy>.end();
}

template <class Strategy>
void clear() {
    kept<Strategy>.end();
    Strategy::give_back();
}

template <class Strategy>
void run(int subsystems, long iterations) {
    for (; iterations > 0; --iterations) {
        kept<Strategy>.end();
        kept<Strategy>.begin(subsystems);
    }
}

template <class Strategy>
std::uint64_t checksum() {
    program<Strategy> own;
    own.begin(16);
    own.end();
    return own.digest();
}

template <class Strategy>
inline constexpr series plot[] = {{.name = "16 to 512 bytes",
                                   .sizes = subsystems,
                                   .work = run<Strategy>,
                                   .once = true,
                                   .clear = clear<Strategy>,
                                   .fits = takes_no_longer,
                                   .peak_iterations = 1,
                                   .rest = rest<Strategy>}};

template <class Strategy>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::utilization
