#pragma once
// hand-over: one thread allocates `x` KiB, frees them and idles; then another one allocates as much.

#include <cstdint>
#include <optional>
#include <semaphore>
#include <thread>

#include "../../harness/workload.hpp"
#include "chain.hpp"

namespace lab::hand_over {

inline constexpr int kibibytes[] = {1024, 8192, 102'400};

// A thread that fills and frees when it is told to, and idles meanwhile.
template <class Strategy>
class side {
public:
    void fill(int live) {
        live_words_ = words_in(live);
        take_turn();
    }

    void free_all() {
        live_words_ = 0;
        take_turn();
    }

    side() = default;
    side(const side&) = delete;
    side& operator=(const side&) = delete;

    ~side() {
        free_all();
        ending_ = true;
        turn_.release();
        thread_.join();
    }

    std::uint64_t digest() const { return digest_; }

private:
    void take_turn() {
        turn_.release();
        done_.acquire();
    }

    void work() {
        auto& arena = *kept_arena<Strategy>::arena;
        for (turn_.acquire(); !ending_; turn_.acquire()) {
            while (held_words_ < live_words_) {
                const std::size_t words = chain::least_words + random_.below(128);
                blocks_.push(arena, words);
                held_words_ += words;
            }
            while (live_words_ == 0 && !blocks_.empty()) {
                const std::size_t words = blocks_.pop(arena);
                held_words_ -= words;
                digest_ = digest_ * 31 + words;
            }
            done_.release();
        }
    }

    chain blocks_;
    random_numbers random_{100};
    std::size_t live_words_ = 0;
    std::size_t held_words_ = 0;
    std::uint64_t digest_ = 0;
    bool ending_ = false;
    std::binary_semaphore turn_{0};
    std::binary_semaphore done_{0};
    std::thread thread_{[this] { work(); }};  // last, as it uses the others
};

template <class Strategy>
struct both {
    side<Strategy> first;
    side<Strategy> second;
};

template <class Strategy>
struct kept_sides {
    static inline std::optional<both<Strategy>> sides;

    static void start(int) {
        kept_arena<Strategy>::get();  // before there are threads
        sides.emplace();
    }

    static void rest() {
        sides->second.free_all();
        kept_arena<Strategy>::rest();
    }

    static void clear() {
        sides.reset();
        kept_arena<Strategy>::clear();
    }
};

template <class Strategy>
void run(int live, long iterations) {
    auto& [first, second] = *kept_sides<Strategy>::sides;
    for (; iterations > 0; --iterations) {
        second.free_all();
        first.fill(live);
        first.free_all();
        second.fill(live);
    }
}

template <class Strategy>
std::uint64_t checksum() {
    kept_sides<Strategy>::start(0);
    run<Strategy>(1024, 2);
    const std::uint64_t digest =
        kept_sides<Strategy>::sides->first.digest() + kept_sides<Strategy>::sides->second.digest();
    kept_sides<Strategy>::clear();
    return digest;
}

template <class Strategy>
inline constexpr series plot[] = {{.name = "16 bytes to 1 KiB",
                                   .sizes = kibibytes,
                                   .work = run<Strategy>,
                                   .once = true,
                                   .prepare = kept_sides<Strategy>::start,
                                   .measured_by = clock::wall,
                                   .clear = kept_sides<Strategy>::clear,
                                   .fits = takes_no_longer,
                                   .peak_iterations = 1,
                                   .rest = kept_sides<Strategy>::rest}};

template <class Strategy>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::hand_over
