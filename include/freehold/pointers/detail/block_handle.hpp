#pragma once
// block_handle: what a shared or weak pointer holds beside its pointer, a word that names a control block, an immortal
// object or nothing.

#include <climits>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "../../core/config.hpp"
#include "../../core/exceptions.hpp"
#include "control_block.hpp"

namespace freehold::inline v0_2::detail {

// Whether the highest bits of an address are free for marks. Of 32 bits none is: marks are in the lowest bits then,
// which alignment keeps clear (docs/decisions/0041-32-bits.md).
inline constexpr bool has_spare_address_bits = sizeof(void*) == 8;

// An empty handle and a handle to an immortal have nothing to count. The mark of an immortal is its address with the
// highest bit set, so that one comparison with zero distinguishes both from a block's address. Addresses of 32 bits
// need that bit: the mark is the second lowest bit then, which is clear in the addresses of blocks and of immortals.
//
// The address is kept as a number. Beside the pointer of a handle g++ would take a second pointer for one value of 16
// bytes with it, and read both at once. Where they were just written one by one, as when a handle was just made, the
// processor can't forward that from its store buffer, and waits until both writes have reached the cache: a copy or
// move of a new handle then takes three times as long (docs/decisions/0012-a-handle-word-by-word.md).
template <class Counting>
class block_handle {
public:
    // Set by a latch (shared_ptr_atomic_access.hpp). No address of the user's needs the second highest of 64 bits. In
    // 32 bits it is the mark of a copy, which no handle with a latch has.
    static constexpr std::uintptr_t latch_mark = has_spare_address_bits ? ~(~std::uintptr_t{0} >> 1) >> 1 : 1;

    // What the address of an immortal is a multiple of, as that of any block.
    static constexpr std::size_t immortal_alignment = has_spare_address_bits ? 1 : 4;

    constexpr block_handle() noexcept = default;
    FREEHOLD_ALWAYS_INLINE block_handle(control_block<Counting>* block) noexcept
        : word_(reinterpret_cast<std::uintptr_t>(block)) {}

    [[nodiscard]] static block_handle immortal(const void* object) noexcept {
        return block_handle(reinterpret_cast<std::uintptr_t>(object) | immortal_mark);
    }

    // The handle as an address, for a place that stores one.
    [[nodiscard]] void* address() const noexcept { return reinterpret_cast<void*>(word_); }
    [[nodiscard]] static block_handle at(void* address) noexcept {
        return block_handle(reinterpret_cast<std::uintptr_t>(address));
    }

    // The handle of an owner that is counted like the first one.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE block_handle anchor() const noexcept { return block_handle(identity()); }

    // Effects: leaves *this empty. Returns: what it was.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE block_handle take() noexcept {
        const block_handle taken(word_);
        word_ = 0;
        return taken;
    }

    FREEHOLD_ALWAYS_INLINE void swap(block_handle& other) noexcept {
        const std::uintptr_t word = word_;
        word_ = other.word_;
        other.word_ = word;
    }

    [[nodiscard]] FREEHOLD_ALWAYS_INLINE bool is_empty() const noexcept { return word_ == 0; }

    [[nodiscard]] FREEHOLD_ALWAYS_INLINE bool is_counted() const noexcept {
        if constexpr (has_spare_address_bits) {
            return static_cast<std::intptr_t>(word_) > 0;
        } else {
            return word_ != 0 && (word_ & immortal_mark) == 0;
        }
    }

    // Returns: the block, or a null pointer if there is none.
    [[nodiscard]] control_block<Counting>* block() const noexcept { return is_counted() ? counted() : nullptr; }

    // Effects: adds an owner, which *this is from then on.
    FREEHOLD_ALWAYS_INLINE void acquire() noexcept {
        if (!is_counted()) return;
        if constexpr (counts_copies_apart<Counting>) {
            word_ = identity() | (counted()->acquire_copy() ? copy_mark : 0);
        } else {
            counted()->acquire();
        }
    }

