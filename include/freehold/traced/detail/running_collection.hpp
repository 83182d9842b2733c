#pragma once
// What kind of collection is running, how far it looks, and what it has done so far.

#include <cstddef>

#include "traced_chunk.hpp"
#include "wide_chunks.hpp"

namespace freehold::detail {

struct running_collection {
    bool is_full = false;
    bool promotes = false;    // all young objects, without a look at them: a young collection
    bool overran = false;     // twice the budget, so that it keeps all young objects: a young collection
    bool ends_cycle = false;  // a young collection
    std::size_t work = 0;     // the objects that it has traced or destroyed

    // Returns: whether it looks at old objects too.
    [[nodiscard]] bool is_complete() const noexcept { return is_full || ends_cycle; }

    // Returns: whether the object lives on, as far as is marked.
    [[nodiscard]] bool keeps(const void* object) const noexcept {
        const traced_block& block = wide_chunks::block_of(object);
        const std::size_t index = block.index_of(object);
        return ends_cycle ? block.is_reached(index) : block.is_marked(index);
    }
};

}  // namespace freehold::detail
