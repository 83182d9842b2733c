#pragma once
// new_delete_resource: operator new, and plain where its alignment is enough.

#include <freehold/memory/new_delete_resource.hpp>

#include "../../memory_strategy.hpp"
#include "../freehold_library.hpp"
#include "typed_arena.hpp"

namespace lab {

struct strategy : allocating {
    static constexpr auto library = freehold_library;
    using arena = typed_arena<freehold::new_delete_resource>;
};

}  // namespace lab
