#include <freehold/memory/small_block_pool.hpp>

void* allocate();

int main() { freehold::small_block_pool::deallocate(allocate(), 16); }
