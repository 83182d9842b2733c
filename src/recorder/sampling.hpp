#pragma once
// Which blocks are recorded where not all are: each byte that a thread allocates has the same chance to be chosen, and
// a block is recorded if one of its bytes is.

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <sched.h>

namespace recorder {

// The distances between chosen bytes, which are exponential: what comes next does not depend on what came before.
class distances {
public:
    void seed(std::uint64_t value) { state_ = value * 0x9e37'79b9'7f4a'7c15 | 1; }

    // Returns the next, at least 1.
    std::uint64_t next(std::uint64_t mean) {
        state_ ^= state_ << 13;  // xorshift
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return 1 + static_cast<std::uint64_t>(static_cast<double>(mean) * minus_logarithm(state_));
    }

private:
    // Returns -log(value / 2^64); the C library's would need another library.
    static double minus_logarithm(std::uint64_t value) {
        const int zeros = std::countl_zero(value);
        const double part = static_cast<double>(value << zeros >> 11) * 0x1p-53;  // from 0.5 to 1
        const double x = (1 - part) / (1 + part), y = x * x;
        const double series = 1 + y * (1. / 3 + y * (1. / 5 + y * (1. / 7 + y * (1. / 9 + y / 11))));
        return zeros * 0.69314718055994531 + 2 * x * series;
    }

    std::uint64_t state_;
};

// The recorded blocks that live. The memory starts as zeros.
class sampled_blocks {
public:
    // Whether a block may be one of them: false for nearly all others, by one load.
    bool may_have(const void* block) const {
        // relaxed: who frees a block has it, by an order of the program's own, from who made and inserted it
        return slots_[home(address(block))].load(std::memory_order_relaxed) != 0;
    }

    // Returns false if there are too many.
    bool insert(const void* block) {
        const use alone(*this);
        if (count_ == most) return false;
        std::uint32_t at = home(address(block));
        for (; value(at) != 0; at = next(at))
            if (value(at) == address(block)) return true;
        store(at, address(block));
        ++count_;
        return true;
    }

    // Removes a block. Returns whether it was there.
    [[gnu::noinline]] bool remove(const void* block) {
        const use alone(*this);
        std::uint32_t at = home(address(block));
        for (; value(at) != address(block); at = next(at))
            if (value(at) == 0) return false;
        // What follows moves up. Nothing is missing meanwhile from the place where may_have() looks.
        for (std::uint32_t after = next(at); value(after) != 0; after = next(after)) {
            if (((after - home(value(after))) & mask) < ((after - at) & mask)) continue;
            store(at, value(after));
            at = after;
        }
        store(at, 0);
        --count_;
        return true;
    }

private:
    static constexpr std::uint32_t slots = 1 << 18;
    static constexpr std::uint32_t mask = slots - 1;
    static constexpr std::uint32_t most = slots / 4 * 3;

    class use {  // by one thread
    public:
        explicit use(sampled_blocks& blocks) : blocks_(blocks) {
            // acquire: pairs with the release of the thread that used it before
            while (blocks_.used_.exchange(true, std::memory_order_acquire)) sched_yield();
        }
        ~use() { blocks_.used_.store(false, std::memory_order_release); }
        use(const use&) = delete;
        use& operator=(const use&) = delete;

    private:
        sampled_blocks& blocks_;
    };

    static std::uint64_t address(const void* block) { return reinterpret_cast<std::uint64_t>(block); }
    // Neighbors stay neighbors, as what a program frees often is in the processor's cache.
    static std::uint32_t home(std::uint64_t address) { return static_cast<std::uint32_t>(address >> 4) & mask; }
    static std::uint32_t next(std::uint32_t at) { return (at + 1) & mask; }
    std::uint64_t value(std::uint32_t at) const { return slots_[at].load(std::memory_order_relaxed); }
    void store(std::uint32_t at, std::uint64_t value) { slots_[at].store(value, std::memory_order_relaxed); }

    std::atomic<std::uint64_t> slots_[slots];
    std::atomic<bool> used_;
    std::uint32_t count_;
};

}
