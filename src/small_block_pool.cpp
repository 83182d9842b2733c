// The slow path of the small-block pool, compiled once, and its heap profile: the library freehold::compiled.

#include <freehold/memory/heap_profile.hpp>
#include <freehold/memory/small_block_pool.hpp>

// After the declarations, whose attributes clang++ wants to see before the definitions.
#include <freehold/memory/detail/process_pool.hpp>

namespace {

[[maybe_unused]] const bool has_profile = freehold::heap_profile::start();

}  // namespace
