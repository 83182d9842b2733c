// No pool takes a block back twice: an assertion, or AddressSanitizer, says so.

#include <freehold/core/annotate.hpp>
#include <freehold/memory/concurrent_pool_resource.hpp>
#include <freehold/memory/detail/end_of_use.hpp>
#include <freehold/memory/pool_resource.hpp>
#include <freehold/memory/region_resource.hpp>
#include <freehold/memory/run_length_resource.hpp>
#include <freehold/memory/small_block_pool.hpp>

#include <cstddef>
#include <vector>

#include "support/precondition.hpp"

#ifdef FREEHOLD_ADDRESS_SANITIZER
#define EXPECT_FREED_TWICE(statement) EXPECT_DEATH(statement, "use-after-poison")
#else
#define EXPECT_FREED_TWICE(statement) EXPECT_PRECONDITION(statement, "(.|\n)*a block is freed twice")
#endif

namespace {

struct small_blocks {
    static void* allocate(std::size_t bytes) { return freehold::small_block_pool::allocate(bytes); }
    static void deallocate(void* block, std::size_t bytes) { freehold::small_block_pool::deallocate(block, bytes); }
};

template <class T>
class freed_twice_death : public testing::Test {
protected:
    void free(std::size_t index) { resource.deallocate(blocks[index], 40); }

    T resource;
    std::vector<void*> blocks = [this] {
        std::vector<void*> made;
        for (int i = 0; i < 8; ++i) made.push_back(resource.allocate(40));
        return made;
    }();
};

using pools = testing::Types<small_blocks, freehold::concurrent_pool_resource, freehold::pool_resource,
                             freehold::run_length_resource, freehold::region_resource>;
TYPED_TEST_SUITE(freed_twice_death, pools);

#ifdef FREEHOLD_MARKS_FREED

template <class T>
class freed_mark_death : public freed_twice_death<T> {};

using pools_with_marks = testing::Types<small_blocks, freehold::concurrent_pool_resource, freehold::pool_resource>;
TYPED_TEST_SUITE(freed_mark_death, pools_with_marks);

#endif

}  // namespace

TYPED_TEST(freed_twice_death, at_once) {
    this->free(3);
    EXPECT_FREED_TWICE(this->free(3));
}

TYPED_TEST(freed_twice_death, after_other_blocks) {
    for (const std::size_t each : {3U, 5U, 1U}) this->free(each);
    EXPECT_FREED_TWICE(this->free(3));
}

#ifdef FREEHOLD_MARKS_FREED

// Its mark is gone with the page.
TEST(small_block_pool_death, a_block_is_freed_twice_whose_page_was_discarded) {
    std::vector<void*> blocks(4096);
    for (void*& block : blocks) block = freehold::small_block_pool::allocate(256);
    const auto free = [&](std::size_t index) { freehold::small_block_pool::deallocate(blocks[index], 256); };
    for (std::size_t i = 1; i != blocks.size(); ++i) {
        if (i % 200 != 0) free(i);
    }
    freehold::small_block_pool::trim();
    EXPECT_FREED_TWICE(free(1300));
    for (std::size_t i = 0; i < blocks.size(); i += 200) free(i);
}

TYPED_TEST(freed_mark_death, a_slab_that_is_not_current_is_asked) {
    std::vector<void*> more;
    for (int i = 0; i < 20'000; ++i) more.push_back(this->resource.allocate(40));
    this->free(3);
    EXPECT_FREED_TWICE(this->free(3));
    for (void* const each : more) this->resource.deallocate(each, 40);
}

// As that of a block that a file with NDEBUG has allocated.
TYPED_TEST(freed_mark_death, a_mark_that_is_left_over_does_no_harm) {
    for (void* const each : this->blocks) {
        freehold::detail::mark_freed(each, 40);
        this->resource.deallocate(each, 40);
    }
    for (std::size_t i = 0; i < this->blocks.size(); ++i) {
        void* const again = this->resource.allocate(40);
        EXPECT_FALSE(freehold::detail::is_marked_freed(again, 40)) << "it was removed";
        this->resource.deallocate(again, 40);
    }
}

#endif
