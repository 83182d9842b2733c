#pragma once
// A stack that is set back to where it was, so that all cells since then are freed in constant time: monotonic_resource
// with its scopes.

#include <freehold/memory/monotonic_resource.hpp>

#include "../../uncounted_strategy.hpp"
#include "../freehold_library.hpp"
#include "../memory/from_page_cache.hpp"
#include "../memory/typed_arena.hpp"

namespace lab {

struct strategy : from_page_cache, uncounted {
    static constexpr auto library = freehold_library;
    using arena = typed_arena<freehold::monotonic_resource>;
    static constexpr bool frees = false;

    struct scope : freehold::monotonic_resource::scope {
        explicit scope(arena& from) : freehold::monotonic_resource::scope(from.resource()) {}
    };
};

}  // namespace lab
