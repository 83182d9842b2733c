#pragma once
// relative_place: a place in shared memory as its distance from the word that names it, so that it is right wherever
// the memory is mapped, if the word lies there as well.
//
// A word elsewhere, as on the stack, is right in its own process only. In builds without NDEBUG it bears a mark of that
// process, and another one that uses it is told: it was copied into another segment, or inherited through fork. Builds
// with and without NDEBUG can share memory: a word without a mark is not checked.

#include <cstddef>
#include <cstdint>

#include "../../core/assert.hpp"
#include "../../core/platform/process.hpp"

namespace freehold::inline v0_2::detail {

// The memory that processes map as a whole.
struct memory_range {
    [[nodiscard]] bool contains(const void* address) const noexcept {
        return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(begin) < bytes;
    }

    const void* begin;
    std::size_t bytes;
};

// T: aligned to 8 bytes, as the word is.
template <class T>
class relative_place {
public:
    constexpr relative_place() noexcept = default;
    relative_place(const relative_place&) = delete;
    relative_place& operator=(const relative_place&) = delete;

    // Effects: names `target`, which may be null. shared() returns the memory that it lies in.
    template <class Range>
    void set(T* target, Range shared) noexcept {
        store(target == nullptr ? 0 : word_of(target, shared));
    }

    // Returns: what *this names in this process, or null.
    [[nodiscard]] T* get() const noexcept {
        if (word_ == 0) return nullptr;
        FREEHOLD_EXPECTS((word_ & mark) == 0 || (word_ & mark) == mark_of_process(),
                         "a handle that lies outside of the segment of its object is used by another process than made "
                         "it: it was copied into another segment, or inherited through fork",
                         "freehold::shared_memory");
        return reinterpret_cast<T*>(address_of(this) + (static_cast<std::int64_t>(word_) >> mark_bits) * unit);
    }

private:
    // 48 bits for the distance in units of 8 bytes: addresses have at most 50.
    static constexpr std::int64_t unit = 8;
    static constexpr int mark_bits = 16;
    static constexpr std::uint64_t mark = (std::uint64_t{1} << mark_bits) - 1;

    template <class Range>
    [[nodiscard]] std::uint64_t word_of(T* target, [[maybe_unused]] Range shared) const noexcept {
        const std::int64_t distance = address_of(target) - address_of(this);
        std::uint64_t word = static_cast<std::uint64_t>(distance / unit) << mark_bits;
#ifndef NDEBUG
        if (!shared().contains(this)) word |= mark_of_process();
#endif
        return word;
    }

    void store(std::uint64_t word) noexcept {
        // One store, so that a process that is killed leaves the old or the new word.
        // release: it comes after all that was done before it: whoever finds the word after that process was killed
        // finds the object constructed and counted, and the words gone from which it was taken. There is no acquire to
        // pair with: processes that use one word at a time synchronize by other means.
        __atomic_store_n(&word_, word, __ATOMIC_RELEASE);
    }

    [[nodiscard]] static std::int64_t address_of(const void* address) noexcept {
        return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address));
    }

    // Returns: a number that processes that exist at one time hardly have in common; never 0.
    [[nodiscard]] static std::uint64_t mark_of_process() noexcept { return process_id() % mark + 1; }

    alignas(unit) std::uint64_t word_ = 0;  // 0: null. No target is where its place is.
};

}  // namespace freehold::detail
