#pragma once
// cycle_search: decides what trial_deletion visits, and how much at a time.
//
//   without a limit    everything that candidates lead to, a level of nested garbage in each run
//   with a budget      first looks around the new candidates, if that is due; then continues the search in steps that
//                      is in progress (search_steps.hpp), or begins one. That first tries trial deletion on all that
//                      the candidates lead to, which visits garbage once less, and ends if the budget suffices.
//
// Each part of the garbage that no other part owns has a candidate: the proof begins there. What several such parts own
// is garbage only if all of them are: it is proved with the last one.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/collected_generations.hpp"
#include "cyclic_block.hpp"
#include "cyclic_header.hpp"
#include "cyclic_thread.hpp"
#include "graph_walk.hpp"
#include "heap_view.hpp"
#include "neighborhood.hpp"
#include "search_state.hpp"
#include "search_steps.hpp"
#include "trial_deletion.hpp"

namespace freehold::inline v0_2::detail {

// What a run of a search does.
struct search_request {
    std::size_t budget = walk_scope::no_limit;  // of objects to visit
    bool scans_candidates = true;               // the new ones
    bool may_begin = true;                      // a search in steps
};

// Requires: the heap has no other one.
class cycle_search {
public:
    static constexpr std::size_t no_limit = walk_scope::no_limit;

    explicit cycle_search(heap_view& heap) noexcept
        : thread_(heap.state), deletion_(heap), steps_(heap, deletion_, around_) {}

    // Effects: without a limit, finds all garbage, and what becomes garbage when that is destroyed. Else continues the
    // search in steps, or begins one. Returns: the number of destroyed objects.
    std::size_t run(const search_request& request) noexcept {
        ++thread_.runs;
        return thread_.run_with_callback == nullptr ? search(request) : thread_.run_with_callback(*this, request);
    }

    // Effects: as run(), without calling on_collection.
    std::size_t search(const search_request& request) noexcept {
        if (request.budget == no_limit) return search_all();
        const std::size_t destroyed = request.scans_candidates ? scan_candidates(request.budget) : 0;
        if (thread_.search.is_searching()) return destroyed + steps_.step(request.budget);
        return request.may_begin ? destroyed + try_all_or_begin(request.budget) : destroyed;
    }

    // Effects: does what is due as the objects have grown. Returns: the number of destroyed objects.
    std::size_t run_if_due() noexcept {
        const bool was_searching = thread_.search.is_searching();
        const bool may_begin = thread_.pace.is_due();
        const bool scans_candidates = thread_.wide_budget == 0 && thread_.is_scan_due();
        if (!was_searching && !may_begin && !scans_candidates) return 0;
        const std::size_t budget = was_searching ? step_budget() : larger(first_budget, thread_.wide_budget);
        const std::size_t destroyed = run({budget, scans_candidates, may_begin});
        if (thread_.search.is_searching() || !(was_searching || may_begin)) return destroyed;
        const auto bytes = static_cast<std::int64_t>(thread_.blocks * cyclic_block::bytes);
        std::int64_t growth = growth_until_next(was_searching ? steps_.kept() : deletion_kept_);
        // Where it goes through all blocks, it pays for that as well.
        if (was_searching && growth < bytes / 4) growth = bytes / 4;
        thread_.freed = 0;  // the objects grow from what is left
        thread_.pace = {growth, (was_searching ? 2 * bytes : bytes / 2) + 16 * growth};
        return destroyed;
    }

    // Returns: the number of objects that were visited.
    [[nodiscard]] std::size_t visits() const noexcept { return visits_ + steps_.visits(); }

    // Returns: whether a run without a limit has stopped before it has destroyed all garbage.
    [[nodiscard]] bool has_stopped() const noexcept { return of_thread_.are_over(); }

    // A collection without a limit is done in runs. The first is wide: it follows all that candidates lead to. What it
    // destroys may release more garbage, which it owned through something that no trace() sees: the next level. So runs
    // follow that look near what was released, at 64 objects at most, for as long as they find garbage; then a wide
    // one, if candidates are left.

