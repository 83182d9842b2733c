#pragma once
// Chunks: memory that an arena (monotonic_resource, stack_resource) has taken from its upstream to cut blocks from it,
// with a record of what to give back. Those of slabs are in slab_cache.hpp.

#include <cstddef>
#include <limits>
#include <memory_resource>
#include <new>

#include "../../core/alignment.hpp"
#include "../../core/annotate.hpp"
#include "../../core/config.hpp"
#include "../../core/exceptions.hpp"
#include "../../core/memcheck.hpp"

namespace freehold::inline v0_2::detail {

// It is at the end of its memory, so that the memory begins with the upstream's alignment. Under AddressSanitizer a gap
// before it, marked as free, shows the overrun of the last block.
struct chunk {
#ifdef FREEHOLD_ADDRESS_SANITIZER
    static constexpr std::size_t gap = 16;
#else
    static constexpr std::size_t gap = 0;
#endif

    chunk* older;
    chunk* newer;
    std::size_t capacity;   // bytes before this record, a multiple of its alignment
    std::size_t alignment;  // of the first byte

    [[nodiscard]] std::byte* begin() noexcept { return end() - capacity; }
    [[nodiscard]] std::byte* end() noexcept { return reinterpret_cast<std::byte*>(this) - gap; }
};

// Effects: none, if the size of a chunk with this capacity is representable.
// Throws: else what the upstream throws for a request that can't be served.
inline void expect_representable(std::pmr::memory_resource& upstream, std::size_t capacity, std::size_t alignment) {
    constexpr std::size_t largest =
        (std::numeric_limits<std::size_t>::max)() - sizeof(chunk) - chunk::gap - alignof(chunk);
    if (alignment <= largest && capacity <= largest - alignment) [[likely]]
        return;
    ask_in_vain(upstream);
    raise<std::bad_alloc>();
}

// Returns: a chunk in no list, of at least `capacity` bytes that are marked as free.
// Requires: its size is representable, and alignment >= usual_alignment.
// Throws: what the upstream throws.
[[nodiscard]] FREEHOLD_ALWAYS_INLINE inline chunk* allocate_chunk(std::pmr::memory_resource& upstream,
                                                                  std::size_t capacity,
                                                                  std::size_t alignment = usual_alignment) {
    capacity = round_up(capacity, alignof(chunk));
    auto* const begin = static_cast<std::byte*>(upstream.allocate(capacity + chunk::gap + sizeof(chunk), alignment));
    tell_free(begin, capacity + chunk::gap);
    return ::new (begin + capacity + chunk::gap) chunk{nullptr, nullptr, capacity, alignment};
}

// Chunks in the order in which they were pushed.
class chunk_list {
public:
    // Returns: the chunk that was pushed last, or null.
    [[nodiscard]] chunk* newest() const noexcept { return newest_; }

    void push(chunk* added) noexcept {
        added->older = newest_;
        added->newer = nullptr;
        if (newest_ != nullptr) newest_->newer = added;
        newest_ = added;
    }

    // Effects: takes the chunk out of the list. Returns: it. Complexity: constant.
    chunk* remove(chunk* removed) noexcept {
        (removed->newer != nullptr ? removed->newer->older : newest_) = removed->older;
        if (removed->older != nullptr) removed->older->newer = removed->newer;
        return removed;
    }

    // Returns: the newest chunk that has the needed bytes, taken out of the list, or null.
    [[nodiscard]] chunk* take(std::size_t needed) noexcept {
        chunk* fitting = newest_;
        while (fitting != nullptr && fitting->capacity < needed) fitting = fitting->older;
        return fitting != nullptr ? remove(fitting) : nullptr;
    }

    // Effects: gives all chunks back.
    void release(std::pmr::memory_resource& upstream) noexcept {
        while (newest_ != nullptr) {
            chunk* const old = remove(newest_);
            tell_allocated(old->begin(), old->capacity + chunk::gap);
            upstream.deallocate(old->begin(), old->capacity + chunk::gap + sizeof(chunk), old->alignment);
        }
    }

private:
    chunk* newest_ = nullptr;
};

}  // namespace freehold::detail
