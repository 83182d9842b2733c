#pragma once
// What replay.cpp does again: the calls of one recording, with a small number for each block.

#include <cstdint>

#include "../recorder/kinds.hpp"

namespace advise {

// Where a block is allocated, in a program that follows a piece of advice.
enum way : std::uint8_t {
    as_recorded,
    in_arena,
    in_pool,
    left_out,  // the replay goes by it, so that two replays differ by what the calls take alone
};

struct step {
    std::uint32_t block;
    std::uint32_t size;  // at most 4 GiB
    recorder::kind what;
    std::uint8_t alignment;  // its logarithm
    way where;
    std::uint8_t nothing;
};
static_assert(sizeof(step) == 12);

}