    // Effects: the next run. Returns: the number of destroyed objects.
    std::size_t search_level(collected_generations& generations) noexcept {
        steps_.give_up();
        walk_scope scope{.level = &generations};
        if (generations.looks_near) {
            scope.most = max_near;
            visit_nearest(scope);
        } else {
            deletion_.subtract(scope);
        }
        generations.destroyed = destroy_garbage(scope);
        return generations.destroyed;
    }

    // Returns: whether another run may find garbage. Requires: the last level is destroyed.
    [[nodiscard]] bool has_next_level(collected_generations& generations) noexcept {
        const bool has_released = has_unexpected_releases();
        if (generations.looks_near && (generations.destroyed == 0 || !has_released)) {
            generations.looks_near = false;
            thread_.postponed.drop_dead();
            return has_released || has_waiting();
        }
        generations.looks_near = generations.destroyed != 0;
        return generations.destroyed != 0 && (has_released || has_waiting());
    }

private:
    std::size_t search_all() noexcept {
        // Not to look among all objects for what is released.
        const std::size_t budget = std::exchange(thread_.wide_budget, cyclic_thread::min_wide_budget);
        std::size_t destroyed = 0;
        of_thread_.looks_near = false;
        do {
            const std::int64_t before = thread_.growth_and_made_left();
            destroyed += search_level(of_thread_);
            of_thread_.are_counted |= thread_.growth_and_made_left() != before;
        } while (has_next_level(of_thread_) && !of_thread_.are_over());
        thread_.wide_budget = budget;
        return destroyed;
    }

    // Effects: visits candidates, which wait for another run, and the objects that are nearest to them.
    void visit_nearest(const walk_scope& scope) noexcept {
        graph_walk& walk = deletion_.walk();
        while (walk.visited().size() < scope.most / 2) {
            cyclic_header* const candidate = thread_.candidates.last();
            if (candidate == nullptr) break;
            thread_.candidates.remove_last();
            thread_.postpone(*candidate);
            if (!walk.visit(*candidate, scope)) break;
        }
        walk.subtract_edges(scope);
    }

    // Returns: whether a candidate was released otherwise than garbage was expected to, so that it may be garbage now.
    [[nodiscard]] bool has_unexpected_releases() noexcept {
        bool found = false;
        thread_.candidates.filter([&found](cyclic_header& candidate) {
            if (!candidate.has_expected_owners()) found = true;
            candidate.clear(cyclic_header::released_by_garbage);
            return true;
        });
        return found;
    }

    // Returns: whether candidates wait for a run over all that they lead to.
    [[nodiscard]] bool has_waiting() const noexcept {
        return thread_.lost_candidates || thread_.has_unlisted || !thread_.postponed.empty();
    }

    // Effects: looks at new candidates. One that has lost an owner since their number was noted may be the root of a
    // dead part that leads to others, so looks around it. Returns: the number of destroyed objects.
    std::size_t scan_candidates(std::size_t budget) noexcept {
        thread_.candidates.filter([this](cyclic_header& candidate) {
            if (candidate.has_lost_an_owner()) return true;
            pass(candidate);
            return false;
        });
        std::size_t destroyed = 0;
        // What is destroyed meanwhile may shorten the list.
        for (std::size_t left = budget; left > 0; --left) {
            cyclic_header* const candidate = thread_.candidates.last();
            if (candidate == nullptr) break;
            thread_.candidates.remove_last();
            const bool may_be_root = candidate->has_lost_an_owner();  // others are released by what is destroyed
            pass(*candidate);
            if (may_be_root) destroyed += look_around(*candidate);
        }
        return destroyed;
    }

    // Effects: the candidate waits for a search, or until it loses an owner.
    void pass(cyclic_header& candidate) noexcept {
        candidate.note_owners();
        thread_.postpone(candidate);
    }

