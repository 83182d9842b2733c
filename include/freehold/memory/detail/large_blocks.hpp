#pragma once
// large_blocks: blocks of one resource that come from its upstream one by one, for many threads.
//
// Invariant: each is a chunk of its own, in a list of all that the mutex guards; it is found from the block and its
// size, and removed, in constant time. The mutex is not held while the upstream is called.

#include <cstddef>
#include <memory_resource>

#include "chunk.hpp"
#include "static_mutex.hpp"

namespace freehold::detail {

class large_blocks {
public:
    // Throws: what the upstream throws; then nothing has changed.
    [[nodiscard]] void* allocate(static_mutex& mutex, std::pmr::memory_resource& upstream, std::size_t bytes,
                                 std::size_t alignment) {
        chunk* const added = lone_chunks::make(upstream, bytes, alignment);
        void* const block = added->begin();
        const static_lock held(mutex);
        chunks_.push(added);
        return block;
    }

    void deallocate(static_mutex& mutex, std::pmr::memory_resource& upstream, void* block, std::size_t bytes) noexcept {
        chunk* removed = nullptr;
        {
            const static_lock held(mutex);
            removed = chunks_.remove(block, bytes);
        }
        if (removed != nullptr) deallocate_chunk(upstream, removed);
    }

    // Effects: gives all back. Requires: no other thread uses the resource.
    void release(std::pmr::memory_resource& upstream) noexcept { chunks_.release(upstream); }

private:
    lone_chunks chunks_;
};

}  // namespace freehold::detail
