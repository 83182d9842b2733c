#pragma once
// large_blocks: blocks of one resource that come from its upstream one by one.
//
// Invariant: behind the bytes of each stands a trailer, in a doubly linked list of all, so that it is found from the
// block and its size, and removed, in constant time, and the block keeps its alignment without padding. The mutex
// guards the list, and is not held while the upstream is called.

#include <cstddef>
#include <limits>
#include <memory_resource>
#include <new>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/exceptions.hpp"
#include "static_mutex.hpp"

namespace freehold::detail {

class large_blocks {
public:
    // Throws: std::bad_alloc if the size is not representable, or what the upstream throws; then nothing has changed.
    [[nodiscard]] void* allocate(static_mutex& mutex, std::pmr::memory_resource& upstream, std::size_t bytes,
                                 std::size_t alignment) {
        if (bytes > std::numeric_limits<std::size_t>::max() / 2) raise<std::bad_alloc>();
        if (alignment < alignof(trailer)) alignment = alignof(trailer);
        void* const block = upstream.allocate(with_trailer(bytes), alignment);
        auto* const added = ::new (trailer_of(block, bytes)) trailer{nullptr, nullptr, block, bytes, alignment};
        const static_lock held(mutex);
        added->next = first_;
        if (first_ != nullptr) first_->previous = added;
        first_ = added;
        return block;
    }

    void deallocate(static_mutex& mutex, std::pmr::memory_resource& upstream, void* block, std::size_t bytes) {
        auto* const removed = static_cast<trailer*>(trailer_of(block, bytes));
        const std::size_t alignment = removed->alignment;
        {
            const static_lock held(mutex);
            (removed->previous != nullptr ? removed->previous->next : first_) = removed->next;
            if (removed->next != nullptr) removed->next->previous = removed->previous;
        }
        upstream.deallocate(block, with_trailer(bytes), alignment);
    }

    // Effects: gives all back. Requires: no other thread uses the resource.
    void release(std::pmr::memory_resource& upstream) {
        trailer* next = std::exchange(first_, nullptr);
        while (next != nullptr) {
            const trailer given = *std::exchange(next, next->next);
            upstream.deallocate(given.block, with_trailer(given.bytes), given.alignment);
        }
    }

private:
    struct trailer {
        trailer* previous;
        trailer* next;
        void* block;
        std::size_t bytes;
        std::size_t alignment;
    };

    [[nodiscard]] static std::size_t with_trailer(std::size_t bytes) noexcept {
        return round_up(bytes, alignof(trailer)) + sizeof(trailer);
    }

    [[nodiscard]] static void* trailer_of(void* block, std::size_t bytes) noexcept {
        return static_cast<std::byte*>(block) + round_up(bytes, alignof(trailer));
    }

    trailer* first_ = nullptr;
};

}  // namespace freehold::detail
