#pragma once
// sparse: buffers are allocated, the first 1,000 bytes of each are written, and all are freed, with pauses of 20 ms.

#include <algorithm>
#include <vector>

#include "steps.hpp"

namespace lab::sparse {

template <class Strategy, std::size_t Bytes, std::size_t Buffers>
class program {
public:
    static constexpr int filling = 20;
    static constexpr int freeing = 10;
    static constexpr int steps = filling + freeing;

    explicit program(int percent) : percent_(percent), buffers_(part_of(Buffers, percent)) { held_.reserve(buffers_); }

    program(const program&) = delete;
    program& operator=(const program&) = delete;

    ~program() { free_down_to(0); }

    std::size_t step(int number) {
        if (number < filling) {
            fill(done_after(number, filling, buffers_));
        } else {
            free_down_to(buffers_ - done_after(number - filling, freeing, buffers_));
        }
        beat(2, percent_, [] {});
        return held_.size() * written_words * sizeof(word);
    }

    std::uint64_t digest() const { return digest_; }

private:
    static constexpr std::size_t words = Bytes / sizeof(word);
    static constexpr std::size_t written_words = 1000 / sizeof(word);

    void fill(std::size_t buffers) {
        while (held_.size() < buffers) {
            held_.push_back(allocate_block(arena_, words, held_.size()));
            std::fill_n(held_.back() + 1, written_words - 1, held_.size());
        }
    }

    void free_down_to(std::size_t buffers) {
        while (held_.size() > buffers) {
            digest_ = digest_ * 31 + held_.back()[written_words - 1];
            digest_ += free_block(arena_, held_.back(), words);
            held_.pop_back();
        }
    }

    typename Strategy::arena& arena_ = kept_arena<Strategy>::get();
    int percent_;
    std::size_t buffers_;
    std::vector<word*> held_;
    std::uint64_t digest_ = 0;
};

template <class Strategy>
using large = in_steps<Strategy, program<Strategy, 400'000, 1000>>;
template <class Strategy>
using medium = in_steps<Strategy, program<Strategy, 65'536, 4000>>;
template <class Strategy>
using small = in_steps<Strategy, program<Strategy, 20'000, 10'000>>;

template <class Strategy>
std::uint64_t checksum() {
    return large<Strategy>::checksum() + medium<Strategy>::checksum() + small<Strategy>::checksum();
}

template <class Strategy>
inline constexpr series plot[] = {large<Strategy>::as("1,000 of 400 kB"), medium<Strategy>::as("4,000 of 64 KiB"),
                                  small<Strategy>::as("10,000 of 20 kB")};

template <class Strategy>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::sparse
