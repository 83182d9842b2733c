#pragma once
// record_table: records that threads take and give back. They are never given back to the system, so another thread may
// read one at any time.
//
// Records are in groups of up to 64. Where a reclaimer looks at all readers, a word of each group says which of its
// records are in use: 64 readers that have ended cost it one word.
//
// Thread safety: any thread may call any function. Complexity: constant, but for a new segment; a walk is linear in the
// records in use, and in a 64th of those that were ever made.

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include "platform/pages.hpp"

namespace freehold::inline v0_2::detail {

// The base of each record.
template <class Threading>
struct table_entry {
    typename Threading::template atomic<std::uint32_t> next_free = 0;  // while free: 1 + the index of another free one
    std::uint32_t index = 0;                                           // constant
};

// Threading: threading.hpp. Limits provides records_in_group, whether is_first_group_in_place, and the memory for more:
// allocate(bytes), zeros that are aligned as a record is, or null, and free(memory, bytes). Records that are not in
// place are constructed when they are used for the first time. IsWalked: whether records in use can be found.
template <class Threading, class Record, class Limits, bool IsWalked = true>
class record_table {
    template <class T>
    using atomic = typename Threading::template atomic<T>;

public:
    class walk;

    constexpr record_table() noexcept = default;

    // Returns: a record that nobody else has; null if out of memory, which cannot happen for those that are in place.
    [[nodiscard]] Record* acquire() noexcept {
        Record* const taken = take_free();
        if (taken == nullptr) return make();
        mark(*taken);
        return taken;
    }

    // Effects: another thread may acquire the record, as it is.
    void release(Record& freed) noexcept {
        if constexpr (IsWalked) {
            // release: pairs with walk: what the reader has read is read before a reclaimer finds it gone
            group_of(freed.index).in_use.fetch_and(~bit_of(freed.index), std::memory_order_release);
        }
        std::uint64_t seen = free_.load(std::memory_order_relaxed);  // the exchange orders
        std::uint64_t changed = 0;
        do {
            freed.next_free.store(static_cast<std::uint32_t>(index_plus_1(seen)), std::memory_order_relaxed);
            changed = (seen & ~index_mask) + one_release + freed.index + 1;
            // release: pairs with take_free()
        } while (!free_.compare_exchange_weak(seen, changed, std::memory_order_release, std::memory_order_relaxed));
    }

    // Returns: the number of records made so far: the most that were in use at once.
    [[nodiscard]] std::uint32_t made() const noexcept {
        // acquire: pairs with make(), so that the groups' memory is seen
        return made_.load(std::memory_order_acquire);
    }

    // Effects: calls visit(record) for each record in use, as walk does.
    template <class Visitor>
    void for_each(Visitor visit) noexcept
        requires IsWalked
    {
        walk().advance(*this, ~std::uint32_t{0}, [&visit](Record& each) {
            visit(each);
            return true;
        });
    }

private:
    static constexpr std::uint32_t group_size = Limits::records_in_group;
    static constexpr bool has_first = Limits::is_first_group_in_place;
    static constexpr std::size_t segment_count = 25;
    static constexpr std::uint64_t index_mask = 0xffff'ffff;
    static constexpr std::uint64_t one_release = index_mask + 1;

    struct nothing {};

    struct alignas(Record) group {
        [[no_unique_address]] std::conditional_t<IsWalked, atomic<std::uint64_t>, nothing> in_use{};  // a bit for each
        Record records[group_size] = {};
    };

    [[nodiscard]] static std::uint64_t index_plus_1(std::uint64_t head) noexcept { return head & index_mask; }
    [[nodiscard]] static std::uint64_t bit_of(std::uint32_t i) noexcept { return std::uint64_t{1} << i % group_size; }

    // Where a group is: one after another in segments, of which each has twice as many as the one before.
    struct location {
        explicit location(std::uint32_t g) noexcept
            : segment(static_cast<std::size_t>(std::bit_width(g + (has_first ? 0 : 1))) - 1),
              offset(g + (has_first ? 0 : 1) - (std::uint32_t{1} << segment)) {}

        std::size_t segment;
        std::uint32_t offset;
    };

    [[nodiscard]] static bool is_in_place(std::uint32_t g) noexcept { return has_first && g == 0; }

    // Requires: the group has a record that was made.
    [[nodiscard]] group& group_at(std::uint32_t g) noexcept {
        if constexpr (has_first) {
            if (g == 0) return first_;
        }
        const location at(g);
        // acquire: pairs with has_segment()
        return segments_[at.segment].load(std::memory_order_acquire)[at.offset];
    }
    [[nodiscard]] group& group_of(std::uint32_t i) noexcept { return group_at(i / group_size); }

