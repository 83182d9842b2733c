#pragma once
// phases: `x` KiB are alive, in blocks whose sizes change from phase to phase. In a phase as many bytes are freed as
// are alive, the older ones first, and replaced.

#include <array>
#include <cstdint>
#include <memory>

#include "../../harness/workload.hpp"
#include "chain.hpp"

namespace lab::phases {

inline constexpr int kibibytes[] = {1024, 8192, 49'152};
inline constexpr long phases = 24;

template <class Strategy>
class server {
public:
    explicit server(int live) : live_words_(words_in(live)) { fill(); }

    server(const server&) = delete;
    server& operator=(const server&) = delete;

    ~server() { free_all(); }

    void run_phase() {
        ++phase_;
        for (std::size_t freed = 0; freed < live_words_;) {
            chain& chosen = any_chain();
            if (!chosen.empty()) {
                freed += free_oldest(chosen);
                fill();
            }
        }
    }

    void free_all() {
        for (chain& each : chains_) {
            while (!each.empty()) {
                free_oldest(each);
            }
        }
    }

    std::uint64_t digest() const { return digest_; }

private:
    void fill() {
        while (held_words_ < live_words_) {
            const std::size_t words = next_words();
            any_chain().push(arena_, words);
            held_words_ += words;
        }
    }

    // Most blocks of a phase have up to twice the size of the others, from 16 bytes to 4 KiB; one in eight has any.
    std::size_t next_words() {
        constexpr std::size_t doublings = 8;
        const std::size_t doubled = random_.below(8) == 0 ? random_.below(doublings) : phase_ * 5 % doublings;
        const std::size_t least = chain::least_words << doubled;
        return least + random_.below(least);
    }

    std::size_t free_oldest(chain& chosen) {
        const std::size_t words = chosen.pop(arena_);
        held_words_ -= words;
        digest_ = digest_ * 31 + words;
        return words;
    }

    chain& any_chain() { return chains_[random_.below(chains_.size())]; }

    typename Strategy::arena& arena_ = kept_arena<Strategy>::get();
    random_numbers random_{24};
    std::array<chain, 64> chains_;
    std::size_t live_words_;
    std::size_t held_words_ = 0;
    std::size_t phase_ = 0;
    std::uint64_t digest_ = 0;
};

template <class Strategy>
struct kept_server {
    static inline std::unique_ptr<server<Strategy>> it;

    // Beyond the first phase, whose blocks are all in fresh memory.
    static void start(int live) {
        it = std::make_unique<server<Strategy>>(live);
        it->run_phase();
    }

    static void rest() {
        it->free_all();
        kept_arena<Strategy>::rest();
    }

    static void clear() {
        it.reset();
        kept_arena<Strategy>::clear();
    }
};

template <class Strategy>
void run(int, long iterations) {
    for (; iterations > 0; --iterations) {
        kept_server<Strategy>::it->run_phase();
    }
}

template <class Strategy>
std::uint64_t checksum() {
    kept_server<Strategy>::start(1024);
    run<Strategy>(1024, 2);
    const std::uint64_t digest = kept_server<Strategy>::it->digest();
    kept_server<Strategy>::clear();
    return digest;
}

template <class Strategy>
inline constexpr series plot[] = {{.name = "sizes change",
                                   .sizes = kibibytes,
                                   .work = run<Strategy>,
                                   .once = true,
                                   .prepare = kept_server<Strategy>::start,
                                   .clear = kept_server<Strategy>::clear,
                                   .fits = takes_no_longer,
                                   .peak_iterations = phases,
                                   .rest = kept_server<Strategy>::rest}};

template <class Strategy>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::phases
