#pragma once
// Chunks: memory that a resource has taken from its upstream, with a record of what to give back.

#include <cstddef>
#include <limits>
#include <memory_resource>
#include <new>

#include "../../core/alignment.hpp"
#include "../../core/assert.hpp"
#include "../../core/exceptions.hpp"
#include "../../core/memcheck.hpp"

namespace freehold::detail {

// It is at the end of its memory, so that the memory begins with the upstream's alignment.
struct chunk {
    chunk* older;
    chunk* newer;
    std::size_t capacity;   // bytes before this record, a multiple of its alignment
    std::size_t alignment;  // of the first byte

    [[nodiscard]] std::byte* begin() noexcept { return end() - capacity; }
    [[nodiscard]] std::byte* end() noexcept { return reinterpret_cast<std::byte*>(this); }
};

// The default alignment of a chunk, which costs nothing in any upstream.
inline constexpr std::size_t chunk_alignment = alignof(std::max_align_t);

// Effects: makes a request that every upstream refuses, so that a request that can't be served fails with the
// upstream's own exception.
[[noreturn, gnu::cold, gnu::noinline]] inline void refuse(std::pmr::memory_resource& upstream) {
    const volatile std::size_t largest = std::numeric_limits<std::size_t>::max();  // compilers warn of constants
    const std::size_t bytes = largest;
    static_cast<void>(upstream.allocate(bytes, bytes / 2 + 1));
    raise<std::bad_alloc>();
}

// Returns: whether the size of a chunk with this capacity is representable.
[[nodiscard]] constexpr bool is_representable(std::size_t capacity, std::size_t alignment) noexcept {
    constexpr std::size_t largest = std::numeric_limits<std::size_t>::max() - sizeof(chunk) - alignof(chunk);
    return alignment <= largest && capacity <= largest - alignment;
}

// Returns: a chunk in no list, of at least `capacity` bytes that are marked as free.
// Requires: is_representable(capacity, alignment), and alignment >= chunk_alignment.
// Throws: what the upstream throws.
[[nodiscard, gnu::always_inline]] inline chunk* allocate_chunk(std::pmr::memory_resource& upstream,
                                                               std::size_t capacity,
                                                               std::size_t alignment = chunk_alignment) {
    capacity = round_up(capacity, alignof(chunk));
    auto* const begin = static_cast<std::byte*>(upstream.allocate(capacity + sizeof(chunk), alignment));
    tell_free(begin, capacity);
    return ::new (begin + capacity) chunk{nullptr, nullptr, capacity, alignment};
}

// Effects: gives the chunk back. Requires: it is in no list.
inline void deallocate_chunk(std::pmr::memory_resource& upstream, chunk* old) noexcept {
    tell_allocated(old->begin(), old->capacity);
    upstream.deallocate(old->begin(), old->capacity + sizeof(chunk), old->alignment);
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
        while (newest_ != nullptr) deallocate_chunk(upstream, remove(newest_));
    }

private:
    chunk* newest_ = nullptr;
};

// Chunks of one block each, in the order in which they were pushed.
//
// Invariant: their records are marked as free except during their use here. So an overrun of the block is reported, and
// Valgrind does not see the list as a reference to the blocks.
class lone_chunks {
public:
    // Returns: a chunk in no list, for a block of `bytes` bytes, which are marked as allocated.
    // Throws: what the upstream throws.
    [[nodiscard, gnu::always_inline]] static chunk* make(std::pmr::memory_resource& upstream, std::size_t bytes,
                                                         std::size_t alignment) {
        if (!is_representable(bytes, alignment)) refuse(upstream);
        chunk* const made =
            allocate_chunk(upstream, detail::max(bytes, std::size_t{1}), detail::max(alignment, chunk_alignment));
        tell_allocated(made->begin(), bytes);
        return made;
    }

    // Returns: the chunk that was pushed last, or null.
    [[nodiscard]] const chunk* newest() const noexcept { return newest_; }

    void push(chunk* added) noexcept {
        added->older = newest_;
        added->newer = nullptr;
        if (newest_ != nullptr) opened(newest_)->newer = added;
        newest_ = added;
        tell_free(added, sizeof(chunk));
    }

    // Returns: the chunk of a block of `bytes` bytes, taken out of the list; or null if Valgrind has reported that the
    // block is not allocated. Complexity: constant.
    [[nodiscard]] chunk* remove(void* block, std::size_t bytes) noexcept {
        if (is_memcheck() && !is_allocated(block)) return nullptr;
        const std::size_t capacity = round_up(detail::max(bytes, std::size_t{1}), alignof(chunk));
        auto* const found = reinterpret_cast<chunk*>(static_cast<std::byte*>(block) + capacity);
        open(found);
        FREEHOLD_EXPECTS(found->begin() == block,
                         "a block is freed with another size or alignment than it was allocated with, or comes from "
                         "another resource");
        return remove(found);
    }

    // Returns: the newest chunk, taken out of the list. Requires: there is one.
    [[nodiscard]] chunk* pop() noexcept {
        open(newest_);
        return remove(newest_);
    }

    // Effects: gives all chunks back.
    void release(std::pmr::memory_resource& upstream) noexcept {
        while (newest_ != nullptr) deallocate_chunk(upstream, pop());
    }

private:
    static void open(chunk* used) noexcept {
        tell_allocated(used, sizeof(chunk));
        tell_readable(used, sizeof(chunk));
    }

    // A record, which may be read and written during the lifetime of this object.
    class opened {
    public:
        explicit opened(chunk* used) noexcept : used_(used) { open(used); }
        opened(const opened&) = delete;
        opened& operator=(const opened&) = delete;
        ~opened() { tell_free(used_, sizeof(chunk)); }

        chunk* operator->() const noexcept { return used_; }

    private:
        chunk* used_;
    };

    chunk* remove(chunk* removed) noexcept {
        if (removed->newer != nullptr) {
            opened(removed->newer)->older = removed->older;
        } else {
            newest_ = removed->older;
        }
        if (removed->older != nullptr) opened(removed->older)->newer = removed->newer;
        return removed;
    }

    chunk* newest_ = nullptr;
};

// Returns: a block that has a chunk of its own, which is added to the list.
// Throws: what the upstream throws.
[[nodiscard, gnu::noinline]] inline void* allocate_alone(lone_chunks& list, std::pmr::memory_resource& upstream,
                                                         std::size_t bytes, std::size_t alignment) {
    chunk* const added = lone_chunks::make(upstream, bytes, alignment);
    void* const block = added->begin();
    list.push(added);
    return block;
}

// Effects: frees what allocate_alone(list, upstream, bytes, …) returned.
[[gnu::noinline]] inline void deallocate_alone(lone_chunks& list, std::pmr::memory_resource& upstream, void* block,
                                               std::size_t bytes) noexcept {
    if (chunk* const removed = list.remove(block, bytes)) deallocate_chunk(upstream, removed);
}

}  // namespace freehold::detail
