#pragma once
// mixes: containers of `x` elements are filled and destroyed, each with an arena of its own; or winked out: the arena
// is destroyed, and no destructor of an element is called (P0089).

#include <cstdint>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "../../harness/workload.hpp"
#include "../keep.hpp"
#include "blocks.hpp"

namespace lab::mixes {

inline constexpr int elements[] = {1000};

template <class Arena>
using text = std::basic_string<char, std::char_traits<char>, allocator_of<Arena, char>>;

struct text_hash {
    template <class Text>
    std::size_t operator()(const Text& text) const {
        return std::hash<std::string_view>()(text);
    }
};

// Returns: 24 to 55 characters, more than a string holds without memory of its own.
inline std::string_view random_text(random_numbers& random) {
    static const std::string letters = [] {
        random_numbers random(1);
        std::string letters;
        while (letters.size() < 4096) {
            letters += static_cast<char>('a' + random.below(26));
        }
        return letters;
    }();
    const std::size_t begin = random.below(4000);
    return std::string_view(letters).substr(begin, 24 + random.below(32));
}

template <class Arena>
struct vector_of_strings : std::vector<text<Arena>, allocator_of<Arena, text<Arena>>> {
    vector_of_strings(Arena& arena, int size)
        : std::vector<text<Arena>, allocator_of<Arena, text<Arena>>>(arena.template allocator<text<Arena>>()) {
        random_numbers random(2);
        for (int i = 0; i < size; ++i) {
            this->push_back(text<Arena>(random_text(random), arena.template allocator<char>()));
        }
    }
};

template <class Arena, class T, class Hash>
using unordered_set = std::unordered_set<T, Hash, std::equal_to<T>, allocator_of<Arena, T>>;

template <class Arena>
struct set_of_numbers : unordered_set<Arena, int, std::hash<int>> {
    set_of_numbers(Arena& arena, int size)
        : unordered_set<Arena, int, std::hash<int>>(arena.template allocator<int>()) {
        random_numbers random(3);
        for (int i = 0; i < size; ++i) {
            this->insert(static_cast<int>(random.below(1'000'000)));
        }
    }
};

template <class Arena>
struct set_of_strings : unordered_set<Arena, text<Arena>, text_hash> {
    set_of_strings(Arena& arena, int size)
        : unordered_set<Arena, text<Arena>, text_hash>(arena.template allocator<text<Arena>>()) {
        random_numbers random(4);
        for (int i = 0; i < size; ++i) {
            this->insert(text<Arena>(random_text(random), arena.template allocator<char>()));
        }
    }
};

template <class Arena>
using numbers = std::vector<int, allocator_of<Arena, int>>;

template <class Arena>
struct vector_of_vectors : std::vector<numbers<Arena>, allocator_of<Arena, numbers<Arena>>> {
    vector_of_vectors(Arena& arena, int size)
        : std::vector<numbers<Arena>, allocator_of<Arena, numbers<Arena>>>(arena.template allocator<numbers<Arena>>()) {
        constexpr int inner_size = 20;
        for (int i = 0; i < size; i += inner_size) {
            numbers<Arena> inner(arena.template allocator<int>());
            for (int j = i; j < i + inner_size; ++j) {
                inner.push_back(j);
            }
            this->push_back(std::move(inner));
        }
    }
};

template <class Strategy, template <class> class Container>
void destroyed(int size, long iterations) {
    for (; iterations > 0; --iterations) {
        typename Strategy::arena arena;
        Container<typename Strategy::arena> container(arena, size);
        keep(container);
    }
}

template <class Strategy, template <class> class Container>
void winked_out(int size, long iterations) {
    using container = Container<typename Strategy::arena>;
    for (; iterations > 0; --iterations) {
        typename Strategy::arena arena;
        alignas(container) std::byte storage[sizeof(container)];
        auto& made = *::new (storage) container(arena, size);
        keep(made);
    }
}

template <class Strategy>
std::uint64_t checksum() {
    typename Strategy::arena arena;
    std::uint64_t digest = 0;
    for (const auto& each : vector_of_strings<typename Strategy::arena>(arena, 1000)) {
        digest = digest * 31 + each.size() + static_cast<unsigned char>(each.front());
    }
    for (const auto& each : set_of_strings<typename Strategy::arena>(arena, 1000)) {
        digest += each.size() * static_cast<unsigned char>(each.back());  // in whatever order the set has them
    }
    for (const int number : set_of_numbers<typename Strategy::arena>(arena, 1000)) {
        digest += static_cast<std::uint64_t>(number);
    }
    for (const auto& inner : vector_of_vectors<typename Strategy::arena>(arena, 1000)) {
        digest = digest * 31 + static_cast<std::uint64_t>(inner.back());
    }
    return digest;
}

template <class Strategy, template <class> class Container>
constexpr series destroyed_series(const char* name) {
    return {.name = name, .sizes = elements, .work = destroyed<Strategy, Container>, .clear = Strategy::give_back};
}

template <class Strategy, template <class> class Container>
constexpr series winked_out_series(const char* name) {
    return {.name = name, .sizes = elements, .work = winked_out<Strategy, Container>, .clear = Strategy::give_back};
}

template <class Strategy>
inline constexpr series plot[] = {
    destroyed_series<Strategy, vector_of_strings>("vector of strings"),
    destroyed_series<Strategy, vector_of_vectors>("vector of vectors"),
    destroyed_series<Strategy, set_of_numbers>("set of numbers"),
    destroyed_series<Strategy, set_of_strings>("set of strings"),
};

template <class Strategy>
    requires Strategy::winks_out
inline constexpr series plot<Strategy>[] = {
    destroyed_series<Strategy, vector_of_strings>("vector of strings"),
    winked_out_series<Strategy, vector_of_strings>("vector of strings, winked out"),
    destroyed_series<Strategy, vector_of_vectors>("vector of vectors"),
    winked_out_series<Strategy, vector_of_vectors>("vector of vectors, winked out"),
    destroyed_series<Strategy, set_of_numbers>("set of numbers"),
    winked_out_series<Strategy, set_of_numbers>("set of numbers, winked out"),
    destroyed_series<Strategy, set_of_strings>("set of strings"),
    winked_out_series<Strategy, set_of_strings>("set of strings, winked out"),
};

template <class Strategy>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::mixes
