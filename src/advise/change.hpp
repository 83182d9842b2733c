#pragma once
// A change of the program that is replayed: which blocks would be allocated otherwise.

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "steps.hpp"

namespace advise {

struct change {
    way where = as_recorded;
    bool is_of_outgrown = false;             // of the sites' blocks, only those that a larger one has replaced
    std::vector<std::uint32_t> numbers;      // of sites, or of one node of the tree for an arena
    std::vector<std::uint64_t> births = {};  // of the blocks that a larger one has replaced, once they are known

    bool is_of_node(const std::vector<std::uint32_t>& path) const {
        return where == in_arena && std::find(path.begin(), path.end(), numbers.front()) != path.end();
    }
    // `births` are those of the blocks that are outgrown, in order.
    bool is_of_block(std::uint64_t birth) const {
        return !is_of_outgrown || std::binary_search(births.begin(), births.end(), birth);
    }
    bool is_of_site(std::uint32_t site) const {
        return where != in_arena && std::find(numbers.begin(), numbers.end(), site) != numbers.end();
    }
};

// Reads `arena NODE`, `pool SITES…`, `joined SITES…` (into another block) or `reserved SITES…`.
inline change read_change(const std::string& name, std::vector<std::uint32_t> numbers) {
    if (numbers.empty()) throw std::runtime_error(name + " needs numbers");
    if (name == "arena") return {.where = in_arena, .numbers = std::move(numbers)};
    if (name == "pool") return {.where = in_pool, .numbers = std::move(numbers)};
    if (name == "joined") return {.where = left_out, .numbers = std::move(numbers)};
    if (name == "reserved") return {.where = left_out, .is_of_outgrown = true, .numbers = std::move(numbers)};
    throw std::runtime_error("no change is called " + name);
}

}
