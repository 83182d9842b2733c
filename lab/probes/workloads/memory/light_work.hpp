#pragma once
// light-work: 300 MiB of blocks of 16 bytes to 1 KiB are allocated and all freed. Then there is light work for six
// seconds: every 10 ms 200 blocks of four sizes come and go.

#include "steps.hpp"

namespace lab::light_work {

template <class Strategy>
class program {
public:
    static constexpr int filling = 10;
    static constexpr int freeing = 5;
    static constexpr int steps = filling + freeing + 40;

    explicit program(int percent) : percent_(percent), words_(part_of(words_in(300 << 10), percent)) {}

    program(const program&) = delete;
    program& operator=(const program&) = delete;

    ~program() { free_down_to(0); }

    std::size_t step(int number) {
        if (number < filling) {
            fill(done_after(number, filling, words_));
        } else if (number < filling + freeing) {
            free_down_to(words_ - done_after(number - filling, freeing, words_));
        } else {
            beat(15, percent_, [this] { come_and_go(arena_, 200, [](std::size_t i) { return 4 + i % 4 * 8; }); });
        }
        return held_ * sizeof(word);
    }

    std::uint64_t digest() const { return digest_; }

private:
    void fill(std::size_t words) {
        while (held_ < words) {
            const std::size_t more = chain::least_words + random_.below(127);
            blocks_.push(arena_, more);
            held_ += more;
        }
    }

    void free_down_to(std::size_t words) {
        while (held_ > words) {
            const std::size_t freed = blocks_.pop(arena_);
            held_ -= freed;
            digest_ = digest_ * 31 + freed;
        }
    }

    typename Strategy::arena& arena_ = kept_arena<Strategy>::get();
    int percent_;
    std::size_t words_;
    std::size_t held_ = 0;
    std::uint64_t digest_ = 0;
    random_numbers random_{300};
    chain blocks_;
};

template <class Strategy>
inline constexpr series plot[] = {in_steps<Strategy, program<Strategy>>::as("after 300 MiB")};

template <class Strategy>
using of = measured<plot<Strategy>, in_steps<Strategy, program<Strategy>>::checksum>;

}  // namespace lab::light_work
