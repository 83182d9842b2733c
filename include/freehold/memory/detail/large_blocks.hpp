#pragma once
// large_blocks: the blocks of a resource that come from its upstream one by one.
//
// Their records are apart from them: a power of two stays one when it reaches the upstream, and the overrun of a block
// does not reach what its release relies on. In a hardened program up to 16 bytes more are asked for, as a canary. The
// table of records is hashed by address. It grows one bucket with each block (linear hashing), so that no call moves
// more than one chain. The first records are in this object, the others in memory of the upstream, which goes back when
// no block is left.
//
// Thread safety: the functions that take a mutex may be called by any thread; it is not held while the upstream is
// called. The others: one thread at a time. `Upstream` is a memory resource, or has its functions `allocate`, which may
// also return null, and `deallocate`.
// Complexity: constant on average. Cost: 40 bytes a block.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/config.hpp"
#include "../../core/exceptions.hpp"
#include "../../core/memcheck.hpp"
#include "../../core/threading.hpp"
#include "block_canary.hpp"
#include "hardening.hpp"
#include "large_end.hpp"

namespace freehold::inline v0_2::detail {

// With `has_ends`, a block has bytes behind its end by which a hardened program sees that they were written to.
template <bool has_ends>
class basic_large_blocks {
    static inline constinit one_thread::mutex none;

public:
    basic_large_blocks() noexcept { first_[0].bucket = nullptr; }

    basic_large_blocks(const basic_large_blocks&) = delete;
    basic_large_blocks& operator=(const basic_large_blocks&) = delete;

    // Returns: a block, or null if the upstream returned null.
    // Throws: what the upstream throws. In both cases nothing has changed.
    template <class Upstream, class Mutex = one_thread::mutex>
    [[nodiscard]] FREEHOLD_NOINLINE void* allocate(std::size_t bytes, std::size_t alignment, Upstream& upstream,
                                                   Mutex& mutex = none) {
        alignment = detail::larger(alignment, usual_alignment);
        if (bytes > (std::numeric_limits<std::size_t>::max)() - alignment) {
            detail::ask_in_vain(upstream);
            return nullptr;
        }
        if (!reserve(mutex, upstream)) return nullptr;
        reservation<Mutex> room{*this, mutex, bytes, alignment};
        room.block = upstream.allocate(bytes_with_end(bytes), alignment);
        if (room.block != nullptr && is_memory_checked()) {
            detail::tell_allocated(room.block, bytes);
            tell_free(static_cast<std::byte*>(room.block) + bytes, bytes_with_end(bytes) - bytes);
        } else if constexpr (has_ends) {
            if (room.block != nullptr) detail::fill_end(room.block, bytes, bytes_with_end(bytes));
        }
        return room.block;
    }

    // Effects: gives the block back. Needs no memory. Requires: allocate(bytes, …) returned it, and it was not freed
    // since. Otherwise memcheck reports it, or the precondition is checked, or nothing is done.
    template <class Upstream, class Mutex = one_thread::mutex>
    FREEHOLD_NOINLINE void deallocate(void* block, std::size_t bytes, Upstream& upstream,
                                      Mutex& mutex = none) noexcept {
        if (is_memcheck() && !is_allocated(block)) return;
        expect_allocated(block, bytes);
        std::size_t alignment = 0;
        segment_list taken;
        {
            const std::lock_guard held(mutex);
            record* const removed = remove(address_of(block));
            FREEHOLD_HEAP_EXPECTS(removed != nullptr && removed->bytes == bytes, freed_otherwise);
            if (removed == nullptr) return;
            bytes = removed->bytes;
            alignment = removed->alignment;
            put_unused(removed);
            bytes_ -= bytes;
            if (--count_ + reserved_ == 0) forget_all(taken);
        }
        give_back(upstream, block, bytes, alignment);
        taken.give_back(upstream);
    }

    // Returns: the bytes that the block was allocated with, or 0 if it is none. Requires, as resize(): the mutex is
    // locked, or no other thread uses this.
    [[nodiscard]] std::size_t find(const void* block) noexcept {
        const record* const found = *place_of(address_of(block));
        return found != nullptr ? found->bytes : 0;
    }

    // Effects: the block counts as one of `bytes` bytes from now on. Requires: it is one.
    void resize(const void* block, std::size_t bytes) noexcept {
        record& resized = **place_of(address_of(block));
        bytes_ += bytes - resized.bytes;
        resized.bytes = bytes;
    }

    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

