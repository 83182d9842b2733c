#pragma once
// repeated_counting<Base>: the policy Base, but one call may stand for many.
//
// Counts are full after billions of copies. With it a test makes one copy "so many times", and the rest of the library
// can't tell the difference: the copies that are not there stand for handles that were leaked.

#include <freehold/counting/counting_policy.hpp>

#include <cstdint>

namespace support {

// How often the counting of the running test is done; a scope restores it.
class repeat {
public:
    explicit repeat(freehold::count_word times) noexcept { times_ = times; }
    repeat(const repeat&) = delete;
    repeat& operator=(const repeat&) = delete;
    ~repeat() { times_ = 1; }

    // Returns: n, as often as the counting is done; modulo 2^64, as the counting itself.
    [[nodiscard]] static freehold::count_word of(freehold::count_word n) noexcept {
        return static_cast<freehold::count_word>(static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(times_));
    }

private:
    static inline freehold::count_word times_ = 1;
};

template <class Base>
struct repeated_counting : Base {
    template <class Rare>
    static void increase(freehold::count_word& word, freehold::count_word n, Rare rare) noexcept {
        Base::increase(word, repeat::of(n), rare);
    }

    template <class Rare>
    static void decrease(freehold::count_word& word, freehold::count_word n, Rare rare) noexcept {
        Base::decrease(word, repeat::of(n), rare);
    }

    static bool decrease_to(freehold::count_word& word, freehold::count_word n, freehold::count_word end) noexcept {
        return Base::decrease_to(word, repeat::of(n), end);
    }
};

}  // namespace support
