#pragma once
// What readers announce: a slot for each, in a cache line of its own, which is never given back, so that reclaimers can
// read it at any time.

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

namespace freehold::detail {

// One thread writes the value, and reclaimers read it.
template <class Threading, class Value>
struct alignas(64) reader_slot {
    typename Threading::template atomic<Value> value = Value();
    typename Threading::template atomic<std::uint32_t> next_free = 0;  // while free: 1 + the index of another free slot
    std::uint32_t index = 0;
    reader_slot* next_kept = nullptr;  // while a thread keeps it for its next use
    pthread_t thread = {};             // that has it, if a fork needs to know
};

template <class Threading, class Value>
class reader_slots {
    template <class T>
    using atomic = typename Threading::template atomic<T>;

public:
    using slot = reader_slot<Threading, Value>;

    constexpr reader_slots() noexcept = default;

    // Returns: a slot that nobody else has; null if out of memory, which cannot happen for the first 64.
    [[nodiscard]] slot* acquire() noexcept {
        // acquire, here and below: pairs with release(). The slot is seen as its last owner left it.
        std::uint64_t seen = free_.load(std::memory_order_acquire);
        while (index_plus_1(seen) != 0) {
            slot& first = (*this)[index_plus_1(seen) - 1];
            // relaxed: if another thread has taken the slot and released it meanwhile, the number of releases differs
            const std::uint64_t next = first.next_free.load(std::memory_order_relaxed);
            const std::uint64_t changed = (seen & ~index_mask) + next;
            if (free_.compare_exchange_weak(seen, changed, std::memory_order_acquire, std::memory_order_acquire))
                return &first;
        }
        return make();
    }

    // Effects: another thread may acquire the slot. Requires: its value is the initial one.
    void release(slot& freed) noexcept {
        std::uint64_t seen = free_.load(std::memory_order_relaxed);  // the exchange orders
        std::uint64_t changed = 0;
        do {
            freed.next_free.store(static_cast<std::uint32_t>(index_plus_1(seen)), std::memory_order_relaxed);
            changed = (seen & ~index_mask) + one_release + freed.index + 1;
            // release: pairs with acquire()
        } while (!free_.compare_exchange_weak(seen, changed, std::memory_order_release, std::memory_order_relaxed));
    }

    // Returns: the number of slots made so far.
    [[nodiscard]] std::uint32_t size() const noexcept {
        // acquire: pairs with make(), so that the slots' memory is seen
        return size_.load(std::memory_order_acquire);
    }

    // Requires: i < size().
    [[nodiscard]] slot& operator[](std::uint64_t i) noexcept {
        if (i < first_count) return first_[i];
        // acquire: pairs with make()
        return segments_[segment_of(i)].load(std::memory_order_acquire)[i - count_before(segment_of(i))];
    }

private:
    static constexpr std::uint32_t first_count = 64;
    static constexpr std::size_t segment_count = 25;
    static constexpr std::uint64_t index_mask = 0xffff'ffff;
    static constexpr std::uint64_t one_release = index_mask + 1;

    [[nodiscard]] static std::uint64_t index_plus_1(std::uint64_t head) noexcept { return head & index_mask; }

    // Each segment has as many slots as there are before it.
    [[nodiscard]] static std::size_t segment_of(std::uint64_t i) noexcept {
        return static_cast<std::size_t>(std::bit_width(i / first_count)) - 1;
    }
    [[nodiscard]] static std::uint64_t count_before(std::size_t segment) noexcept {
        return std::uint64_t{first_count} << segment;
    }

    [[nodiscard]] slot* make() noexcept {
        std::uint32_t i = size_.load(std::memory_order_relaxed);  // the exchange compares it
        do {
            if (i >= first_count && !has_segment(segment_of(i))) return nullptr;
            // release: pairs with size(), for the memory, also that of slots made earlier
        } while (!size_.compare_exchange_weak(i, i + 1, std::memory_order_release, std::memory_order_relaxed));
        slot& made = (*this)[i];
        made.index = i;
        return &made;
    }

    // Effects: allocates the segment, unless it exists. Returns: false if out of memory.
    [[nodiscard]] bool has_segment(std::size_t s) noexcept {
        if (s >= segment_count) return false;
        if (segments_[s].load(std::memory_order_relaxed) != nullptr) return true;  // relaxed: not read here
        const std::size_t count = count_before(s);
        void* const memory = ::operator new(count * sizeof(slot), std::align_val_t{alignof(slot)}, std::nothrow);
        if (memory == nullptr) return false;
        slot* const made = static_cast<slot*>(memory);
        for (std::size_t i = 0; i < count; ++i) ::new (static_cast<void*>(made + i)) slot;
        slot* none = nullptr;
        // release: pairs with operator[]; relaxed: another thread was first, and its segment is not read here
        if (!segments_[s].compare_exchange_strong(none, made, std::memory_order_release, std::memory_order_relaxed))
            ::operator delete(memory, std::align_val_t{alignof(slot)});
        return true;
    }

    slot first_[first_count];
    atomic<slot*> segments_[segment_count] = {};
    atomic<std::uint32_t> size_ = 0;
    atomic<std::uint64_t> free_ = 0;  // 1 + the index of the first free slot, and above it the number of releases
};

}  // namespace freehold::detail
