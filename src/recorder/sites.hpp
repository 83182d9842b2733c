#pragma once
// Numbers for chains of callers.

#include <atomic>
#include <cstdint>

namespace recorder {

constexpr std::uint32_t most_frames = 64;  // the innermost

struct chain {
    std::uint64_t address[most_frames];
    std::uint32_t length = 0;
    bool is_whole = false;
    std::uint64_t hash = 0x1234'5678'9abc'def1;

    void add(std::uint64_t each) {
        address[length++] = each;
        hash = (hash ^ each) * 0x9e37'79b9'7f4a'7c15;
        hash ^= hash >> 29;
    }
};

// The memory starts as zeros.
class site_table {
public:
    // Returns the number of a chain. `define` is called with the number of one that has none yet; two threads may give
    // the same chain two numbers.
    template <class Define>
    std::uint32_t number_of(std::uint64_t hash, Define define) {
        hash |= 1;  // 0 is no hash
        auto at = static_cast<std::uint32_t>(hash >> 40) % slots;
        for (std::uint32_t tried = 0; tried < most_tried; ++tried, at = (at + 1) % slots) {
            slot& each = slots_[at];
            std::uint64_t found = each.hash.load(std::memory_order_relaxed);
            // relaxed: what is read of the slot is its number, which has its own order
            if (found == 0) each.hash.compare_exchange_strong(found, hash, std::memory_order_relaxed);
            if (found != 0 && found != hash) continue;
            // acquire: pairs with the release below, so that the definition is committed before another thread's use
            if (const std::uint32_t known = each.number.load(std::memory_order_acquire)) return known;
            const std::uint32_t fresh = next();
            define(fresh);
            each.number.store(fresh, std::memory_order_release);
            return fresh;
        }
        const std::uint32_t fresh = next();
        define(fresh);
        return fresh;
    }

private:
    static constexpr std::uint32_t slots = 1 << 20;
    static constexpr std::uint32_t most_tried = 64;

    // relaxed: each gets another number, and that is all
    std::uint32_t next() { return last_.fetch_add(1, std::memory_order_relaxed) + 1; }

    struct slot {
        std::atomic<std::uint64_t> hash;
        std::atomic<std::uint32_t> number;  // 0: not yet defined
    };

    std::atomic<std::uint32_t> last_;
    slot slots_[slots];
};

}
