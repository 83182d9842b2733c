// The slow path of the small-block pool, compiled once: the library freehold::compiled.

#include <freehold/memory/small_block_pool.hpp>

// After the declarations, whose attributes clang++ wants to see before the definitions.
#include <freehold/memory/detail/process_pool.hpp>
