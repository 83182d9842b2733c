#pragma once
// usual_bytes: what an object of one type usually owns outside of its cell, as collections have found.
//
// Thread safety: any thread may ask; the collecting thread corrects.

#include <atomic>
#include <cstdint>

namespace freehold::detail {

class usual_bytes {
public:
    // Returns: the guess. At first it is so high that a collection soon corrects it.
    [[nodiscard]] std::int64_t get() const noexcept {
        return bytes_.load(std::memory_order_relaxed);  // relaxed: nothing else depends on it
    }

    // Effects: the guess comes closer to what an object owns. Returns: by how much it was too low.
    std::int64_t correct(std::int64_t owned) noexcept {
        const std::int64_t guess = get();
        // It falls slowly: some hundred objects that own little may precede those that own much.
        const std::int64_t next = owned > guess ? guess + (owned - guess + 7) / 8 : guess - (guess - owned + 63) / 64;
        bytes_.store(next, std::memory_order_relaxed);
        return owned - guess;
    }

private:
    std::atomic<std::int64_t> bytes_ = 16 * 1024;
};

}  // namespace freehold::detail
