#pragma once
// The state of a thread's collected objects: when a collection is due, and the deferred destructions. Its base
// (cyclic_cells.hpp) has the cells, the candidates for cycles and the search in progress.

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "../../core/config.hpp"
#include "../../core/growing_buffer.hpp"
#include "cyclic_cells.hpp"
#include "cyclic_header.hpp"
#include "weak_records.hpp"

namespace freehold::inline v0_2 {

struct cyclic_collection;

namespace detail {

class cycle_search;
struct search_request;

// Replaces the header of an object whose destruction is deferred.
struct deferred_object {
    std::uintptr_t next;  // with linked_cell::taken, and the bit cyclic_header::finalized, if this object is finalized
};

// When to search again: when the objects have grown by a number of bytes; or when more bytes of objects were made than
// that, as the objects may have been many more once. A program that makes and drops the same number again and again
// needs no search.
struct search_pace {
    std::int64_t growth_left;
    std::int64_t made_left;

    void count(std::int64_t made, std::int64_t freed) noexcept {
        growth_left -= made - freed;
        made_left -= made;
    }

    [[nodiscard]] bool is_due() const noexcept { return growth_left < 0 || made_left < 0; }
};

// What an object may own outside, in bytes; more is taken for this, so that no sum overflows.
inline constexpr std::size_t most_owned =
    static_cast<std::size_t>(sizeof(std::size_t) == 8 ? std::uint64_t{1} << 40 : SIZE_MAX / 2);

// Trivially destructible and constant-initialized, as the decision on static thread-local variables demands.
struct cyclic_thread : cell_owner {
    // Collect, or go on with a search, after this many bytes of new objects, less those of dead ones.
    static constexpr std::int64_t min_growth = std::int64_t{32} * 1024;

    // Where more candidates wait for a search, it looks for them among all objects. So the list is dropped of its dead
    // in a millisecond, and takes 1 MiB at most.
    static constexpr std::size_t max_postponed = std::size_t{64} * 1024;

    // Where wide runs, over all that candidates lead to, find garbage, they may visit more and more objects: some
    // milliseconds in vain, when that ends.
    static constexpr std::size_t min_wide_budget = std::size_t{16} * 1024;
    static constexpr std::size_t max_wide_budget = std::size_t{32} * 1024;

    static constexpr std::size_t min_scanned = 4096;
    static constexpr int max_waits = 8;

    // Looks around candidates may visit as many objects in vain as they have found, and this many in each run.
    static constexpr std::size_t visits_a_run = 1024;
    static constexpr std::size_t max_visits = std::size_t{64} * 1024;

    // Destructors of collected objects nest in this much of the stack: enough for the usual trees, and little of the
    // smallest stack. Addresses tell the depth and not a count, which each destructor would have to load and store
    // (binary-trees took an eighth more time with clang).
    static constexpr std::size_t max_nested_bytes = 8192;

    std::int64_t growth_left = min_growth;  // bytes of new objects, until make_cyclic asks whether to collect
    std::int64_t freed = 0;                 // bytes, since it last asked
    search_pace pace{min_growth, 16 * min_growth};
    std::size_t visits_left = 0;                // in vain, of looks around candidates
    std::size_t wide_budget = min_wide_budget;  // of objects that a wide run visits; 0 if such runs are in vain
    std::size_t garbage_share = 0;              // of what the last search looked at, in percent
    std::uintptr_t deferred = 0;                // the address of the first deferred_object
    std::uintptr_t outermost = 0;               // the frame of the outermost destruction; 0 if there is none
    int waited = 0;  // calls of is_scan_due() that returned false, since it last returned true
    bool automatic = true;
    bool collecting = false;
    bool requested = false;        // collect() was called while no collection was possible
    bool lost_candidates = false;  // there was no memory for one: any object may be garbage
    bool has_unlisted = false;     // an object is postponed, but not in the list
    bool has_exited = false;
    std::size_t runs = 0;
    std::uint32_t searches = 0;
    void (*on_collection)(const cyclic_collection&) = nullptr;
    // Runs a collection and calls on_collection; null if there is no callback. Only a program that sets one needs
    // <chrono>.
    std::size_t (*run_with_callback)(cycle_search&, const search_request&) noexcept = nullptr;
    detail::weak_records<one_thread> weak_records;

    // Returns: a number that becomes less with each object that is made.
    [[nodiscard]] std::int64_t growth_and_made_left() const noexcept { return growth_left + pace.made_left; }

    // Returns: whether to collect now.
    [[nodiscard]] bool is_run_due() const noexcept {
        if (requested) return true;
        const bool has_work =
            lost_candidates || !candidates.empty() || !postponed.empty() || has_unlisted || search.is_searching();
        return automatic && has_work;
    }

    // Effects: makes the object a candidate. It lost an owner, so it may be part of an unowned cycle.
    // Requires: header.may_become_candidate(). Out of line: inlined, it would make each release save more registers.
    FREEHOLD_NOINLINE void add_candidate(cyclic_header& header) noexcept {
        if (candidates.is_full()) [[unlikely]]
            return add_in_more_room(header);
        candidates.add_within(header);
    }

    // Out of line, so that add_candidate() saves no registers.
    FREEHOLD_NOINLINE void add_in_more_room(cyclic_header& header) noexcept {
        if (!candidates.add(header)) lost_candidates = true;
    }

    // Effects: the same, for an object that a program releases. While wide_budget is 0, an object left with its first
    // owner waits for a search: a look around it could not notice that it loses that owner. Most such objects die
    // before, as the nodes of a tree do that were held by name when they were copied into it.
    void add_released(cyclic_header& header) noexcept {
        if (wide_budget == 0 && header.is_untouched_with_one_owner()) {
            header.postpone_untouched();
            has_unlisted = true;
        } else {
            header.note_first_owners();
            add_candidate(header);
        }
    }

