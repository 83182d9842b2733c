#pragma once
// large_blocks: the blocks of a resource that come from its upstream one by one.
//
// Their records are apart from them: a power of two stays one when it reaches the upstream, and the overrun of a block
// does not reach what its release relies on. The table of records is hashed by address. It grows one bucket with each
// block (linear hashing), so that no call moves more than one chain. The first records are in this object, the others
// in memory of the upstream, which goes back when no block is left.
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

#include "../../core/alignment.hpp"
#include "../../core/assert.hpp"
#include "../../core/exceptions.hpp"
#include "../../core/memcheck.hpp"
#include "hardening.hpp"
#include "segmented_records.hpp"
#include "watched_end.hpp"

namespace freehold::detail {

class large_blocks {
public:
    large_blocks() noexcept { forget_all(); }

    large_blocks(const large_blocks&) = delete;
    large_blocks& operator=(const large_blocks&) = delete;

    // Returns: a block, or null if the upstream returned null.
    // Throws: what the upstream throws. In both cases nothing has changed.
    template <class Mutex, class Upstream>
    [[nodiscard, gnu::noinline]] void* allocate(Mutex& mutex, Upstream& upstream, std::size_t bytes,
                                                std::size_t alignment) {
        alignment = detail::larger(alignment, chunk_alignment);
        if (bytes > (std::numeric_limits<std::size_t>::max)() - alignment) {
            detail::ask_in_vain(upstream);
            return nullptr;
        }
        reservation room(*this, mutex, upstream);
        if (!room.is_made()) return nullptr;
        void* const block = upstream.allocate(bytes_with_end(bytes), alignment);
        if (block == nullptr) return nullptr;
        watch_end(block, bytes);
        room.use(block, bytes, alignment);
        return block;
    }

    template <class Upstream>
    [[nodiscard]] void* allocate(Upstream& upstream, std::size_t bytes, std::size_t alignment) {
        no_mutex none;
        return allocate(none, upstream, bytes, alignment);
    }

    // Effects: gives the block back. Needs no memory.
    // Requires: allocate(…, bytes, …) returned it, and it was not freed since; otherwise memcheck reports it, or the
    // precondition is checked, or nothing is done.
    template <class Mutex, class Upstream>
    [[gnu::noinline]] void deallocate(Mutex& mutex, Upstream& upstream, void* block, std::size_t bytes) noexcept {
        if (is_memcheck() && !is_allocated(block)) return;
        expect_allocated(block, bytes);
        std::size_t alignment = 0;
        segmented_records<record>::taken_segments segments;
        {
            const std::lock_guard held(mutex);
            record* const removed = remove(address_of(block));
            FREEHOLD_HEAP_EXPECTS(
                removed != nullptr && removed->bytes == bytes,
                "a block is freed with another size or alignment than it was allocated with, or comes "
                "from another resource");
            if (removed == nullptr) return;
            bytes = removed->bytes;
            alignment = removed->alignment;
            put_unused(removed);
            bytes_ -= bytes;
            if (--count_ + reserved_ == 0) {
                records_.take_segments(segments);
                forget_all();
            }
        }
        give_back(upstream, block, bytes, alignment);
        segments.give_back(upstream);
    }

    template <class Upstream>
    void deallocate(Upstream& upstream, void* block, std::size_t bytes) noexcept {
        no_mutex none;
        deallocate(none, upstream, block, bytes);
    }

    // Returns: the bytes that the block was allocated with, or 0 if it is none.
    template <class Mutex>
    [[nodiscard]] std::size_t find(Mutex& mutex, const void* block) noexcept {
        const std::lock_guard held(mutex);
        const record* const found = *place_of(address_of(block));
        return found != nullptr ? found->bytes : 0;
    }

    [[nodiscard]] std::size_t find(const void* block) noexcept {
        no_mutex none;
        return find(none, block);
    }

    // Effects: the block counts as one of `bytes` bytes from now on. Requires: it is one.
    void resize(const void* block, std::size_t bytes) noexcept {
        record& resized = **place_of(address_of(block));
        bytes_ += bytes - resized.bytes;
        resized.bytes = bytes;
    }

    // Returns: the number of blocks.
    [[nodiscard]] std::size_t count() const noexcept { return count_; }

    // Returns: their bytes together.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

