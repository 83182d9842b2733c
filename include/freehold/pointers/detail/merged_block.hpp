#pragma once
// How the block ends whose count was merged when no owner was left.

#include "../../counting/biased_counting.hpp"
#include "control_block.hpp"

namespace freehold {

template <biased_policy Counting>
struct end_of_merged {
    static void run(shared_count<Counting>& count) noexcept { detail::control_block<Counting>::end_merged(count); }
};

}  // namespace freehold
