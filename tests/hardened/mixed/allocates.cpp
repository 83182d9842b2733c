#include <freehold/memory/small_block_pool.hpp>

void* allocate() { return freehold::small_block_pool::allocate(16); }
