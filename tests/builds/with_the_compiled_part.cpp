// Freehold in a program that links freehold::compiled, which brings the slow path of the small-block pool.

#ifndef FREEHOLD_COMPILED
#error "This program must link freehold::compiled."
#endif

#include <freehold/memory/small_block_pool.hpp>
#include <freehold/pointers/make_shared.hpp>

#include <cstddef>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

using freehold::small_block_pool;

// More than one slab of them.
constexpr int count = 10'000;

std::vector<freehold::shared_ptr<int>> make_many() {
    std::vector<freehold::shared_ptr<int>> made;
    for (int i = 0; i < count; ++i) made.push_back(freehold::make_shared<int>(i));
    return made;
}

}  // namespace

int main() {
    // Every size, so that each list is filled once.
    for (std::size_t bytes = 1; bytes <= small_block_pool::largest; ++bytes) {
        // A block that is sampled is elsewhere than the others, but not each time.
        bool is_the_same = false;
        for (int tries = 0; tries < 3 && !is_the_same; ++tries) {
            void* const block = small_block_pool::allocate(bytes);
            std::memset(block, 1, bytes);
            small_block_pool::deallocate(block, bytes);
            void* const next = small_block_pool::try_allocate(bytes);
            is_the_same = next == block;
            small_block_pool::deallocate(next, bytes);
        }
        CHECK(is_the_same);
    }

    // Blocks that another thread frees, and those of a thread that has ended.
    std::vector<freehold::shared_ptr<int>> mine = make_many();
    std::vector<freehold::shared_ptr<int>> theirs;
    std::thread([&] {
        theirs = make_many();
        std::exchange(mine, {});
    }).join();
    for (int i = 0; i < count; ++i) CHECK(*theirs[static_cast<std::size_t>(i)] == i);
    theirs.clear();
    CHECK(*make_many().back() == count - 1);
}
