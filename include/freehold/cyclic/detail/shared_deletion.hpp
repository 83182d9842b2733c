#pragma once
// shared_deletion: a step of the search for garbage in a heap that threads share, while all its sessions are stopped.
//
// The search is cycle_search. Its state is in the registry between two stops, in which the sessions run. Without a
// limit, each level of nested garbage has a stop of its own, as the sessions destroy the level before in between. The
// collecting thread calls finalize().

#include <atomic>
#include <cstddef>

#include "../../core/collected_generations.hpp"
#include "cycle_search.hpp"
#include "cyclic_session.hpp"
#include "mutator_registry.hpp"
#include "stopped_heap.hpp"

namespace freehold::inline v0_2::detail {

// Requires: the session has stopped the others.
template <class Threading>
class shared_deletion {
public:
    // In the place of a budget: what is due as the objects have grown.
    static constexpr std::size_t what_is_due = cycle_search::no_limit - 1;

    shared_deletion(mutator_registry<Threading>& registry, cyclic_session<Threading>& session) noexcept
        : registry_(registry), heap_(registry, session), search_(heap_) {}

    // Effects: finds garbage, as cycle_search does. Without a limit, what becomes garbage when that is destroyed is
    // left to the next call. Returns: the number of objects to be destroyed.
    std::size_t collect(std::size_t budget, collected_generations& generations) noexcept {
        if (budget == cycle_search::no_limit && generations.levels++ != 0 && !search_.has_next_level(generations)) {
            generations.is_done = true;
            return 0;
        }
        // relaxed: statistics only
        registry_.runs.fetch_add(1, std::memory_order_relaxed);
        if (!heap_.is_complete()) return 0;
        if (budget == what_is_due) return heap_.state.lost_candidates ? collect_level(generations) : collect_if_due();
        return budget == cycle_search::no_limit ? collect_level(generations) : search_.run({.budget = budget});
    }

    // Returns: the number of objects that were visited.
    [[nodiscard]] std::size_t visits() const noexcept { return search_.visits(); }

private:
    std::size_t collect_level(collected_generations& generations) noexcept {
        const std::size_t found = search_.search_level(generations);
        generations.are_counted |= heap_.has_finalized();
        generations.has_candidates = generations.looks_near || !heap_.state.candidates.empty();
        generations.is_done = found == 0 && !generations.looks_near;
        return found;
    }

    std::size_t collect_if_due() noexcept {
        heap_.state.pace = registry_.pace.now();
        const std::size_t found = search_.run_if_due();
        registry_.pace.set(heap_.state.pace);
        return found;
    }

    mutator_registry<Threading>& registry_;
    stopped_heap<Threading> heap_;
    cycle_search search_;
};

}  // namespace freehold::detail
