#pragma once
// stepping_counting: a policy each of whose operations is a step of an interleaving. Repeats can be made as well.

#include <freehold/counting/plain_counting.hpp>

#include "interleaving.hpp"
#include "repeated_counting.hpp"

namespace support {

struct stepping_counting {
    using count_word = freehold::count_word;
    using operations = repeated_counting<freehold::plain_counting>;

    static constexpr bool concurrent = true;

    template <class Rare>
    static void increase(count_word& word, count_word n, Rare rare) noexcept {
        interleaving::step();
        operations::increase(word, n, rare);
    }

    template <class Rare>
    static void decrease(count_word& word, count_word n, Rare rare) noexcept {
        interleaving::step();
        operations::decrease(word, n, rare);
    }

    static bool decrease_to(count_word& word, count_word n, count_word end) noexcept {
        interleaving::step();
        return operations::decrease_to(word, n, end);
    }

    [[nodiscard]] static count_word observe(const count_word& word) noexcept {
        interleaving::step();
        return operations::observe(word);
    }

    [[nodiscard]] static count_word fetch_add(count_word& word, count_word /*seen*/, count_word n) noexcept {
        interleaving::step();
        return operations::fetch_add(word, word, n);
    }

    static bool replace(count_word& word, count_word& seen, count_word value) noexcept {
        interleaving::step();
        return operations::replace(word, seen, value);
    }

    static void store(count_word& word, count_word value) noexcept {
        interleaving::step();
        operations::store(word, value);
    }
};

}  // namespace support
