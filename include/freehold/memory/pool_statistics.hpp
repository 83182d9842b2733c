#pragma once
// pool_statistics: where the memory of a pool is. What its statistics() returns; statistics_json.hpp writes it as JSON.

#include <cstddef>

namespace freehold::inline v0_2 {

// The slabs of 64 KiB that a pool has for blocks of one size.
struct pool_class_statistics {
    std::size_t block_bytes = 0;
    std::size_t slabs = 0;
    std::size_t live = 0;    // blocks in use
    std::size_t cached = 0;  // free blocks
};

// In bytes, unless another unit is named. The pool holds `mapped` + `large` of its upstream, and a little for its
// records. Of these the program uses `live` + `large`.
struct pool_statistics {
    static constexpr std::size_t most_classes = 88;

    std::size_t mapped = 0;        // in chunks of slabs
    std::size_t spare = 0;         // of these, in slabs that have no class, since no block of theirs is in use
    std::size_t large = 0;         // in blocks that come from the upstream one by one
    std::size_t large_blocks = 0;  // their number
    std::size_t idle = 0;  // in pages that replace_new keeps for reuse; other pools leave that to their upstream

    // Whether `live` and `cached` are known, here and in the classes; if not, they are 0.
    bool is_counted = false;
    std::size_t live = 0;    // in blocks in use, without the large ones
    std::size_t cached = 0;  // in free blocks of slabs that have a class

    // Those that have slabs, the smallest blocks first.
    std::size_t class_count = 0;
    pool_class_statistics classes[most_classes];

    [[nodiscard]] const pool_class_statistics* begin() const noexcept { return classes; }
    [[nodiscard]] const pool_class_statistics* end() const noexcept { return classes + class_count; }

    // Effects: adds a slab. For the pools. Requires: they have at most `most_classes` sizes.
    void add_slab(std::size_t block_bytes, std::size_t live_blocks, std::size_t cached_blocks) noexcept {
        std::size_t place = 0;
        while (place < class_count && classes[place].block_bytes < block_bytes) ++place;
        if (place == class_count || classes[place].block_bytes != block_bytes) {
            for (std::size_t i = class_count++; i > place; --i) classes[i] = classes[i - 1];
            classes[place] = {block_bytes, 0, 0, 0};
        }
        ++classes[place].slabs;
        classes[place].live += live_blocks;
        classes[place].cached += cached_blocks;
        live += live_blocks * block_bytes;
        cached += cached_blocks * block_bytes;
    }
};

}  // namespace freehold
