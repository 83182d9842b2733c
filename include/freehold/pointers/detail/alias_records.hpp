#pragma once
// alias_records: memory for the pairs of pointer and owner that do not fit into one word (shared_word.hpp).
//
// Lock-free: the head of the list of free records is the index of the first one and a number of changes. Without the
// number, a thread could replace the head by a successor that another thread has taken meanwhile. Records are never
// given back to the system, so a thread may read one that was just taken. Segments come from the system, each with as
// many records as all before it.
//
// Thread safety: any thread may call any function. Complexity: constant, but for a new segment. Cost: 32 bytes a
// record; take() and give_back() are a locked operation each.

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

#include "../../core/threading.hpp"

namespace freehold::detail {

struct process_reading;

// The Process (reader_domain.hpp) of the atomic pointers whose threads synchronize so, as `type`. A test specializes
// it.
template <class Threading>
struct process_of;

template <>
struct process_of<process_threading> {
    using type = process_reading;
};

template <class Threading>
class basic_alias_records;

// Threading: core/threading.hpp, here and below.
template <class Threading>
struct alignas(32) basic_alias_record {
    std::uintptr_t object = 0;
    std::uintptr_t handle = 0;
    basic_alias_records<Threading>* home = nullptr;  // constant; of the module that made the atomic pointer
    std::uint32_t index = 0;                         // constant
    // 1 + the index of the next free record, 0 if none
    typename Threading::template atomic<std::uint32_t> next_free = 0;
};

template <class Threading>
class basic_alias_records {
    template <class T>
    using atomic = typename Threading::template atomic<T>;

public:
    using alias_record = basic_alias_record<Threading>;

    constexpr basic_alias_records() noexcept = default;
    basic_alias_records(const basic_alias_records&) = delete;
    basic_alias_records& operator=(const basic_alias_records&) = delete;

    // Returns: a record for the caller alone, or null if there is no memory, which cannot happen for the first 128.
    [[nodiscard]] alias_record* take() noexcept {
        // acquire, here and below: pairs with the release of link()
        std::uint64_t head = head_.load(std::memory_order_acquire);
        while (true) {
            const auto first = static_cast<std::uint32_t>(head);
            if (first == 0) {
                return take_unused();
            }
            alias_record& record = at(first - 1);
            // relaxed: if another thread has taken the record meanwhile, the exchange fails
            const std::uint32_t next = record.next_free.load(std::memory_order_relaxed);
            if (head_.compare_exchange_weak(head, changed(head, next), std::memory_order_acquire)) return &record;
        }
    }

    // Effects: another take() may return the record. Requires: take() returned it.
    static void give_back(alias_record& record) noexcept { record.home->link(record); }

private:
    using process = typename process_of<Threading>::type;

    static constexpr std::size_t first_count = 4096 / sizeof(alias_record);  // a page
    static constexpr std::size_t segment_count = 25;

    static_assert(std::has_single_bit(first_count) && first_count << (segment_count - 1) < UINT32_MAX);

    // Returns: a head with that first record, and one change more.
    static std::uint64_t changed(std::uint64_t head, std::uint32_t first_plus_1) noexcept {
        return ((head >> 32) + 1) << 32 | first_plus_1;
    }

    // The records before first_count are in first_, those from first_count * 2^(n-1) in segment n.
    static std::size_t segment_of(std::uint32_t index) noexcept {
        return static_cast<std::size_t>(std::bit_width(index / first_count));
    }
    static std::size_t first_in(std::size_t segment) noexcept { return first_count << (segment - 1); }

    [[nodiscard]] alias_record& at(std::uint32_t index) noexcept {
        if (index < first_count) return first_[index];
        const std::size_t segment = segment_of(index);
        // acquire: pairs with the release in has_segment()
        return segments_[segment].load(std::memory_order_acquire)[index - first_in(segment)];
    }

    void link(alias_record& freed) noexcept {
        std::uint64_t head = head_.load(std::memory_order_relaxed);
        do {
            freed.next_free.store(static_cast<std::uint32_t>(head), std::memory_order_relaxed);
            // release: pairs with the acquire in take()
        } while (!head_.compare_exchange_weak(head, changed(head, freed.index + 1), std::memory_order_release,
                                              std::memory_order_relaxed));
    }

    // Returns: a record that was never taken; null if there is no memory.
    [[nodiscard]] alias_record* take_unused() noexcept {
        // relaxed, here and below: no other thread has written to the record
        std::uint32_t next = used_.load(std::memory_order_relaxed);
        do {
            if (next >= first_count && !has_segment(segment_of(next))) return nullptr;
        } while (!used_.compare_exchange_weak(next, next + 1, std::memory_order_relaxed));
        alias_record& unused = at(next);
        unused.index = next;
        unused.home = this;
        return &unused;
    }

    // Effects: makes the segment, unless it exists. Returns: false if there is no memory.
    [[nodiscard]] bool has_segment(std::size_t segment) noexcept {
        if (segment >= segment_count) return false;
        // relaxed: not read here
        if (segments_[segment].load(std::memory_order_relaxed) != nullptr) return true;
        const std::size_t size = first_in(segment);
        void* const memory = process::allocate(size * sizeof(alias_record));
        if (memory == nullptr) return false;
        // The pages are zero, and a record of zeros is a new one: they are touched as they are taken.
        auto* const records = static_cast<alias_record*>(memory);
        alias_record* none = nullptr;
        // release: pairs with the acquire in at(). The system has written the zeros for this thread: another one that
        // writes there without it is a data race to ThreadSanitizer. relaxed: that other segment is not read here
        if (!segments_[segment].compare_exchange_strong(none, records, std::memory_order_release,
                                                        std::memory_order_relaxed)) {
            process::free(memory, size * sizeof(alias_record));
        }
        return true;
    }

    atomic<std::uint64_t> head_ = 0;  // 1 + the index of the first free record, and above it the changes
    atomic<std::uint32_t> used_ = 0;  // records that were ever taken
    std::array<atomic<alias_record*>, segment_count> segments_{};
    std::array<alias_record, first_count> first_{};
};

using alias_record = basic_alias_record<process_threading>;
using alias_records = basic_alias_records<process_threading>;

}  // namespace freehold::detail
