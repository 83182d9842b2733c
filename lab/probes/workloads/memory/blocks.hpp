#pragma once
// A block of memory as the workloads use one: its first word is written when it is allocated and read when it is freed.

#include <cstddef>
#include <cstdint>

#include "../../memory_strategy.hpp"

namespace lab {

using word = std::uint64_t;

template <class Arena>
word* allocate_block(Arena& arena, std::size_t words, word content) {
    word* const block = arena.template allocator<word>().allocate(words);
    *block = content;
    return block;
}

template <class Arena>
word free_block(Arena& arena, word* block, std::size_t words) {
    const word content = *block;
    arena.template allocator<word>().deallocate(block, words);
    return content;
}

// Knuth's linear congruential generator: the same numbers everywhere, at the price of a multiplication.
class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed) : state_(seed) {}

    // Returns: a number from 0 to bound - 1.
    std::size_t below(std::size_t bound) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::size_t>(((state_ >> 32) * bound) >> 32);
    }

private:
    std::uint64_t state_;
};

}  // namespace lab
