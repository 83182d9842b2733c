#pragma once
// segment_blocks: blocks of memory for the processes that share it, of which any may be killed at any instruction.
//
// A free block is in the list of its size class. All links are places, which mean the same wherever the memory is
// mapped. Nothing is locked, so a process that is killed blocks no other. The block that it was taking or freeing is
// lost: it is in no list. The lists stay whole.
//
// A list is a stack. Its head has a tag, which changes with each block that is taken: otherwise a process that stands
// still between the load of the head and the exchange could put back a head whose link has changed meanwhile. Even if
// the tag has come round to its old value, no block is used twice. A block is taken by the exchange of its own link for
// `in_use`, which succeeds once until its user frees it; a list that leads to a block in use is dropped, and its blocks
// are lost.

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

#include "../../core/assert.hpp"
#include "../../counting/shared_count.hpp"
#include "process_shared_counting.hpp"

namespace freehold::inline v0_2::detail {

// The size of the smallest block and the alignment of all, in bytes.
inline constexpr std::size_t granule = 16;

// The distance of a block from its pool, in units of 8 bytes: Boost aligns a named object to no more.
using block_place = std::int32_t;
inline constexpr std::size_t place_unit = 8;

// What a block begins with; the object follows. Not moved or freed as long as the pool exists.
template <class Threading>
struct alignas(granule) basic_segment_block {
    using link = typename Threading::template atomic<block_place>;

    static constexpr block_place none = 0;            // the place of the pool itself
    static constexpr block_place in_use = INT32_MIN;  // too far away for a block

    explicit basic_segment_block(block_place distance) noexcept : next(in_use), place(distance) {}

    [[nodiscard]] void* object() noexcept { return this + 1; }

    shared_count<process_shared_counting> count;  // begins with one owner, and is made anew for each object
    link next;                                    // the next free block, `none`, or `in_use`
    const block_place place;
};

// Threading: core/threading.hpp. A test has fewer bits in a tag.
template <class Threading, unsigned tag_bits = 32>
class segment_blocks {
public:
    using block = basic_segment_block<Threading>;

    // Effects: hands out the memory, as far as it is within 16 GiB of *this. Requires: it is aligned to a granule, and
    // begins there.
    segment_blocks(void* memory, std::size_t bytes) noexcept
        : fresh_(distance_of(memory)), end_(end_of(memory, bytes)) {
        static_assert(head::is_always_lock_free && block::link::is_always_lock_free, "a lock would be in one process");
    }

    segment_blocks(const segment_blocks&) = delete;
    segment_blocks& operator=(const segment_blocks&) = delete;

    // Returns: a block of at least `bytes` bytes, or null if there is none. Complexity: constant, lock-free.
    [[nodiscard]] block* allocate(std::size_t bytes) noexcept {
        const size_class wanted(bytes);
        if (wanted.index >= classes) return nullptr;
        if (block* const found = pop(heads_[wanted.index])) return found;
        // relaxed: the number alone is agreed on; whoever gets it writes to memory that nobody has used
        block_place seen = fresh_.load(std::memory_order_relaxed);
        do {
            if (std::int64_t{end_} - seen < wanted.units) return nullptr;
        } while (!fresh_.compare_exchange_weak(seen, seen + wanted.units, std::memory_order_relaxed,
                                               std::memory_order_relaxed));
        return ::new (static_cast<void*>(at(seen))) block(seen);
    }

    // Effects: makes the block available again. Requires: allocate(bytes) returned it, and it was not freed since.
    // Complexity: constant, lock-free.
    void deallocate(block* freed, std::size_t bytes) noexcept { push(heads_[size_class(bytes).index], freed); }

    // Returns: what the block was allocated from.
    [[nodiscard]] static segment_blocks* owner_of(block* allocated) noexcept {
        return reinterpret_cast<segment_blocks*>(reinterpret_cast<std::byte*>(allocated) - bytes_in(allocated->place));
    }

private:
    using head = typename Threading::template atomic<std::uint64_t>;

    // Sizes of up to 8 granules have a class each; beyond, there are four from a power of two to the next.
    struct size_class {
        explicit constexpr size_class(std::size_t bytes) noexcept {
            const std::size_t last = (bytes - 1) / granule;
            const int shift = last < 8 ? 0 : static_cast<int>(std::bit_width(last)) - 3;
            index = 4 * static_cast<std::size_t>(shift) + (last >> shift);
            units = static_cast<block_place>((((last >> shift) + 1) << shift) * (granule / place_unit));
        }

        std::size_t index;
        block_place units;
    };

