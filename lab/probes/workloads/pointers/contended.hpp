#pragma once
// contended: `x` threads copy one pointer and destroy the copy, over and over. The pointer that they copy lives on.

#include <atomic>
#include <concepts>
#include <cstdint>
#include <optional>

#include "../keep.hpp"
#include "harness/threads.hpp"
#include "harness/workload.hpp"
#include "pointer_strategy.hpp"

namespace lab::contended {

template <class Strategy>
struct shared_object : Strategy::template base<shared_object<Strategy>> {
    std::uint64_t version = 7;
};

template <class Strategy>
struct kept {
    static inline std::optional<typename Strategy::template pointer<shared_object<Strategy>>> owner;
    static inline std::atomic<std::uint64_t> sum;

    static void begin() {
        if (!owner) owner = make_owner<Strategy, shared_object<Strategy>>();
    }

    static void clear() { owner.reset(); }

    static void copy(int, long copies) {
        for (; copies > 0; --copies) {
            auto mine = *owner;
            keep(mine);
        }
    }

    static void add(int, long copies) {
        std::uint64_t found = 0;
        for (; copies > 0; --copies) {
            const auto mine = *owner;
            found += (*mine).version;
        }
        sum += found;
    }
};

// What a copy takes when no other thread makes one can be counted.
template <class Strategy>
void alone(int, long iterations) {
    kept<Strategy>::begin();
    kept<Strategy>::copy(0, iterations);
}

template <class Strategy>
void at_once(int threads, long iterations) {
    kept<Strategy>::begin();
    run_in_threads(threads, kept<Strategy>::copy, iterations);
}

template <class Strategy>
std::uint64_t checksum() {
    kept<Strategy>::begin();
    kept<Strategy>::sum = 0;
    run_in_threads(2, kept<Strategy>::add, 10'000);
    kept<Strategy>::clear();
    return kept<Strategy>::sum;
}

template <class Strategy>
inline constexpr series plot[] = {
    {.name = "copy", .sizes = one_thread, .work = alone<Strategy>, .clear = kept<Strategy>::clear},
    {.name = "copy",
     .sizes = several_threads,
     .work = at_once<Strategy>,
     .measured_by = clock::wall,
     .clear = kept<Strategy>::clear,
     .fits = has_processors},
};

template <class Strategy>
    requires(Strategy::shares && std::copy_constructible<typename Strategy::template pointer<shared_object<Strategy>>>)
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::contended
