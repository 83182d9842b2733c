#pragma once
// What replay.cpp does again: the calls of one recording, with a small number for each block.

#include <cstdint>

#include "../recorder/kinds.hpp"

namespace advise {

struct step {
    std::uint32_t block;
    std::uint32_t size;  // at most 4 GiB
    recorder::kind what;
    std::uint8_t alignment;  // its logarithm
    std::uint8_t is_in_arena;
    std::uint8_t nothing;
};
static_assert(sizeof(step) == 12);

}
