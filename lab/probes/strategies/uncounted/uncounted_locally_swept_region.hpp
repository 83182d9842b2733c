#pragma once
// A marked region that is swept locally: from where allocation was before the lists that have just died, so that their
// cells are reused at once.

#include <freehold/memory/region_resource.hpp>

#include "../../uncounted_strategy.hpp"
#include "../freehold_library.hpp"
#include "../memory/from_page_cache.hpp"
#include "../memory/typed_arena.hpp"

namespace lab {

struct strategy : from_page_cache, uncounted {
    static constexpr auto library = freehold_library;
    using arena = typed_arena<freehold::region_resource>;

    class scope {
    public:
        explicit scope(arena& from) : resource_(from.resource()), begin_(resource_.mark()) {}
        ~scope() { resource_.sweep_to(begin_); }

    private:
        freehold::region_resource& resource_;
        freehold::region_resource::marker begin_;
    };
};

}  // namespace lab
