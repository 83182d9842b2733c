// The contract of the pools whose memory comes back, in a process whose address space is limited, as in a container or
// under ulimit -v, with the default upstream.

#include <freehold/core/annotate.hpp>
#include <freehold/memory/small_block_pool.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <new>
#include <random>

#include "families.hpp"
#include "support/filled_block.hpp"
#include "support/thread_sanitizer.hpp"

#if !defined(FREEHOLD_ADDRESS_SANITIZER) && !defined(THREAD_SANITIZER)

#include "support/limited_address_space.hpp"

namespace contracts {

namespace {

// Blocks of one size, linked through themselves: the lists take no memory beside them.
template <class Resource>
class block_chain {
public:
    block_chain(Resource& resource, std::size_t bytes) : resource_(resource), bytes_(bytes) {}

    // Effects: allocates a block. Throws: what the resource throws.
    void add() {
        newest_ = ::new (resource_.allocate(bytes_)) link{newest_};
        ++count_;
    }

    // Effects: allocates until that fails. Returns: the bytes of all blocks.
    [[nodiscard]] std::size_t exhaust() {
        try {
            while (true) add();
        } catch (const std::bad_alloc&) {
            return bytes();
        }
    }

    void free_all() {
        while (newest_ != nullptr) {
            link* const freed = newest_;
            newest_ = freed->older;
            resource_.deallocate(freed, bytes_);
        }
        count_ = 0;
    }

    [[nodiscard]] std::size_t bytes() const { return count_ * bytes_; }

private:
    struct link {
        link* older;
    };

    Resource& resource_;
    std::size_t bytes_;
    link* newest_ = nullptr;
    std::size_t count_ = 0;
};

}  // namespace

CONTRACT(trimmed_resource, one_size_after_another_fits_into_little_more_than_one) {
    support::expect_0_in_limited_address_space(52 * mebibyte, [] {
        typename TypeParam::resource resource;
        for (std::size_t bytes = 32; bytes <= 4096; bytes *= 2) {
            block_chain blocks(resource, bytes);
            try {
                while (blocks.bytes() < 40 * mebibyte) blocks.add();
            } catch (const std::bad_alloc&) {
                return 1;
            }
            blocks.free_all();
        }
        return 0;
    });
}

// The sizes fill their blocks, but for those just above a bound.
CONTRACT(trimmed_resource, after_exhaustion_every_size_gets_nearly_all_of_the_address_space) {
    support::expect_0_in_limited_address_space(64 * mebibyte, [] {
        typename TypeParam::resource resource;
        block_chain first(resource, 65'536);
        const std::size_t there = first.exhaust();
        first.free_all();
        auto each = support::sizes{32,     48,     64,     512,    1024,   1792,   2048,    4096,    7168,
                                   10'000, 32'000, 32'769, 40'000, 40'961, 65'537, 100'000, 262'144, 700'000};
        std::shuffle(each.begin(), each.end(), std::mt19937(7));
        for (const std::size_t bytes : each) {
            block_chain blocks(resource, bytes);
            const std::size_t served = blocks.exhaust();
            blocks.free_all();
            if (served >= there / 10 * 9) continue;
            std::fprintf(stderr, "%zu bytes: %zu KiB of %zu\n", bytes, served >> 10, there >> 10);
            return 1;
        }
        return 0;
    });
}

// What one of the two caches of the process keeps idle serves the other.
TEST(small_block_pool, what_is_idle_in_the_page_cache_serves_small_blocks) {
    support::expect_0_in_limited_address_space(32 * mebibyte, [] {
        block_chain pages(freehold::page_cache::shared(), 65'536);
        const std::size_t there = pages.exhaust();
        pages.free_all();
        std::size_t served = 0;
        while (freehold::small_block_pool::try_allocate(256) != nullptr) served += 256;
        return served >= there / 10 * 9 ? 0 : 1;
    });
}

}  // namespace contracts

#else

TEST(limited_address_space, is_what_sanitizers_need_themselves) { GTEST_SKIP(); }

#endif
