#pragma once
// The library of with_a_library_that_is_unloaded.cpp.

#include <freehold/memory/page_cache.hpp>

namespace builds {

// Effects: does in a thread what needs a handler of forks.
using fork_user = void (*)(freehold::page_cache&);

}  // namespace builds
