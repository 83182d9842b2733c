#pragma once
// reuse: a hundred vectors of 16 strings, one after the other, each with an arena of its own (seed 004). Arenas that
// can have their memory from a buffer share one of 2'000 bytes, and there is none beyond it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../../harness/workload.hpp"
#include "../../memory_strategy.hpp"
#include "../keep.hpp"

namespace lab::reuse {

inline constexpr int vectors[] = {100};
inline std::byte buffer[2000];

template <class Strategy>
auto make_arena() {
    if constexpr (requires { typename Strategy::buffer_arena; }) {
        return typename Strategy::buffer_arena(buffer, sizeof(buffer));
    } else {
        return typename Strategy::arena();
    }
}

// Fills a vector with strings. Returns the number of characters in it.
template <class Strategy>
std::uint64_t fill_vector() {
    auto arena = make_arena<Strategy>();
    using arena_type = decltype(arena);
    using text = std::basic_string<char, std::char_traits<char>, allocator_of<arena_type, char>>;
    std::vector<text, allocator_of<arena_type, text>> texts(arena.template allocator<text>());
    std::uint64_t characters = 0;
    for (int i = 0; i < 16; ++i) {
        texts.push_back(text("fourteen chars", arena.template allocator<char>()));
        characters += texts.back().size();
    }
    keep(texts);
    return characters;
}

template <class Strategy>
void run(int size, long iterations) {
    for (long left = iterations * size; left > 0; --left) {
        fill_vector<Strategy>();
    }
}

template <class Strategy>
inline constexpr series plot[] = {{.name = "vectors of strings",
                                   .sizes = vectors,
                                   .work = run<Strategy>,
                                   .clear = Strategy::give_back,
                                   .peak_iterations = 1}};

template <class Strategy>
using of = measured<plot<Strategy>, fill_vector<Strategy>>;

}  // namespace lab::reuse
