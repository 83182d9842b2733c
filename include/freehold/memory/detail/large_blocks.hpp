#pragma once
// large_blocks: blocks of one resource that come from its upstream one by one, for many threads.
//
// Invariant: each is a chunk of its own, in a list of all that the mutex guards; it is found from the block and its
// size, and removed, in constant time. The mutex is not held while the upstream is called.

#include <algorithm>
#include <cstddef>
#include <memory_resource>

#include "../../core/annotate.hpp"
#include "chunk.hpp"
#include "static_mutex.hpp"

namespace freehold::detail {

class large_blocks {
public:
    // Throws: what the upstream throws; then nothing has changed.
    [[nodiscard]] void* allocate(static_mutex& mutex, std::pmr::memory_resource& upstream, std::size_t bytes,
                                 std::size_t alignment) {
        if (!is_representable(bytes, alignment)) refuse(upstream);
        chunk* const added = allocate_chunk(upstream, bytes, std::max(alignment, chunk_alignment));
        annotate_allocated(added->begin(), bytes);
        const static_lock held(mutex);
        chunks_.push(added);
        return added->begin();
    }

    void deallocate(static_mutex& mutex, std::pmr::memory_resource& upstream, void* block, std::size_t bytes) noexcept {
        chunk* const removed = chunk_of(block, bytes);
        {
            const static_lock held(mutex);
            chunks_.remove(removed);
        }
        deallocate_chunk(upstream, removed);
    }

    // Effects: gives all back. Requires: no other thread uses the resource.
    void release(std::pmr::memory_resource& upstream) noexcept { chunks_.release(upstream); }

private:
    chunk_list chunks_;
};

}  // namespace freehold::detail
