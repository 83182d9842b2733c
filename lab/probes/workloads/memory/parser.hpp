#pragma once
// parser: documents of 28 MiB are parsed one after the other: a tree of nodes of 16 to 232 bytes is built and dropped.

#include <utility>

#include "steps.hpp"

namespace lab::parser {

template <class Strategy>
class program {
public:
    static constexpr int steps = 60;

    explicit program(int percent) : items_(part_of(3000, percent)) {}

    program(const program&) = delete;
    program& operator=(const program&) = delete;

    ~program() {
        if (document_ != nullptr) {
            drop(document_);
        }
    }

    std::size_t step(int number) {
        if (number % 2 == 0) {
            document_ = build(items_, 3);
        } else {
            drop(std::exchange(document_, nullptr));
        }
        return used_ * sizeof(word);
    }

    std::uint64_t digest() const { return digest_; }

private:
    static constexpr std::size_t parts_of_a_node = 4;
    static constexpr std::size_t header = 2;  // words: the size, and the number of children, which follow

    word* build(std::size_t children, int levels) {
        const std::size_t words = header + children + random_.below(24);
        word* const node = allocate_block(arena_, words, words);
        used_ += words;
        node[1] = children;
        for (std::size_t i = 0; i < children; ++i) {
            word* const child = build(levels > 0 ? parts_of_a_node : 0, levels - 1);
            node[header + i] = reinterpret_cast<word>(child);
        }
        return node;
    }

    void drop(word* node) {
        for (std::size_t i = 0; i < node[1]; ++i) {
            drop(reinterpret_cast<word*>(node[header + i]));
        }
        const std::size_t words = *node;
        digest_ = digest_ * 31 + free_block(arena_, node, words);
        used_ -= words;
    }

    typename Strategy::arena& arena_ = kept_arena<Strategy>::get();
    std::size_t items_;
    std::size_t used_ = 0;
    std::uint64_t digest_ = 0;
    random_numbers random_{60};
    word* document_ = nullptr;
};

template <class Strategy>
inline constexpr series plot[] = {in_steps<Strategy, program<Strategy>>::as("30 documents")};

template <class Strategy>
using of = measured<plot<Strategy>, in_steps<Strategy, program<Strategy>>::checksum>;

}  // namespace lab::parser
