#pragma once
// A session, which is a thread's part in a heap that threads share.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "../../core/config.hpp"
#include "../../core/growing_buffer.hpp"
#include "cyclic_cells.hpp"
#include "cyclic_header.hpp"
#include "cyclic_thread.hpp"
#include "own_block_cache.hpp"

namespace freehold::inline v0_2::detail {

template <class Threading>
class mutator_registry;

// How much the objects of all sessions have grown, and whether a collection is due, which would stop them. The sessions
// count their growth here from time to time. All orders are relaxed: the numbers order nothing.
class shared_pace {
public:
    // Effects: objects of `made` bytes were made, and of `freed` bytes destroyed.
    void count(std::int64_t made, std::int64_t freed) noexcept {
        growth_left_.fetch_sub(made - freed, std::memory_order_relaxed);
        made_left_.fetch_sub(made, std::memory_order_relaxed);
    }

    // Returns: whether a session is to collect. has_candidates: whether it has any that were not looked at.
    [[nodiscard]] bool is_due(bool has_candidates) const noexcept {
        return now().is_due() || is_searching_.load(std::memory_order_relaxed) ||
               (has_candidates && is_scanning_.load(std::memory_order_relaxed));
    }

    [[nodiscard]] search_pace now() const noexcept {
        return {growth_left_.load(std::memory_order_relaxed), made_left_.load(std::memory_order_relaxed)};
    }

    // For a session that has stopped the others.

    void set(search_pace next) noexcept {
        growth_left_.store(next.growth_left, std::memory_order_relaxed);
        made_left_.store(next.made_left, std::memory_order_relaxed);
    }

    // Effects: sets whether a search is in progress, and whether new candidates are looked at.
    void set_work(bool is_searching, bool is_scanning) noexcept {
        is_searching_.store(is_searching, std::memory_order_relaxed);
        is_scanning_.store(is_scanning, std::memory_order_relaxed);
    }

private:
    std::atomic<std::int64_t> growth_left_ = cyclic_thread::min_growth;
    std::atomic<std::int64_t> made_left_ = 16 * cyclic_thread::min_growth;
    std::atomic<bool> is_searching_ = false;
    std::atomic<bool> is_scanning_ = false;
};

// Returns: a number that no other session has or had.
[[nodiscard]] inline std::uint64_t next_session_number() noexcept {
    static constinit std::atomic<std::uint64_t> last = 0;
    return last.fetch_add(1, std::memory_order_relaxed) + 1;  // relaxed: the number orders nothing
}

template <class Threading>
struct cyclic_session : cyclic_thread {
    cyclic_session(mutator_registry<Threading>& shared, block_source& blocks_of_heap) noexcept : registry(shared) {
        id = reinterpret_cast<std::uintptr_t>(this);  // so that a block tells its session, until that has ended
        own = &own_blocks;
        source = &blocks_of_heap;
    }

    ~cyclic_session() {
        candidates.release();
        for (const cell_free_list* const free_list : lists_by_type) delete free_list;
    }

    // Returns: the free list of the type with that number; null if there is no memory for one.
    [[nodiscard]] cell_free_list* free_list_of(std::size_t type) noexcept {
        if (type < lists_by_type.size() && lists_by_type[type] != nullptr) [[likely]]
            return lists_by_type[type];
        return add_free_list(type);
    }

    // Effects: tells the heap how much the objects of this session have grown, and sets when to tell it again.
    void count_growth(shared_pace& of_heap, std::int64_t next_quantum) noexcept {
        of_heap.count(quantum - growth_left, freed);
        freed = 0;
        quantum = next_quantum;
        growth_left = next_quantum;
    }

    // The session of the calling thread, which has at most one at a time.
    FREEHOLD_STATIC_TLS static inline constinit thread_local cyclic_session* this_cyclic_session = nullptr;

    mutator_registry<Threading>& registry;
    const std::uint64_t number = next_session_number();
    own_block_cache own_blocks;
    std::int64_t quantum = min_growth;  // bytes of growth, after which it asks whether to collect

    // Another thread stops the heap, or has queued an object for this session. relaxed: the heap's lock orders what the
    // session finds at its safepoint.
    typename Threading::template atomic<bool> stop_requested = false;

    // Under the heap's lock: objects that may have no owner. Only this session can tell.
    growing_list<cyclic_header*> arrivals;
    bool has_ended = false;
    bool has_released_others = false;  // since the last collection: objects of other sessions that still have owners
    bool lost_arrivals = false;        // there was no memory for one: it is an object with the flag `lost`
    cyclic_session* next = nullptr;
    cyclic_session* previous = nullptr;

private:
    FREEHOLD_NOINLINE cell_free_list* add_free_list(std::size_t type) noexcept {
        while (lists_by_type.size() <= type) {
            if (!lists_by_type.push(nullptr)) return nullptr;
        }
        return lists_by_type[type] = new (std::nothrow) cell_free_list();
    }

    growing_list<cell_free_list*> lists_by_type;
};

// Returns: a number for a type, by which sessions find its free list.
[[nodiscard]] inline std::size_t next_cyclic_type() noexcept {
    static constinit std::atomic<std::size_t> next = 0;
    return next.fetch_add(1, std::memory_order_relaxed);  // relaxed: the number orders nothing
}

template <class T>
[[nodiscard]] std::size_t number_of_cyclic_type() noexcept {
    static const std::size_t number = next_cyclic_type();
    return number;
}

}  // namespace freehold::detail