    // Effects: calls visit(block, bytes) for each block. A hardened program aborts if one was written to behind its
    // end.
    template <class Visit>
    void visit(Visit& visit) {
        for (std::size_t i = 0; i < ever_used_; ++i) {
            const record& each = record_at(i);
            if (each.hidden == unused) continue;
            void* const block = reinterpret_cast<void*>(~each.hidden);
            expect_end_unchanged(block, each.bytes);
            visit(block, each.bytes);
        }
    }

    // Effects: gives the block back that was allocated last. Requires: there is one, and none was given back otherwise.
    template <class Upstream>
    void pop(Upstream& upstream) noexcept {
        const record popped = *remove(~record_at(--ever_used_).hidden);
        --count_;
        bytes_ -= popped.bytes;
        give_back(upstream, reinterpret_cast<void*>(~popped.hidden), popped.bytes, popped.alignment);
        if (count_ + reserved_ == 0) release(upstream);
    }

    // Effects: gives all blocks back. Requires: no other thread uses the resource.
    template <class Upstream>
    void release(Upstream& upstream) noexcept {
        for (std::size_t i = 0; i < ever_used_; ++i) {
            const record& each = record_at(i);
            if (each.hidden == unused) continue;
            give_back(upstream, reinterpret_cast<void*>(~each.hidden), each.bytes, each.alignment);
        }
        segment_list taken;
        forget_all(taken);
        taken.give_back(upstream);
    }

private:
    // Returns: what to ask an upstream for, for a block of `bytes` bytes. An unrepresentable size stays one. A checker
    // is told that the bytes behind the block are free: the first byte past it is reported even if the upstream's
    // memory goes on there.
    [[nodiscard]] static std::size_t bytes_with_end(std::size_t bytes) noexcept {
        bytes = detail::larger(bytes, std::size_t{1});
        constexpr std::size_t most = (std::numeric_limits<std::size_t>::max)() - usual_alignment;
        return (has_ends || is_memory_checked()) && bytes < most ? round_up(bytes + 1, usual_alignment) : bytes;
    }

    static void expect_end_unchanged(const void* block, std::size_t bytes) noexcept {
        if constexpr (has_ends) {
            if (!is_memory_checked()) detail::expect_end_intact(block, bytes, bytes_with_end(bytes));
        }
    }

    // Record i is that of some block, and also holds bucket i.
    struct record {
        record* bucket;  // the first of a chain
        record* next;    // in the chain, or in the list of unused records
        // The complement of the address, which leak checkers do not take for a reference; or `unused`.
        std::uintptr_t hidden;
        std::size_t bytes;
        std::size_t alignment;
    };

    static constexpr std::uintptr_t unused = 0;

    static constexpr std::size_t first_size = 4;
    static constexpr std::size_t max_segments = 36;  // more records than blocks fit into an address space

    // The records after the first few, which never move: each segment is as large as all records before it.
    struct segment_list {
        std::size_t count = 0;
        record* each[max_segments];

        // Requires: the caller holds no mutex.
        template <class Upstream>
        void give_back(Upstream& upstream) const noexcept {
            for (std::size_t i = 0; i < count; ++i) {
                upstream.deallocate(each[i], (first_size << i) * sizeof(record), alignof(record));
            }
        }
    };

    // Returns: how many records there is room for. The next segment doubles it.
    [[nodiscard]] std::size_t capacity() const noexcept { return first_size << segments_.count; }

    // Requires: i < capacity().
    [[nodiscard]] record& record_at(std::size_t i) noexcept {
        if (i < first_size) return first_[i];
        const auto segment = static_cast<std::size_t>(std::bit_width(i / first_size)) - 1;
        return segments_.each[segment][i - (first_size << segment)];
    }

    // Room for a record, while the upstream is called without the mutex; then the record of the block, if there is one.
    template <class Mutex>
    struct reservation {
        basic_large_blocks& blocks;
        Mutex& mutex;
        std::size_t bytes;
        std::size_t alignment;
        void* block = nullptr;

        ~reservation() {
            const std::lock_guard held(mutex);
            --blocks.reserved_;
            if (block != nullptr) blocks.insert(address_of(block), bytes, alignment);
        }
    };