    void mark(const Record& used) noexcept {
        if constexpr (IsWalked) {
            // release: pairs with walk, which reads the record. The light fence that follows puts it before what the
            // reader loads, as it does what the reader announces.
            group_of(used.index).in_use.fetch_or(bit_of(used.index), std::memory_order_release);
        }
    }

    [[nodiscard]] Record* take_free() noexcept {
        // acquire, here and below: pairs with release(). The record is seen as its last owner left it.
        std::uint64_t seen = free_.load(std::memory_order_acquire);
        while (index_plus_1(seen) != 0) {
            const auto i = static_cast<std::uint32_t>(index_plus_1(seen) - 1);
            Record& first = group_of(i).records[i % group_size];
            // relaxed: if another thread has taken the record and released it meanwhile, the number of releases differs
            const std::uint64_t next = first.next_free.load(std::memory_order_relaxed);
            const std::uint64_t changed = (seen & ~index_mask) + next;
            if (free_.compare_exchange_weak(seen, changed, std::memory_order_acquire, std::memory_order_acquire))
                return &first;
        }
        return nullptr;
    }

    [[nodiscard]] Record* make() noexcept {
        std::uint32_t i = made_.load(std::memory_order_relaxed);  // the exchange compares it
        do {
            if (!is_in_place(i / group_size) && !has_segment(location(i / group_size).segment)) return nullptr;
            // release: pairs with made(), for the memory, also that of records made earlier
        } while (!made_.compare_exchange_weak(i, i + 1, std::memory_order_release, std::memory_order_relaxed));
        Record* made = &group_of(i).records[i % group_size];
        if (!is_in_place(i / group_size)) made = ::new (static_cast<void*>(made)) Record;
        made->index = i;
        mark(*made);
        return made;
    }

    // Effects: allocates the segment, unless it exists. Returns: false if out of memory.
    [[nodiscard]] bool has_segment(std::size_t s) noexcept {
        if (s >= segment_count) return false;
        if (segments_[s].load(std::memory_order_relaxed) != nullptr) return true;  // relaxed: not read here
        const std::size_t bytes = sizeof(group) << s;
        void* const memory = Limits::allocate(bytes);
        if (memory == nullptr) return false;
        // The zeros are the words of the groups. Records are constructed one by one: until then their pages are not
        // touched.
        auto* const made = static_cast<group*>(memory);
        if constexpr (IsWalked) {
            for (std::size_t g = 0; g != std::size_t{1} << s; ++g) ::new (&made[g].in_use) atomic<std::uint64_t>(0);
        }
        group* none = nullptr;
        // release: pairs with group_at(); relaxed: another thread was first, and its segment is not read here
        if (!segments_[s].compare_exchange_strong(none, made, std::memory_order_release, std::memory_order_relaxed))
            Limits::free(memory, bytes);
        return true;
    }

    atomic<group*> segments_[segment_count] = {};
    atomic<std::uint32_t> made_ = 0;
    atomic<std::uint64_t> free_ = 0;  // 1 + the index of the first free record, and above it the number of releases
    [[no_unique_address]] std::conditional_t<has_first, group, nothing> first_;
};

// A walk through the records that are in use, in parts. A record that begins to be used meanwhile may be left out: its
// reader sees what was done before the last heavy fence.
template <class Threading, class Record, class Limits, bool IsWalked>
class record_table<Threading, Record, Limits, IsWalked>::walk {
public:
    constexpr walk() noexcept = default;

    // Effects: looks at up to `most` groups and records further, and calls visit(record) for the latter. If that is
    // false, the walk stops there, and the next call begins with the same record. Returns: whether it is at the end.
    template <class Visitor>
    bool advance(record_table& table, std::uint32_t most, Visitor visit) noexcept {
        const std::uint32_t groups = (table.made() + group_size - 1) / group_size;
        for (; most != 0; --most) {
            if (left_ == 0) {
                if (next_group_ == groups) return true;
                group_ = &table.group_at(next_group_++);
                // acquire: pairs with release() and mark()
                left_ = group_->in_use.load(std::memory_order_acquire);
            } else {
                if (!visit(group_->records[std::countr_zero(left_)])) return false;
                left_ &= left_ - 1;
            }
        }
        return left_ == 0 && next_group_ == groups;
    }

private:
    group* group_ = nullptr;
    std::uint64_t left_ = 0;  // records of the group that were in use, and were not visited yet
    std::uint32_t next_group_ = 0;
};

// The Limits of a process, without is_first_group_in_place.
struct process_records {
    static constexpr std::uint32_t records_in_group = 64;
    [[nodiscard]] static void* allocate(std::size_t bytes) noexcept { return allocate_pages(bytes); }
    static void free(void* pages, std::size_t bytes) noexcept { free_pages(pages, bytes); }
};

}  // namespace freehold::detail
