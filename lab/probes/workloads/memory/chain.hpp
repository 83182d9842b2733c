#pragma once
// Blocks in the order of their allocation, linked through themselves: what holds them takes no memory of its own.

#include <cstddef>

#include "blocks.hpp"

namespace lab {

inline std::size_t words_in(int kibibytes) { return static_cast<std::size_t>(kibibytes) * 1024 / sizeof(word); }

// Whether so many KiB are for that scale: a MiB is for any, and a workload alone has time for a hundred.
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
        block[0] = 0;
        block[1] = words;
        if (first_ == nullptr) {
            first_ = block;
        } else {
            last_[0] = reinterpret_cast<word>(block);
        }
        last_ = block;
    }

    // Frees the oldest block. Returns: its words.
    template <class Arena>
    std::size_t pop(Arena& arena) {
        word* const block = first_;
        const std::size_t words = block[1];
        first_ = reinterpret_cast<word*>(block[0]);
        arena.template allocator<word>().deallocate(block, words);
        return words;
    }

    bool empty() const { return first_ == nullptr; }

private:
    word* first_ = nullptr;
    word* last_ = nullptr;
};

}  // namespace lab
