#pragma once
// The limits of hazard pointers and RCU in a program. The tests have smaller ones.

#include <cstddef>
#include <cstdint>

#include "../../core/threading.hpp"

namespace freehold::detail {

struct reclamation_threading : process_threading {
    static constexpr std::uint64_t fence_period = 16'384;  // a heavy fence in fewer than one retirement in 10,000
    static constexpr std::uint64_t chunk = 256;            // retirements between two entries in the shared ledger
    static constexpr std::size_t lane_count = 16;
    static constexpr int weight_bits = 20;  // of a word with the number of examinations above
    static constexpr bool is_first_group_in_place = true;
};

}  // namespace freehold::detail