    // Returns: false if the upstream returned null. Throws: what the upstream throws.
    template <class Mutex, class Upstream>
    [[nodiscard]] bool reserve(Mutex& mutex, Upstream& upstream) {
        while (true) {
            std::size_t bytes = 0;
            {
                const std::lock_guard held(mutex);
                if (count_ + reserved_ < capacity()) {
                    ++reserved_;
                    return true;
                }
                bytes = capacity() * sizeof(record);
            }
            void* const memory = upstream.allocate(bytes, alignof(record));
            if (memory == nullptr) return false;
            {
                const std::lock_guard held(mutex);
                if (bytes == capacity() * sizeof(record)) {
                    segments_.each[segments_.count++] = static_cast<record*>(memory);
                    continue;
                }
            }
            upstream.deallocate(memory, bytes, alignof(record));  // another thread was first
        }
    }

    template <class Upstream>
    static void give_back(Upstream& upstream, void* block, std::size_t bytes, std::size_t alignment) noexcept {
        expect_end_unchanged(block, bytes);
        if (is_memory_checked()) tell_allocated(block, bytes_with_end(bytes));
        upstream.deallocate(block, bytes_with_end(bytes), alignment);
    }

    // Returns: the bucket of the address among the first `buckets_`.
    [[nodiscard]] std::size_t bucket_of(std::uintptr_t hidden) const noexcept {
        std::uint64_t mixed = hidden;
        mixed = (mixed ^ mixed >> 32) * 0x9E3779B97F4A7C15U;
        const std::size_t mask = std::bit_ceil(buckets_) - 1;
        const std::size_t wanted = static_cast<std::size_t>(mixed >> 32) & mask;
        return wanted < buckets_ ? wanted : wanted & mask >> 1;
    }

    // Returns: the link that refers to the record of the block, or is null where there is none.
    [[nodiscard]] record** place_of(std::uintptr_t address) noexcept {
        record** place = &record_at(bucket_of(~address)).bucket;
        while (*place != nullptr && (*place)->hidden != ~address) place = &(*place)->next;
        return place;
    }

    // Requires: there is room.
    void insert(std::uintptr_t address, std::size_t bytes, std::size_t alignment) noexcept {
        if (count_ == buckets_) split();
        record* added = unused_;
        if (added != nullptr) {
            unused_ = added->next;
        } else {
            added = &record_at(ever_used_++);
        }
        record*& first = record_at(bucket_of(~address)).bucket;
        added->hidden = ~address;
        added->bytes = bytes;
        added->alignment = alignment;
        added->next = first;
        first = added;
        ++count_;
        bytes_ += bytes;
    }

    // Effects: adds a bucket, which takes its part of one chain.
    void split() noexcept {
        record** from = &record_at(buckets_ - std::bit_floor(buckets_)).bucket;
        const std::size_t added = buckets_++;
        record*& to = record_at(added).bucket;
        to = nullptr;
        while (*from != nullptr) {
            record* const each = *from;
            if (bucket_of(each->hidden) == added) {
                *from = each->next;
                each->next = to;
                to = each;
            } else {
                from = &each->next;
            }
        }
    }

    // Returns: the record of the block, taken out of its chain, or null.
    [[nodiscard]] record* remove(std::uintptr_t address) noexcept {
        record** const place = place_of(address);
        record* const found = *place;
        if (found != nullptr) *place = found->next;
        return found;
    }

    void put_unused(record* freed) noexcept {
        freed->hidden = unused;
        freed->next = unused_;
        unused_ = freed;
    }

    // Effects: forgets all records, and hands over their segments.
    void forget_all(segment_list& taken) noexcept {
        for (std::size_t i = 0; i < segments_.count; ++i) taken.each[i] = segments_.each[i];
        taken.count = std::exchange(segments_.count, 0);
        count_ = 0;
        bytes_ = 0;
        buckets_ = 1;
        first_[0].bucket = nullptr;
        ever_used_ = 0;
        unused_ = nullptr;
    }

    std::size_t count_ = 0;
    std::size_t bytes_ = 0;
    std::size_t reserved_ = 0;   // places for records that are about to be inserted
    std::size_t buckets_ = 1;    // at most the capacity
    std::size_t ever_used_ = 0;  // records from here on were never used
    record* unused_ = nullptr;
    record first_[first_size];  // uninitialized, as all records from ever_used_ on
    segment_list segments_;
};

using large_blocks = basic_large_blocks<has_canaries>;

}  // namespace freehold::detail