    FREEHOLD_ALWAYS_INLINE void release() const noexcept {
        if (is_counted()) [[likely]] {
            if constexpr (counts_copies_apart<Counting>) {
                word_ != identity() ? counted()->release_copy() : counted()->release();
            } else {
                counted()->release();
            }
        }
    }

    void acquire_weak() const noexcept {
        if (is_counted()) counted()->acquire_weak();
    }

    void release_weak() const noexcept {
        if (is_counted()) counted()->release_weak();
    }

    // Returns: whether the last owner will destroy or delete the object that is at the address, wholly or as a part.
    // Requires: preconditions are checked, and the object is not expired.
    [[nodiscard]] bool deletes(const volatile void* address) const noexcept {
        if (!is_counted()) return false;
        const auto place = reinterpret_cast<std::uintptr_t>(address);
        const auto begin = reinterpret_cast<std::uintptr_t>(counted()->deleter(type_key::of<begin_of_deleted>()));
        const auto end = reinterpret_cast<std::uintptr_t>(counted()->deleter(type_key::of<end_of_deleted>()));
        return begin <= place && place < end;
    }

    // Returns: whether there is an object to count, with one owner and no weak pointer.
    [[nodiscard]] bool is_sole() const noexcept { return is_counted() && counted()->is_sole(); }

    // Returns: whether the block's try_lock(), which was not `acquired`, acquires an owner after all; without a block,
    // whether there is an object.
    [[nodiscard]] bool resolve_lock(lock_outcome outcome) const noexcept {
        return is_counted() ? counted()->resolve_lock(outcome) : word_ != 0;
    }

    // Effects: acquires an owner of an object that is not expired. Returns: `object`. Throws: std::bad_weak_ptr.
    template <class T>
    [[nodiscard]] T* kept_alive(T* object) const {
        if (is_counted()) [[likely]] {
            const lock_outcome outcome = counted()->try_lock();
            if (outcome != lock_outcome::acquired) [[unlikely]]
                resolve_or_raise(counted(), outcome);
        } else if (word_ == 0) {
            raise<std::bad_weak_ptr>();
        }
        return object;
    }

    [[nodiscard]] long owners() const noexcept {
        if (is_counted()) return counted()->owners();
        return word_ == 0 ? 0 : LONG_MAX;
    }

    [[nodiscard]] bool before(block_handle other) const noexcept { return identity() < other.identity(); }

    [[nodiscard]] std::size_t hash() const noexcept { return std::hash<std::uintptr_t>()(identity()); }

    friend bool operator==(block_handle a, block_handle b) noexcept { return a.identity() == b.identity(); }

    // Returns: the number that the handle is. Used as a latch.
    [[nodiscard]] std::uintptr_t& word() noexcept { return word_; }

private:
    FREEHOLD_ALWAYS_INLINE explicit block_handle(std::uintptr_t word) noexcept : word_(word) {}

    FREEHOLD_NOINLINE FREEHOLD_COLD static void resolve_or_raise(control_block<Counting>* block, lock_outcome outcome) {
        if (!block->resolve_lock(outcome)) raise<std::bad_weak_ptr>();
    }

    // Requires: is_counted().
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE control_block<Counting>* counted() const noexcept {
        return reinterpret_cast<control_block<Counting>*>(identity());
    }

    // Returns: the word without the mark of a copy, which lies below the address of a block.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE std::uintptr_t identity() const noexcept {
        if constexpr (counts_copies_apart<Counting>) {
            return is_counted() ? word_ & ~copy_mark : word_;
        } else {
            return word_;
        }
    }

    static constexpr std::uintptr_t copy_mark = 1;
    static constexpr std::uintptr_t immortal_mark = has_spare_address_bits ? ~(~std::uintptr_t{0} >> 1) : 2;
    static_assert(alignof(control_block<Counting>) > (copy_mark | (immortal_mark & 3)));

    std::uintptr_t word_ = 0;
};

}  // namespace freehold::detail
