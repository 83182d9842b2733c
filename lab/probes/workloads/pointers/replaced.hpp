#pragma once
// replaced: `x` threads read the object that one pointer leads to, over and over, as a server's threads read its
// settings. After every 1'000 reads the first of them replaces the object by a new one.
//
// The thread that replaces reads as well, so that every run does the same work, in no more threads than there are
// processors.

#include <atomic>
#include <cstdint>
#include <optional>

#include "../keep.hpp"
#include "harness/threads.hpp"
#include "harness/workload.hpp"
#include "pointer_strategy.hpp"
#include "replaced_object.hpp"

namespace lab::replaced {

inline constexpr long reads_per_replacement = 1000;

template <class Strategy>
struct kept {
    static inline std::optional<typename Strategy::template pointer<settings<Strategy>>> current;
    static inline std::uint64_t version;
    static inline std::atomic<long> sound;

    static void begin() {
        if (!current) {
            version = 0;
            Strategy::replace(current.emplace(), version);
        }
    }

    static void clear() {
        if (current) Strategy::release(*current);
        current.reset();
    }

    static void count_read(int thread, long done) {
        if (thread == 0 && done % reads_per_replacement == 0) {
            Strategy::replace(*current, ++version);
        }
    }

    static void read(int thread, long reads) {
        decltype(auto) source = reader_of<Strategy>(*current);
        for (long done = 1; done <= reads; ++done) {
            const auto seen = Strategy::load(source);
            std::uint64_t content = (*seen).version;
            keep(content);
            count_read(thread, done);
        }
    }

    // Counts the reads that find an object which is whole, and no older than the one before.
    static void verify(int thread, long reads) {
        std::uint64_t known = 0;
        decltype(auto) source = reader_of<Strategy>(*current);
        for (long done = 1; done <= reads; ++done) {
            const auto seen = Strategy::load(source);
            sound += (*seen).is_sound(known);
            count_read(thread, done);
        }
    }
};

// What a read takes when nobody is in its way can be counted.
template <class Strategy>
void alone(int, long iterations) {
    kept<Strategy>::begin();
    kept<Strategy>::read(0, iterations);
}

template <class Strategy>
void at_once(int threads, long iterations) {
    kept<Strategy>::begin();
    run_in_threads(threads, kept<Strategy>::read, iterations);
}

template <class Strategy>
std::uint64_t checksum() {
    using kept = replaced::kept<Strategy>;
    kept::begin();
    kept::version = 0;
    kept::sound = 0;
    run_in_threads(2, kept::verify, 10'000);
    const std::uint64_t found = static_cast<std::uint64_t>(kept::sound) * 1000 + kept::version;
    kept::clear();
    return found;
}

template <class Strategy>
inline constexpr series plot[] = {
    {.name = "read", .sizes = one_thread, .work = alone<Strategy>, .clear = kept<Strategy>::clear},
    {.name = "read",
     .sizes = several_threads,
     .work = at_once<Strategy>,
     .measured_by = clock::wall,
     .clear = kept<Strategy>::clear,
     .fits = has_processors},
};

template <class Strategy>
    requires replaces<Strategy>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::replaced