    // Returns: whether to scan the new candidates: there are many, or they have waited. Most of them die young.
    [[nodiscard]] bool is_scan_due() noexcept {
        if (candidates.size() < min_scanned && ++waited < max_waits) return false;
        waited = 0;
        return true;
    }

    // Effects: counts how much the objects have grown, and sets when to count again.
    void count_growth() noexcept {
        const std::int64_t made = min_growth - growth_left;
        pace.count(made, freed);
        freed = 0;
        growth_left = min_growth;
        grant_visits();
    }

    // Effects: looks around candidates may visit some objects more in vain. Once for each run.
    void grant_visits() noexcept { visits_left = smaller(visits_left + visits_a_run, max_visits); }

    // Effects: the candidate was looked at. The next search begins with it.
    void postpone(cyclic_header& header) noexcept {
        if (header.is(cyclic_header::postponed)) return;
        // While a search goes through all objects, those in the list would lose the flag, and their entries would stay
        // when their blocks are given back.
        if (!search.is_gathering() && postponed.size() < max_postponed && postponed.add(header)) return;
        header.set(cyclic_header::postponed);
        has_unlisted = true;
    }

    // Effects: notes how many objects a run over all that candidates lead to has destroyed, and how many it has visited
    // that are alive. If most are, looks around candidates follow.
    void note_run(std::size_t destroyed, std::size_t kept) noexcept {
        if (destroyed >= kept / 4) {
            wide_budget = detail::clamp(2 * wide_budget, min_wide_budget, max_wide_budget);
        } else {
            wide_budget = 0;
        }
    }

    // Effects: the objects own `bytes` bytes more outside.
    void count_owned(std::size_t bytes) noexcept {
        growth_left -= static_cast<std::int64_t>(smaller(bytes, most_owned));
    }

    // Effects: a search will look for the postponed objects in all blocks, and empties the list.
    void begin_gathering() noexcept {
        postponed.truncate();
        has_unlisted = false;
        ++searches;
        gathered_list = free_lists;
        gathered = gathered_list != nullptr ? gathered_list->first_block() : nullptr;
    }

    // Returns: the next block for that; null if there is none.
    [[nodiscard]] cyclic_block* next_to_gather() noexcept {
        while (gathered == nullptr && gathered_list != nullptr) {
            gathered_list = gathered_list->next();
            if (gathered_list != nullptr) gathered = gathered_list->first_block();
        }
        return gathered != nullptr ? std::exchange(gathered, gathered->next) : nullptr;
    }

    // Effects: postpones all candidates without a look at them.
    void postpone_all() noexcept {
        while (cyclic_header* const candidate = candidates.last()) {
            candidates.remove_last();
            postpone(*candidate);
        }
    }

    // Returns: whether a destructor or finalize() of a collected object may be running.
    [[nodiscard]] bool is_destroying() const noexcept { return outermost != 0; }

    // Returns: whether destructors nest too deeply. On another stack, such as a fiber's, they always do.
    // Requires: is_destroying().
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE bool is_too_deep() const noexcept {
        return outermost - this_frame() > max_nested_bytes;
    }

    // Effects: calls work(), which destroys objects. Requires: !is_destroying().
    template <class Work>
    FREEHOLD_ALWAYS_INLINE void as_outermost(Work work) {
        outermost = this_frame();
        work();
        outermost = 0;
    }

    // Effects: destroys and frees the objects, and then what they have released. Requires: !is_destroying(); the
    // objects have no owners, no weak pointers and no pointers to each other.
    void destroy(const growing_buffer<cyclic_header*>& garbage) noexcept {
        as_outermost([&] {
            for (cyclic_header* const header : garbage) cyclic_block::of(*header).type->destroy(*header);
            for (cyclic_header* const header : garbage) cyclic_block::of(*header).type->deallocate(*header);
            drain();
        });
    }

    // Effects: leaves the object to drain(). Requires: it has no owner.
    void defer(cyclic_header& header) noexcept {
        if (header.is_listed() && cyclic_block::of(header).type->shape.count == 1) forget(header);
        const std::uintptr_t finalized =
            header.is(cyclic_header::finalized) ? std::uintptr_t{cyclic_header::finalized} : 0;
        deferred = reinterpret_cast<std::uintptr_t>(::new (static_cast<void*>(&header))
                                                        deferred_object{deferred | finalized | linked_cell::taken});
    }

    // Effects: destroys and frees all deferred objects. Requires: the caller is the outermost destruction.
    FREEHOLD_NOINLINE void drain() noexcept {
        while (deferred != 0) drain_one();
    }

    // Effects: destroys and frees a deferred object. Requires: there is one; as drain().
    FREEHOLD_ALWAYS_INLINE void drain_one() noexcept {
        auto* const object = reinterpret_cast<deferred_object*>(deferred);
        const std::uintptr_t next = object->next;
        const bool is_finalized = (next & cyclic_header::finalized) != 0;
        deferred = next & ~(linked_cell::taken | cyclic_header::finalized);
        auto* const header = ::new (static_cast<void*>(object)) cyclic_header(true);
        if (is_finalized) header->set(cyclic_header::finalized);
        cyclic_block::of(*header).type->dispose_now(*header);
    }

private:
    // Returns: the address of the frame of the function that it is inlined into.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static std::uintptr_t this_frame() noexcept {
        return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    }
};

FREEHOLD_STATIC_TLS inline constinit thread_local cyclic_thread this_cyclic_thread{};

}  // namespace detail
}  // namespace freehold
