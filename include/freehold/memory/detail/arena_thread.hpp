#pragma once
// The parts of an arena from which single threads cut their blocks, and how a thread finds its own.
//
// A part belongs to the life of a thread: a record, and how many threads have had that record and ended. A thread that
// ends counts its record up. So every part of it belongs to nobody, for the next thread to take over, and the end of a
// thread touches no arena: one may be destroyed at the same time. Records stay mapped when their module is unloaded.
//
// Invariant: only the thread to which it belongs reads and writes a part; who it is changes under the arena's mutex.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../../core/alignment.hpp"
#include "../../core/annotate.hpp"
#include "../../core/config.hpp"
#include "../../core/platform/thread_local.hpp"
#include "../../core/record_table.hpp"
#include "../../core/thread_end.hpp"
#include "../../core/threading.hpp"
#include "chunk.hpp"
#include "resource_id.hpp"

namespace freehold::inline v0_2::detail {

struct life_record : table_entry<process_threading> {
    std::atomic<std::uint64_t> ended = 0;  // the threads that had it and have ended
};

struct life_limits : process_records {
    static constexpr bool is_first_group_in_place = false;
};

inline constinit record_table<process_threading, life_record, life_limits, false> life_records;

// The life of a thread, from its first block of an arena on.
struct thread_life {
    life_record* record;
    std::uint64_t number;  // of the threads that had the record before

    [[nodiscard]] bool is_over() const noexcept {
        // acquire: pairs with the release of end_arena_thread(), after which the thread touches no part
        return record->ended.load(std::memory_order_acquire) != number;
    }

    [[nodiscard]] bool is_same(const thread_life& other) const noexcept {
        return record == other.record && number == other.number;
    }
};

class arena_part {
public:
    arena_part(const thread_life& holder, arena_part* next) noexcept : holder_(holder), next_(next) {}

    // Returns: a block from the end of the free bytes, or null if they are too few or no byte is asked for. From the
    // end, because then a size is all that is compared: where they begin is aligned as blocks usually are. Requires:
    // alignment <= usual_alignment.
    [[nodiscard]] void* cut(std::size_t bytes, std::size_t alignment) noexcept {
        if (bytes - 1 >= left_ || left_ - bytes < chunk::gap) [[unlikely]]
            return nullptr;
        left_ = (left_ - bytes - chunk::gap) & (0 - alignment);
        if (begin_ == nullptr) FREEHOLD_UNREACHABLE();  // a comparison less in each allocation
        annotate_allocated(begin_ + left_, bytes);
        return begin_ + left_;
    }

    // Returns: the same, with any alignment.
    [[nodiscard]] void* cut_aligned(std::size_t bytes, std::size_t alignment) noexcept {
        if (bytes > left_ || left_ - bytes < chunk::gap) return nullptr;
        const auto begin = reinterpret_cast<std::uintptr_t>(begin_);
        const std::uintptr_t block = (begin + left_ - bytes - chunk::gap) & (0 - alignment);
        if (block < begin) return nullptr;
        left_ = block - begin;
        annotate_allocated(begin_ + left_, bytes);
        return begin_ + left_;
    }

    // Effects: blocks are cut from these bytes from now on. Requires: `begin` has the usual alignment.
    void open(std::byte* begin, const std::byte* end) noexcept {
        begin_ = begin;
        left_ = static_cast<std::size_t>(end - begin);
    }

    // Returns: the part in the list that belongs to the thread, or to one that has ended and from now on to this one;
    // or null. Requires: the arena's mutex is locked.
    [[nodiscard]] static arena_part* find(arena_part* first, const thread_life& mine) noexcept {
        arena_part* left = nullptr;
        for (arena_part* each = first; each != nullptr; each = each->next_) {
            if (each->holder_.is_same(mine)) return each;
            if (left == nullptr && each->holder_.is_over()) left = each;
        }
        if (left != nullptr) left->holder_ = mine;
        return left;
    }

    std::size_t next_chunk = 0;  // bytes

private:
    std::byte* begin_ = nullptr;  // of the free bytes
    std::size_t left_ = 0;
    thread_life holder_;
    arena_part* next_;  // in the arena
};

// Trivially destructible and constant-initialized: see the decision on static thread-local variables.
struct arena_thread {
    struct entry {
        std::uint64_t arena;
        arena_part* part;
    };

    entry used_last[table_entries::count];  // of arenas that are gone as well, under ids that nobody has again
    thread_life life;
    bool has_ended;

    // Effects: the thread's life begins, unless it has. Returns: false if it is over, or out of memory.
    [[nodiscard]] bool begin() noexcept;

    void remember(std::uint64_t arena, arena_part* part) noexcept {
        used_last[table_entries::of(arena)] = {arena, part};
    }
};

FREEHOLD_STATIC_TLS inline constinit thread_local arena_thread this_arena_thread{};

// Returns: the entry of the calling thread that has its part of the arena, if `arena` is in it.
FREEHOLD_PER_THREAD [[nodiscard]] inline arena_thread::entry last_in_table(std::uint64_t arena) noexcept {
    const arena_thread::entry last = this_arena_thread.used_last[table_entries::of(arena)];
    FREEHOLD_PRETEND_USE(last.part);  // or clang loads it later, and computes its address once more: 3 instructions
    return last;
}

inline void end_arena_thread() noexcept {
    arena_thread& thread = this_arena_thread;
    for (arena_thread::entry& each : thread.used_last) each = {};
    thread.has_ended = true;
    // release: pairs with is_over()
    thread.life.record->ended.store(thread.life.number + 1, std::memory_order_release);
    life_records.release(*thread.life.record);
}

FREEHOLD_COLD FREEHOLD_NOINLINE inline bool arena_thread::begin() noexcept {
    if (life.record != nullptr) return !has_ended;
    life_record* const taken = life_records.acquire();
    if (taken == nullptr) return false;
    life = {taken, taken->ended.load(std::memory_order_relaxed)};  // relaxed: acquire() has ordered it
    // If the end of the thread cannot be noticed, its parts are its own until their arenas are released.
    static_cast<void>(thread_end<end_arena_thread>::arm());
    return true;
}

}  // namespace freehold::detail