    static constexpr std::size_t classes = size_class(std::size_t{1} << 30).index + 1;
    static constexpr std::uint64_t tag_mask = (std::uint64_t{1} << tag_bits) - 1;

    // A head: the place of the first block, and above it the tag.
    [[nodiscard]] static constexpr block_place place_in(std::uint64_t word) noexcept {
        return static_cast<block_place>(static_cast<std::uint32_t>(word));
    }
    [[nodiscard]] static constexpr std::uint64_t head_after(std::uint64_t word, block_place first) noexcept {
        return (((word >> 32) + 1) & tag_mask) << 32 | static_cast<std::uint32_t>(first);
    }

    [[nodiscard]] block* pop(head& list) noexcept {
        // acquire: pairs with the release of push(), here and where an exchange of the head fails; the link is there
        std::uint64_t seen = list.load(std::memory_order_acquire);
        while (place_in(seen) != block::none) {
            block* const first = at(place_in(seen));
            // relaxed: whoever has taken the block since has changed the head, and both exchanges notice
            const block_place next = first->next.load(std::memory_order_relaxed);
            if (next == block::in_use) {
                // The same head leads to a block in use: the tag has come round. acquire: as a failure, which must not
                // be stronger; here and in the next exchange success needs none
                if (list.compare_exchange_strong(seen, head_after(seen, block::none), std::memory_order_acquire,
                                                 std::memory_order_acquire))
                    return nullptr;
            } else if (list.compare_exchange_weak(seen, head_after(seen, next), std::memory_order_acquire,
                                                  std::memory_order_acquire)) {
                // A process that is killed here has taken the block out of the list, and its link still says that it
                // is free: it is lost.
                // acquire: pairs with the release of the stores in push(), for a list that led to the block by a link
                // from before the tag came round
                if (first->next.exchange(block::in_use, std::memory_order_acquire) != block::in_use) return first;
                // relaxed: the tag has come round, so that blocks may be lost; the exchange orders those that are not
                seen = list.load(std::memory_order_relaxed);
            }
        }
        return nullptr;
    }

    void push(head& list, block* freed) noexcept {
        // relaxed: the value is only stored and compared
        std::uint64_t seen = list.load(std::memory_order_relaxed);
        block_place next = place_in(seen);
        // release: pairs with the acquire of the exchange in pop(). From here on the block is free.
        freed->next.store(next, std::memory_order_release);
        // release: pairs with the acquire of the head in pop()
        while (!list.compare_exchange_weak(seen, with_tag_of(seen, freed->place), std::memory_order_release,
                                           std::memory_order_relaxed)) {
            // By comparison, not a store: if the tag has come round, the block may have been found and taken already.
            // relaxed: goes on with the release sequence of the store
            if (!freed->next.compare_exchange_strong(next, place_in(seen), std::memory_order_relaxed,
                                                     std::memory_order_relaxed))
                return;
            next = place_in(seen);
        }
    }

    // The tag stays: a list that has only grown since the head was loaded is not mistaken for the old one.
    [[nodiscard]] static constexpr std::uint64_t with_tag_of(std::uint64_t word, block_place first) noexcept {
        return word >> 32 << 32 | static_cast<std::uint32_t>(first);
    }

    [[nodiscard]] block* at(block_place place) noexcept {
        return reinterpret_cast<block*>(reinterpret_cast<std::byte*>(this) + bytes_in(place));
    }

    // Of 64 bits, also where addresses have 32.
    [[nodiscard]] static constexpr std::int64_t bytes_in(block_place distance) noexcept {
        return std::int64_t{distance} * static_cast<std::int64_t>(place_unit);
    }

    [[nodiscard]] block_place distance_of(const void* memory) const noexcept {
        const std::int64_t bytes = static_cast<const std::byte*>(memory) - reinterpret_cast<const std::byte*>(this);
        FREEHOLD_EXPECTS(reinterpret_cast<std::uintptr_t>(memory) % granule == 0 && bytes > bytes_in(INT32_MIN) &&
                             bytes <= bytes_in(INT32_MAX),
                         "the memory is not aligned to 16 bytes, or too far from the pool");
        return static_cast<block_place>(bytes / bytes_in(1));
    }

    [[nodiscard]] block_place end_of(const void* memory, std::size_t bytes) const noexcept {
        const std::int64_t begin = distance_of(memory);
        const auto units = static_cast<std::int64_t>(bytes / place_unit);
        return static_cast<block_place>(units < INT32_MAX - begin ? begin + units : INT32_MAX);
    }

    head heads_[classes] = {};
    typename Threading::template atomic<block_place> fresh_;  // where the memory begins that no block has had
    block_place end_;
};

}  // namespace freehold::detail
