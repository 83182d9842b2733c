#pragma once
// Blocks in the order of their allocation, linked through themselves: what holds them takes no memory of its own.

#include <cstddef>

#include "blocks.hpp"

namespace lab {

inline std::size_t words_in(int kibibytes) { return static_cast<std::size_t>(kibibytes) * 1024 / sizeof(word); }

// Whether a run at that scale works with this number of KiB: a MiB is for any, and a workload alone has time for a
// hundred.
inline bool takes_no_longer(int kibibytes, int scale) { return kibibytes <= 1024 || 8 * kibibytes <= scale; }

class chain {
public:
    static constexpr std::size_t least_words = 2;

    // Allocates a block, and writes to each page of it, so that it is present.
    template <class Arena>
    void push(Arena& arena, std::size_t words) {
        constexpr std::size_t page_words = 4096 / sizeof(word);
        word* const block = arena.template allocator<word>().allocate(words);
        for (std::size_t at = page_words; at < words; at += page_words) {
            block[at] = at;
        }
        block[1] = words;
        append(block);
    }

    // Takes a block over that another chain has handed out.
    void append(word* block) {
        block[0] = 0;
        if (first_ == nullptr) {
            first_ = block;
        } else {
            last_[0] = reinterpret_cast<word>(block);
        }
        last_ = block;
    }

    // Hands the oldest block out.
    word* take() {
        word* const block = first_;
        first_ = reinterpret_cast<word*>(block[0]);
        return block;
    }

    static std::size_t words_of(const word* block) { return block[1]; }

    // Frees the oldest block. Returns: its words.
    template <class Arena>
    std::size_t pop(Arena& arena) {
        word* const block = take();
        const std::size_t words = words_of(block);
        arena.template allocator<word>().deallocate(block, words);
        return words;
    }

    bool empty() const { return first_ == nullptr; }

private:
    word* first_ = nullptr;
    word* last_ = nullptr;
};

}  // namespace lab