    // Effects: calls visit(block, bytes) for each block.
    template <class Visit>
    void visit(Visit& visit) {
        for (std::size_t i = 0; i < ever_used_; ++i) {
            const record& each = records_[i];
            if (each.hidden != unused) visit(reinterpret_cast<void*>(~each.hidden), each.bytes);
        }
    }

    // Effects: gives the block back that was allocated last. Requires: there is one, and none was given back otherwise.
    template <class Upstream>
    void pop(Upstream& upstream) noexcept {
        const record popped = *remove(~records_[--ever_used_].hidden);
        --count_;
        bytes_ -= popped.bytes;
        give_back(upstream, reinterpret_cast<void*>(~popped.hidden), popped.bytes, popped.alignment);
        if (count_ + reserved_ == 0) release(upstream);
    }

    // Effects: gives all blocks back. Requires: no other thread uses the resource.
    template <class Upstream>
    void release(Upstream& upstream) noexcept {
        for (std::size_t i = 0; i < ever_used_; ++i) {
            const record& each = records_[i];
            if (each.hidden == unused) continue;
            give_back(upstream, reinterpret_cast<void*>(~each.hidden), each.bytes, each.alignment);
        }
        segmented_records<record>::taken_segments segments;
        records_.take_segments(segments);
        forget_all();
        segments.give_back(upstream);
    }

private:
    struct no_mutex {
        void lock() noexcept {}
        void unlock() noexcept {}
    };

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

    // Room for a record, while the upstream is called without the mutex.
    template <class Mutex>
    class reservation {
    public:
        // Throws: what the upstream throws.
        template <class Upstream>
        reservation(large_blocks& blocks, Mutex& mutex, Upstream& upstream)
            : blocks_(blocks), mutex_(mutex), is_made_(blocks.reserve(mutex, upstream)) {}

        reservation(const reservation&) = delete;
        reservation& operator=(const reservation&) = delete;

        ~reservation() {
            if (!is_made_) return;
            const std::lock_guard held(mutex_);
            --blocks_.reserved_;
        }

        [[nodiscard]] bool is_made() const noexcept { return is_made_; }

        void use(const void* block, std::size_t bytes, std::size_t alignment) noexcept {
            is_made_ = false;
            const std::lock_guard held(mutex_);
            --blocks_.reserved_;
            blocks_.insert(address_of(block), bytes, alignment);
        }

    private:
        large_blocks& blocks_;
        Mutex& mutex_;
        bool is_made_;
    };

    template <class Mutex, class Upstream>
    [[nodiscard]] bool reserve(Mutex& mutex, Upstream& upstream) {
        while (true) {
            std::size_t bytes = 0;
            {
                const std::lock_guard held(mutex);
                if (count_ + reserved_ < records_.capacity()) {
                    ++reserved_;
                    return true;
                }
                bytes = records_.next_segment_bytes();
            }
            void* const memory = upstream.allocate(bytes, alignof(record));
            if (memory == nullptr) return false;
            {
                const std::lock_guard held(mutex);
                if (bytes == records_.next_segment_bytes()) {
                    records_.add_segment(memory);
                    continue;
                }
            }
            upstream.deallocate(memory, bytes, alignof(record));  // another thread was first
        }
    }

    template <class Upstream>
    static void give_back(Upstream& upstream, void* block, std::size_t bytes, std::size_t alignment) noexcept {
        unwatch_end(block, bytes);
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
        record** place = &records_[bucket_of(~address)].bucket;
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
            added = &records_[ever_used_++];
        }
        record*& first = records_[bucket_of(~address)].bucket;
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
        record** from = &records_[buckets_ - std::bit_floor(buckets_)].bucket;
        const std::size_t added = buckets_++;
        record*& to = records_[added].bucket;
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

    // Effects: forgets all records. Requires: the segments are taken.
    void forget_all() noexcept {
        count_ = 0;
        bytes_ = 0;
        buckets_ = 1;
        records_[0].bucket = nullptr;
        ever_used_ = 0;
        unused_ = nullptr;
    }

    std::size_t count_ = 0;
    std::size_t bytes_ = 0;
    std::size_t reserved_ = 0;   // places for records that are about to be inserted
    std::size_t buckets_ = 1;    // at most the capacity
    std::size_t ever_used_ = 0;  // records from here on were never used
    record* unused_ = nullptr;
    segmented_records<record> records_;
};

}  // namespace freehold::detail
