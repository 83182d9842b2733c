#pragma once
// one-size: `x` KiB of blocks of one size are allocated, and all freed; then the same with the next size.

#include <cstdint>

#include "../../harness/workload.hpp"
#include "chain.hpp"

namespace lab::one_size {

inline constexpr int kibibytes[] = {1024, 8192, 40'960};
inline constexpr std::size_t powers_of_two[] = {32, 64, 128, 256, 512, 1024, 2048, 4096};
inline constexpr std::size_t others[] = {24, 40, 72, 104, 168, 296, 424, 680, 1096, 1704, 2600, 3752};

template <class Strategy, const auto& Sizes>
std::uint64_t fill_and_free(int of_each) {
    auto& arena = kept_arena<Strategy>::get();
    std::uint64_t digest = 0;
    for (const std::size_t bytes : Sizes) {
        const std::size_t words = bytes / sizeof(word);
        chain blocks;
        for (std::size_t held = 0; held < words_in(of_each); held += words) {
            blocks.push(arena, words);
        }
        while (!blocks.empty()) {
            digest = digest * 31 + blocks.pop(arena);
        }
    }
    return digest;
}

template <class Strategy, const auto& Sizes>
void run(int of_each, long iterations) {
    for (; iterations > 0; --iterations) {
        fill_and_free<Strategy, Sizes>(of_each);
    }
}

template <class Strategy>
std::uint64_t checksum() {
    const std::uint64_t digest = fill_and_free<Strategy, powers_of_two>(64) + fill_and_free<Strategy, others>(64);
    kept_arena<Strategy>::clear();
    return digest;
}

template <class Strategy, const auto& Sizes>
constexpr series as(const char* name) {
    return {.name = name,
            .sizes = kibibytes,
            .work = run<Strategy, Sizes>,
            .once = true,
            .clear = kept_arena<Strategy>::clear,
            .fits = takes_no_longer,
            .peak_iterations = 1,
            .rest = kept_arena<Strategy>::rest};
}

template <class Strategy>
inline constexpr series plot[] = {as<Strategy, powers_of_two>("powers of two"), as<Strategy, others>("other sizes")};

template <class Strategy>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::one_size