    // Returns: the number of destroyed objects.
    std::size_t look_around(cyclic_header& candidate) noexcept {
        std::size_t& left = thread_.visits_left;
        if (left < nearest) return 0;
        graph_walk& walk = deletion_.walk();
        const bool is_whole = around_.reach(candidate, nearest, smaller(max_around, left), {});
        const std::size_t visited = walk.visited().size();
        std::size_t destroyed = 0;
        if (is_whole) {
            destroyed = destroy_garbage(no_others);
        } else {
            visits_ += visited;
            walk.forget_visited();
            walk.forget_failure();
        }
        // A look in vain costs what it has followed, which is more than what led back.
        const std::size_t in_vain = destroyed != 0 ? visited - destroyed : around_.followed();
        left = smaller(left + destroyed - smaller(in_vain, left), cyclic_thread::max_visits);
        return destroyed;
    }

    // Effects: tries trial deletion on the candidates, and begins to search if they lead to more than the budget
    // allows. Returns: the number of destroyed objects.
    std::size_t try_all_or_begin(std::size_t budget) noexcept {
        const std::size_t kept_before = deletion_.kept();
        const walk_scope scope{.budget = budget};
        bool suffices = !thread_.has_unlisted;
        std::size_t destroyed = 0;
        if (suffices) {
            suffices = deletion_.subtract(scope);
            destroyed = destroy_garbage(scope);
        }
        deletion_kept_ = deletion_.kept() - kept_before;
        if (suffices && !thread_.has_unlisted) {
            thread_.note_run(destroyed, deletion_kept_);
        } else {
            thread_.begin_gathering();
            thread_.search.begin();
            thread_.note_run(0, SIZE_MAX);
        }
        return destroyed;
    }

    std::size_t destroy_garbage(const walk_scope& scope) noexcept {
        visits_ += deletion_.walk().visited().size();
        return deletion_.destroy_garbage(scope);
    }

    // Returns: the visits of a step of make_cyclic. In proportion to the new objects, so that the objects grow by about
    // a quarter during a search.
    [[nodiscard]] std::size_t step_budget() const noexcept {
        constexpr std::size_t steps_a_block = cyclic_block::bytes / std::size_t{cyclic_thread::min_growth};
        const std::size_t new_objects = thread_.cells / (steps_a_block * larger(thread_.blocks, std::size_t{1}));
        // A search visits each object about three times, and garbage as often as a proof costs. With a number for all,
        // a heap of which nine tenths were garbage grew by more than a search destroyed, without end.
        const std::size_t visits_an_object = 4 * (3 + search_steps::cost_of_proof * thread_.garbage_share / 100);
        return visits_an_object * new_objects + min_step;
    }

    // Returns: the number of bytes by which the objects may grow before the next search, where this one has visited
    // `kept` objects that are alive. It is a small part of all bytes, which bounds the garbage, and half the bytes that
    // were visited in vain, which bounds the cost for each new object.
    [[nodiscard]] std::int64_t growth_until_next(std::size_t kept) const noexcept {
        const std::size_t bytes = thread_.blocks * cyclic_block::bytes;
        std::size_t next = cyclic_thread::min_growth;
        if (next < bytes / 64) next = bytes / 64;
        const std::size_t in_vain = thread_.cells != 0 ? bytes / thread_.cells * kept : 0;
        if (next < in_vain / 2) next = in_vain / 2;
        return static_cast<std::int64_t>(next);
    }

    // The visits of a trial deletion that make_cyclic tries before it searches: a few milliseconds.
    static constexpr std::size_t first_budget = std::size_t{16} * 1024;
    static constexpr std::size_t min_step = 256;
    static constexpr std::size_t nearest = 8;
    static constexpr std::size_t max_around = 4096;
    static constexpr std::size_t max_near = 64;

    cyclic_thread& thread_;
    trial_deletion deletion_;
    neighborhood around_{deletion_.walk()};
    search_steps steps_;
    std::size_t visits_ = 0;
    std::size_t deletion_kept_ = 0;
    collected_generations of_thread_;
};

}  // namespace freehold::detail
