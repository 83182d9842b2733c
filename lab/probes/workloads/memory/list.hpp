#pragma once
// list: a list of `x` numbers is filled and destroyed (seed 004), with memory that is fetched for it or kept from the
// list before.

#include <cstdint>
#include <list>

#include "../../harness/workload.hpp"
#include "../../memory_strategy.hpp"
#include "../keep.hpp"

namespace lab::list {

inline constexpr int sizes[] = {100, 1000, 10'000, 100'000};

template <class Arena>
using numbers = std::list<int, allocator_of<Arena, int>>;

template <class Arena>
void fill_and_destroy(Arena& arena, int size) {
    numbers<Arena> list(arena.template allocator<int>());
    for (int i = 0; i < size; ++i) {
        list.push_back(i);
    }
    keep(list);
}

template <class Strategy>
void fresh(int size, long iterations) {
    for (; iterations > 0; --iterations) {
        typename Strategy::arena arena;
        fill_and_destroy(arena, size);
    }
}

template <class Strategy>
void kept(int size, long iterations) {
    auto& arena = kept_arena<Strategy>::get();
    for (; iterations > 0; --iterations) {
        fill_and_destroy(arena, size);
    }
}

// Reads a list back.
template <class Strategy>
std::uint64_t checksum() {
    typename Strategy::arena arena;
    numbers<typename Strategy::arena> list(arena.template allocator<int>());
    for (int i = 0; i < 1000; ++i) {
        list.push_back(i);
    }
    std::uint64_t digest = 0;
    for (const int number : list) {
        digest = digest * 31 + static_cast<std::uint64_t>(number);
    }
    return digest;
}

template <class Strategy>
inline constexpr series fresh_lists{.name = "fresh",
                                    .sizes = sizes,
                                    .work = fresh<Strategy>,
                                    .clear = Strategy::give_back,
                                    .fits = is_within,
                                    .peak_iterations = 1};

template <class Strategy>
inline constexpr series kept_lists{.name = "kept",
                                   .sizes = sizes,
                                   .work = kept<Strategy>,
                                   .clear = kept_arena<Strategy>::clear,
                                   .fits = is_within,
                                   .peak_iterations = 2};

template <class Strategy>
inline constexpr series plot[] = {fresh_lists<Strategy>, kept_lists<Strategy>};

template <class Strategy>
    requires(!Strategy::reuses)
inline constexpr series plot<Strategy>[] = {fresh_lists<Strategy>};

template <class Strategy>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::list
