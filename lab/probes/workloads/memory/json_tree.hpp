#pragma once
// json-tree: a tree of `x` values as a JSON library keeps them is built, read and destroyed: numbers, strings, arrays,
// and objects with keys that are strings.

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../../harness/workload.hpp"
#include "../keep.hpp"
#include "blocks.hpp"

namespace lab::json_tree {

inline constexpr int values[] = {500, 20'000};

template <class Arena>
struct value {
    template <class T>
    using vector = std::vector<T, allocator_of<Arena, T>>;
    using text = std::basic_string<char, std::char_traits<char>, allocator_of<Arena, char>>;
    using array = vector<value>;
    using object = vector<std::pair<text, value>>;

    std::variant<double, text, array, object> content;
};

// Builds values until so many were built, beginning with an object.
template <class Arena>
class builder {
public:
    using node = value<Arena>;

    builder(Arena& arena, int values) : arena_(arena), left_(values) {}

    node build() {
        typename node::array all(arena_.template allocator<node>());
        while (left_ > 0) {
            all.push_back(build_one(0));
        }
        return {std::move(all)};
    }

private:
    static constexpr int deepest = 8;

    node build_one(int depth) {
        --left_;
        const std::size_t kind = random_.below(depth < deepest ? 6 : 4);
        if (kind < 2) {
            return {static_cast<double>(random_.below(1'000'000))};
        }
        if (kind < 4) {
            return {some_text(1 + random_.below(48))};
        }
        const std::size_t length = random_.below(12);
        if (kind == 4) {
            typename node::array made(arena_.template allocator<node>());
            for (std::size_t i = 0; i < length && left_ > 0; ++i) {
                made.push_back(build_one(depth + 1));
            }
            return {std::move(made)};
        }
        typename node::object made(arena_.template allocator<typename node::object::value_type>());
        for (std::size_t i = 0; i < length && left_ > 0; ++i) {
            auto key = some_text(4 + random_.below(20));
            made.emplace_back(std::move(key), build_one(depth + 1));
        }
        return {std::move(made)};
    }

    typename node::text some_text(std::size_t length) {
        const char letter = static_cast<char>('a' + random_.below(26));
        return typename node::text(length, letter, arena_.template allocator<char>());
    }

    Arena& arena_;
    random_numbers random_{8259};
    int left_;
};

// Reads all that is below.
template <class Arena>
std::uint64_t digest_of(const value<Arena>& read) {
    using node = value<Arena>;
    const auto& content = read.content;
    if (const auto* number = std::get_if<double>(&content)) {
        return static_cast<std::uint64_t>(*number);
    }
    if (const auto* text = std::get_if<typename node::text>(&content)) {
        return text->size() * static_cast<unsigned char>(text->front());
    }
    std::uint64_t digest = 7;
    if (const auto* array = std::get_if<typename node::array>(&content)) {
        for (const node& each : *array) {
            digest = digest * 31 + digest_of(each);
        }
        return digest;
    }
    for (const auto& [key, each] : std::get<typename node::object>(content)) {
        digest = digest * 31 + key.size() * static_cast<unsigned char>(key.back()) + digest_of(each);
    }
    return digest;
}

template <class Strategy>
std::uint64_t run_once(int values) {
    auto& arena = kept_arena<Strategy>::get();
    const auto tree = builder(arena, values).build();
    return digest_of(tree);
}

template <class Strategy>
void run(int values, long iterations) {
    for (; iterations > 0; --iterations) {
        std::uint64_t digest = run_once<Strategy>(values);
        keep(digest);
    }
}

template <class Strategy>
std::uint64_t checksum() {
    const std::uint64_t digest = run_once<Strategy>(1000);
    kept_arena<Strategy>::clear();
    return digest;
}

template <class Strategy>
inline constexpr series plot[] = {{.name = "built, read and destroyed",
                                   .sizes = values,
                                   .work = run<Strategy>,
                                   .clear = kept_arena<Strategy>::clear,
                                   .fits = is_within,
                                   .peak_iterations = 2,
                                   .rest = kept_arena<Strategy>::rest}};

template <class Strategy>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::json_tree
