#pragma once
// traced_heap, which finds by marking what can no longer be reached.

#include "../../workloads/pointers/queens/traced.hpp"
#include "../freehold_library.hpp"

namespace lab {

struct strategy {
    static constexpr auto library = freehold_library;
    using program = queens::traced;
};

}  // namespace lab
