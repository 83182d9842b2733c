// The slow path of the small-block pool, compiled once: the library freehold::compiled.

#include <freehold/memory/detail/process_pool.hpp>
#include <freehold/memory/small_block_pool.hpp>
