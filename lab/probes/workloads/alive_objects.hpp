#pragma once
// How many objects are alive at once, counted by a member of each: what was replaced and is not yet destroyed is among
// them. Counting is dear, so objects that are timed have `not_counted`.

#include <atomic>

namespace lab {

struct not_counted {};

class counted {
public:
    counted() {
        const long now = ++alive;
        for (long known = most; now > known && !most.compare_exchange_weak(known, now);) {
        }
    }

    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;

    ~counted() { --alive; }

    static inline std::atomic<long> alive;
    static inline std::atomic<long> most;
};

}  // namespace lab
