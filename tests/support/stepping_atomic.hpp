#pragma once
// stepping_atomic: what a protocol uses of std::atomic, each operation a step of an interleaving.

#include <atomic>
#include <utility>

#include "interleaving.hpp"

namespace support {

template <class T>
class stepping_atomic {
public:
    stepping_atomic(T value) : value_(value) {}
    stepping_atomic(const stepping_atomic&) = delete;
    stepping_atomic& operator=(const stepping_atomic&) = delete;

    [[nodiscard]] T load(std::memory_order) const {
        interleaving::step();
        return value_;
    }

    void store(T value, std::memory_order) {
        interleaving::step();
        value_ = value;
    }

    T exchange(T value, std::memory_order) {
        interleaving::step();
        const T before = value_;
        value_ = value;
        return before;
    }

    T fetch_add(T added, std::memory_order) {
        interleaving::step();
        return std::exchange(value_, static_cast<T>(value_ + added));
    }

    T fetch_sub(T subtracted, std::memory_order) {
        interleaving::step();
        return std::exchange(value_, static_cast<T>(value_ - subtracted));
    }

    T fetch_or(T given, std::memory_order) {
        interleaving::step();
        return std::exchange(value_, static_cast<T>(value_ | given));
    }

    T fetch_and(T kept, std::memory_order) {
        interleaving::step();
        return std::exchange(value_, static_cast<T>(value_ & kept));
    }

    bool compare_exchange_strong(T& expected, T desired, std::memory_order, std::memory_order) {
        interleaving::step();
        if (value_ != expected) {
            expected = value_;
            return false;
        }
        value_ = desired;
        return true;
    }

    // Fails only where the values differ: what would be tried again is the same step made later.
    bool compare_exchange_weak(T& expected, T desired, std::memory_order success, std::memory_order failure) {
        return compare_exchange_strong(expected, desired, success, failure);
    }

private:
    T value_;
};

}  // namespace support
