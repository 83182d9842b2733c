// Says whether two blocks that are freed and allocated in turn come from the list of the thread: then they are the
// same.

#include <freehold/memory/small_block_pool.hpp>

#include <cstdio>

int main() {
    void* const first = freehold::small_block_pool::allocate(40);
    freehold::small_block_pool::deallocate(first, 40);
    void* const second = freehold::small_block_pool::allocate(40);
    std::puts(first == second ? "fast" : "slow");
    freehold::small_block_pool::deallocate(second, 40);
}
