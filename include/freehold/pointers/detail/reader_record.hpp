#pragma once
// reader_record: what one thread reads through shared words, and which references it has deferred.

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>

#include "deferred_releases.hpp"

namespace freehold::detail {

// The words through which one thread reads, in a cache line of their own. Other threads only look at them, except that
// the end of a snapshot that was moved to another thread frees its slot.
template <class Platform>
struct alignas(64) word_slots {
    using slot = typename Platform::template atomic<std::uintptr_t>;

    static constexpr std::uintptr_t free = 0;
    static constexpr std::uintptr_t nothing = 2;  // in a slot that is taken and protects nothing

    // Returns: whether the first slot is free. Requires of this and the next: the slots are the calling thread's.
    [[nodiscard, gnu::always_inline]] bool is_first_free() const noexcept {
        // acquire: pairs with unprotect(), of a snapshot that ended in another thread. No other thread takes slots.
        return slots[0].load(std::memory_order_acquire) == free;
    }

    // Returns: a free slot, or null.
    [[nodiscard]] slot* find_free() noexcept {
        for (slot& each : slots) {
            if (each.load(std::memory_order_acquire) == free) return &each;  // as above
        }
        return nullptr;
    }

    std::array<slot, Platform::slots> slots{};
};

// A set of words that may claim to contain another one. Few do while few words are in it.
class word_filter {
public:
    void clear() noexcept { bits_.reset(); }
    void add(std::uintptr_t word) noexcept { bits_.set(place(word)); }
    [[nodiscard]] bool may_contain(std::uintptr_t word) const noexcept { return bits_[place(word)]; }

private:
    static constexpr int log2_bits = 10;

    static std::size_t place(std::uintptr_t word) noexcept {
        return static_cast<std::size_t>(word * 0x9e3779b97f4a7c15 >> (64 - log2_bits));  // bits of the golden ratio
    }

    std::bitset<std::size_t{1} << log2_bits> bits_;
};

template <class Platform>
struct reader_record : word_slots<Platform> {
    // idle: of no thread. abandoned: of no thread, with deferred releases. shared: its slots are of all threads for
    // ever.
    enum state : std::uint32_t { idle, abandoned, taken, shared };

    alignas(64) reader_record* next = nullptr;  // constant once the record is in the list
    typename Platform::template atomic<std::uint32_t> use = idle;
    std::uint32_t last_fence = 0;  // when; in milliseconds
    bool is_releasing = false;     // a destructor runs that may defer further releases
    word_filter protected_then;    // the words that were protected after the last fence
    deferred_releases deferred;
};

}  // namespace freehold::detail
