#pragma once
// std::shared_ptr with its object housed beside the count (std::make_shared): the reference of every ratio.

#include "standard_library.hpp"
#include "std_made.hpp"

namespace lab {

struct strategy : std_made {
    static constexpr auto library = standard_library;
};

}  // namespace lab
