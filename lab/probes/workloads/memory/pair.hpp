#pragma once
// pair: a block of 32 bytes is allocated and freed, over and over.

#include <cstdint>

#include "../../harness/workload.hpp"
#include "../keep.hpp"
#include "blocks.hpp"

namespace lab::pair {

inline constexpr int one_block[] = {1};
inline constexpr std::size_t words = 4;

template <class Strategy>
void run(int, long iterations) {
    auto& arena = kept_arena<Strategy>::get();
    for (; iterations > 0; --iterations) {
        word* block = allocate_block(arena, words, 1);
        keep(block);
        free_block(arena, block, words);
    }
}

template <class Strategy>
std::uint64_t checksum() {
    auto& arena = kept_arena<Strategy>::get();
    std::uint64_t read = 0;
    for (word number = 0; number < 100; ++number) {
        word* block = allocate_block(arena, words, number);
        keep(block);
        read += free_block(arena, block, words);
    }
    kept_arena<Strategy>::clear();
    return read;
}

template <class Strategy>
inline constexpr series plot[] = {
    {.name = "32 bytes", .sizes = one_block, .work = run<Strategy>, .clear = kept_arena<Strategy>::clear}};

template <class Strategy>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::pair
