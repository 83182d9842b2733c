#pragma once
// survivors: 256 MiB of blocks of 200 bytes are allocated, and freed but for one in each MiB. Then there is light work
// for four seconds: every 10 ms 100 blocks come and go, whose size changes.

#include "steps.hpp"

namespace lab::survivors {

template <class Strategy>
class program {
public:
    static constexpr int filling = 10;
    static constexpr int freeing = 5;
    static constexpr int steps = filling + freeing + 40;

    explicit program(int percent)
        : percent_(percent), blocks_(part_of((std::size_t{256} << 20) / block_bytes, percent)) {}

    program(const program&) = delete;
    program& operator=(const program&) = delete;

    ~program() {
        free_all(survivors_);
        free_all(others_);
    }

    std::size_t step(int number) {
        if (number < filling) {
            fill(done_after(number, filling, blocks_));
        } else if (number < filling + freeing) {
            const std::size_t freed = done_after(number - filling, freeing, blocks_);
            while (!others_.empty() && freed_ < freed) {
                free_oldest(others_);
            }
        } else {
            beat(10, percent_, [this] { work_lightly(); });
        }
        return (made_ - freed_) * block_bytes;
    }

    std::uint64_t digest() const { return made_ * 31 + freed_; }

private:
    static constexpr std::size_t block_bytes = 200;
    static constexpr std::size_t of_each_mebibyte = (1 << 20) / block_bytes;

    void fill(std::size_t blocks) {
        for (; made_ < blocks; ++made_) {
            (made_ % of_each_mebibyte == of_each_mebibyte / 2 ? survivors_ : others_)
                .push(arena_, block_bytes / sizeof(word));
        }
    }

    void free_oldest(chain& of) {
        of.pop(arena_);
        ++freed_;
    }

    void free_all(chain& of) {
        while (!of.empty()) {
            free_oldest(of);
        }
    }

    void work_lightly() {
        const std::size_t words = chain::least_words + ++worked_ * 7 % 375;
        come_and_go(arena_, 100, [words](std::size_t) { return words; });
    }

    typename Strategy::arena& arena_ = kept_arena<Strategy>::get();
    int percent_;
    std::size_t blocks_;
    std::size_t made_ = 0;
    std::size_t freed_ = 0;
    std::size_t worked_ = 0;
    chain survivors_;
    chain others_;
};

template <class Strategy>
inline constexpr series plot[] = {in_steps<Strategy, program<Strategy>>::as("one in each MiB")};

template <class Strategy>
using of = measured<plot<Strategy>, in_steps<Strategy, program<Strategy>>::checksum>;

}  // namespace lab::survivors
