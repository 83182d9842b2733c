#pragma once
// tallied_counting: a policy that writes down how often a count was changed.

#include <freehold/counting/plain_counting.hpp>

namespace support {

struct tallied_counting : freehold::plain_counting {
    static inline int changes = 0;

    template <class Rare>
    static void increase(freehold::count_word& word, freehold::count_word n, Rare rare) noexcept {
        ++changes;
        plain_counting::increase(word, n, rare);
    }

    template <class Rare>
    static void decrease(freehold::count_word& word, freehold::count_word n, Rare rare) noexcept {
        ++changes;
        plain_counting::decrease(word, n, rare);
    }

    static bool decrease_to(freehold::count_word& word, freehold::count_word n, freehold::count_word end) noexcept {
        ++changes;
        return plain_counting::decrease_to(word, n, end);
    }

    static freehold::count_word fetch_add(freehold::count_word& word, freehold::count_word seen,
                                          freehold::count_word n) noexcept {
        ++changes;
        return plain_counting::fetch_add(word, seen, n);
    }

    static bool replace(freehold::count_word& word, freehold::count_word& seen, freehold::count_word value) noexcept {
        ++changes;
        return plain_counting::replace(word, seen, value);
    }

    static void store(freehold::count_word& word, freehold::count_word value) noexcept {
        ++changes;
        plain_counting::store(word, value);
    }
};

}  // namespace support
