#pragma once
// search_steps: a search in steps of a bounded number of visits, with the program in between. Its state, search_state,
// is kept from step to step.
//
//   gather     looks for the candidates in all blocks
//   explore    lists all objects that they lead to as suspects, and counts in each header the edges to it
//   sift       acquits an object with more owners than edges, which is owned from outside, and all that it leads to
//   prove      tries trial deletion on the suspects that are left, some in each step with all other suspects that they
//              lead to, while nobody changes them
//
// So what the program stores and moves between two steps may hide garbage from this search, which the next one finds,
// and never endangers an object.

#include <cstddef>

#include "../../core/config.hpp"
#include "cyclic_cells.hpp"
#include "cyclic_header.hpp"
#include "cyclic_thread.hpp"
#include "graph_walk.hpp"
#include "heap_view.hpp"
#include "neighborhood.hpp"
#include "search_state.hpp"
#include "trial_deletion.hpp"

namespace freehold::inline v0_2::detail {

class search_steps {
public:
    // Visiting a suspect in the proof, destroying and freeing it takes as long as this number of looks.
    static constexpr std::size_t cost_of_proof = 8;

    search_steps(heap_view& heap, trial_deletion& deletion, neighborhood& around) noexcept
        : heap_(heap), thread_(heap.state), deletion_(deletion), around_(around) {}

    // Effects: continues the search, with about `budget` visits. Returns: the number of destroyed objects.
    // Requires: a search is in progress.
    std::size_t step(std::size_t budget) noexcept {
        std::size_t left = budget;
        std::size_t destroyed = 0;
        while (thread_.search.is_gathering() && left > 0 && !failed_) gather(left);
        while (thread_.search.is_exploring() && left > 0 && !failed_) explore(left);
        while (thread_.search.is_sifting() && left > 0 && !failed_) sift(left);
        while (thread_.search.is_proving() && left > 0 && !failed_) destroyed += prove(left);
        if (failed_) give_up();
        if (thread_.search.is_ending()) thread_.search.end(left, kept_);
        visits_ += budget - left;
        if (!failed_ && !thread_.search.is_searching()) {
            const std::size_t garbage = thread_.search.garbage();
            thread_.note_run(garbage, kept_);
            thread_.garbage_share = 100 * garbage / (garbage + kept_ + 1);
        }
        return destroyed;
    }

    // Effects: ends the search. What may be garbage that it has not destroyed waits for another one.
    void give_up() noexcept {
        thread_.has_unlisted |= thread_.search.is_gathering();
        thread_.search.give_up([this](cyclic_header& header) { thread_.postpone(header); });
    }

    [[nodiscard]] std::size_t visits() const noexcept { return visits_; }

    // Returns: the number of objects that the search has found and that are alive, if it has come to its end.
    [[nodiscard]] std::size_t kept() const noexcept { return kept_; }

private:
    // Effects: looks for postponed objects in the cells of some blocks.
    void gather(std::size_t& left) noexcept {
        while (left > 0 && !failed_) {
            cyclic_block* const block = heap_.next_to_gather();
            if (block == nullptr) return thread_.search.finish_gathering();
            cell_free_list::each_in(*block, [this](cyclic_header& header) {
                if (header.is(cyclic_header::postponed) && !failed_) failed_ = !thread_.search.begin_with(header);
            });
            left -= smaller(left, 1 + block->type->shape.count / 8);
        }
    }

    void explore(std::size_t& left) noexcept {
        for (; left > 0; --left) {
            cyclic_header* const header = thread_.search.next_to_explore();
            if (header == nullptr) break;
            deletion_.walk().explore(*header);
        }
        deletion_.walk().follow_delayed();
        failed_ = deletion_.walk().has_failed();
        thread_.search.finish_exploring();
    }

    void sift(std::size_t& left) noexcept {
        while (left > 0) {
            cyclic_header* const header = thread_.search.next_alive(left);
            if (header == nullptr) break;
            deletion_.walk().sift(*header);
            if (left > 0) --left;
        }
        deletion_.walk().follow_delayed();
        failed_ = deletion_.walk().has_failed();
        thread_.search.finish_sifting();
    }

    // Effects: destroys garbage among the suspects around the next one, or among all that are left. If there are none,
    // the round is over. Returns: the number of destroyed objects.
    std::size_t prove(std::size_t& left) noexcept {
        const bool all = thread_.search.is_proving_the_rest();
        if (all) {
            reach_rest();
        } else if (!reach_around_next(left)) {
            return 0;
        }
        const std::size_t visited = deletion_.walk().visited().size();
        if (visited == 0) {
            thread_.search.finish_round();
            return 0;
        }
        const std::size_t destroyed = deletion_.destroy_garbage(all ? suspects : no_others);
        thread_.search.note_proof(visited, destroyed);
        left -= smaller(left, cost_of_proof * visited);
        return destroyed;
    }

    // Out of line, so that prove() saves fewer registers: most suspects are proved with those around them.
    FREEHOLD_NOINLINE void reach_rest() noexcept {
        while (cyclic_header* const header = thread_.search.next_to_prove()) {
            if (header->is(cyclic_header::visited) || deletion_.walk().reach(*header, suspects)) continue;
            failed_ = true;
            return;
        }
    }

    // Returns: false if the next part is too large for this round, or there is no memory.
    FREEHOLD_ALWAYS_INLINE bool reach_around_next(std::size_t& left) noexcept {
        search_state& search = thread_.search;
        cyclic_header* const next = search.next_to_prove();
        if (next == nullptr) return true;
        const std::size_t most = search.is_proving_small_parts() ? max_small_part : walk_scope::no_limit;
        growing_list<cyclic_header*>& visited = deletion_.walk().visited();
        if (around_.reach(*next, most, most, suspects)) {
            for (cyclic_header* const header : visited) search.note_tried(*header);
            return true;
        }
        failed_ = deletion_.walk().has_failed();
        for (cyclic_header* const header : visited) search_state::note_large(*header);
        left -= smaller(left, visited.size());
        deletion_.walk().forget_visited();
        return false;
    }

    static constexpr std::size_t max_small_part = std::size_t{16} * 1024;
    static constexpr walk_scope suspects{.only_suspects = true};

    heap_view& heap_;
    cyclic_thread& thread_;
    trial_deletion& deletion_;
    neighborhood& around_;
    std::size_t visits_ = 0;
    std::size_t kept_ = 0;
    bool failed_ = false;  // there is no memory
};

}  // namespace freehold::detail
