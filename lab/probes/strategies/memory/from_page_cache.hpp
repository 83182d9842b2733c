#pragma once
// Resources that have their memory from the shared page cache, which keeps what comes back for a while.

#include <freehold/memory/page_cache.hpp>

#include "../../memory_strategy.hpp"

namespace lab {

struct from_page_cache : allocating {
    static void give_back() { freehold::page_cache::shared().trim(); }
};

}  // namespace lab
