#pragma once
// A search for garbage in steps of a bounded number of visits, with the program in between.
//
// A step first tries trial deletion on the candidates, as that visits garbage a time less. If one leads to more objects
// than the budget allows, the steps that follow go through all that the candidates lead to: see suspect_list. What is
// still suspected then goes through trial deletion, some suspects in each step with all other suspects that they lead
// to, while nobody changes them. So stores and moves in between may hide garbage that they make from this search, which
// the next one finds, and never endanger an object.
//
// Each source of garbage, which nothing else owns, holds a candidate. It is proved with the first of its candidates,
// and what it leads to with the last source that leads there.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "cyclic_header.hpp"
#include "cyclic_thread.hpp"
#include "suspect_list.hpp"
#include "trial_deletion.hpp"

namespace freehold::detail {

class cycle_search : public trial_deletion {
public:
    // The visits of a trial deletion that make_cyclic tries before it searches: a few milliseconds.
    static constexpr std::size_t first_budget = std::size_t{16} * 1024;

    explicit cycle_search(cyclic_thread& thread) noexcept : trial_deletion(thread), suspects_(thread.suspects) {}

    // Effects: without a limit, finds all garbage, and what becomes garbage when that is destroyed. Else goes on with
    // the search, or begins one.
    std::size_t search(std::size_t budget) noexcept override {
        if (budget == no_limit) return search_all();
        const std::size_t destroyed = may_examine_ ? examine(budget) : 0;
        if (suspects_.is_searching()) return destroyed + step(budget);
        return may_begin_ ? destroyed + begin(budget) : destroyed;
    }

    // Effects: does what is due as the objects have grown. Returns: the number of destroyed objects.
    std::size_t run_by_itself() noexcept {
        const bool was_searching = suspects_.is_searching();
        may_begin_ = thread_.pace.is_due();
        may_examine_ = thread_.closed_budget == 0 && thread_.is_examination_due();
        if (!was_searching && !may_begin_ && !may_examine_) return 0;
        const std::size_t destroyed = run(was_searching ? step_budget() : larger(first_budget, thread_.closed_budget));
        if (suspects_.is_searching() || !(was_searching || may_begin_)) return destroyed;
        const auto bytes = static_cast<std::int64_t>(thread_.blocks * cyclic_block::bytes);
        std::int64_t growth = growth_until_next(kept_, thread_.cells, thread_.blocks);
        // Where it goes through all blocks, it pays for that as well.
        if (was_searching && growth < bytes / 4) growth = bytes / 4;
        thread_.freed = 0;  // the objects grow from what is left
        thread_.pace = {growth, (was_searching ? 2 * bytes : bytes / 2) + 16 * growth};
        return destroyed;
    }

    // Returns: whether a run without a limit has stopped before it has destroyed all garbage.
    [[nodiscard]] bool has_stopped() const noexcept { return of_thread_.are_over(); }

protected:
    // A collection without a limit takes a run for each level of nested garbage, that is, of garbage that other garbage
    // owns behind what no trace looks through. Each begins with what was released when the last level was destroyed.
    // That may lead to much that lives, so it looks near the released objects first.

    // Effects: the next run. Returns: the number of destroyed objects.
    std::size_t search_level(collected_generations& generations) noexcept {
        give_up();
        generations_ = &generations;
        generations.destroyed = generations.looks_near ? search_near() : search_once(no_limit);
        visited_.truncate(0);
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

    // Returns: the next block in which to look for postponed objects; null if there is none. A heap that threads share
    // has others.
    [[nodiscard]] virtual cyclic_block* next_to_gather() noexcept { return thread_.next_to_gather(); }

private:
    std::size_t search_all() noexcept {
        // Not to look among all objects for what is released.
        const std::size_t budget = std::exchange(thread_.closed_budget, cyclic_thread::min_closed_budget);
        std::size_t destroyed = 0;
        of_thread_.looks_near = false;
        do {
            const std::int64_t before = thread_.growth_and_made_left();
            destroyed += search_level(of_thread_);
            of_thread_.are_counted |= thread_.growth_and_made_left() != before;
        } while (has_next_level(of_thread_) && !of_thread_.are_over());
        thread_.closed_budget = budget;
        return destroyed;
    }

    // Returns: whether candidates wait for a run over all that they lead to.
    [[nodiscard]] bool has_waiting() const noexcept {
        return thread_.lost_candidates || thread_.has_unlisted || !thread_.postponed.empty();
    }

    // Effects: destroys garbage among the objects that are nearest to candidates, which wait for another run. Returns:
    // the number of objects.
    std::size_t search_near() noexcept {
        reach_nearest(max_near);
        const std::size_t destroyed = conclude();
        is_partial_ = false;
        most_ = no_limit;
        return destroyed;
    }

    // Returns: the visits of a step of make_cyclic. In proportion to the new objects, so that the objects grow by about
    // a quarter during a search.
    [[nodiscard]] std::size_t step_budget() const noexcept {
        constexpr std::size_t steps_a_block = cyclic_block::bytes / std::size_t{cyclic_thread::min_growth};
        const std::size_t new_objects = thread_.cells / (steps_a_block * larger(thread_.blocks, std::size_t{1}));
        return visits_an_object(thread_.garbage_share) * new_objects + min_step;
    }

    // A search visits each object about three times, and garbage as often as a proof costs. With a number for all, a
    // heap of which nine tenths were garbage grew by more than a search destroyed, without end.
    [[nodiscard]] static constexpr std::size_t visits_an_object(std::size_t percent_of_garbage) noexcept {
        return 4 * (3 + cost_of_proof * percent_of_garbage / 100);
    }

    // Effects: looks at new candidates. One that has lost an owner since their number was noted may be the root of a
    // dead part that leads to others, so looks around it. Returns: the number of destroyed objects.
    std::size_t examine(std::size_t budget) noexcept {
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
            const bool is_suspicious = candidate->has_lost_an_owner();  // others are released by what is destroyed
            pass(*candidate);
            if (is_suspicious) destroyed += look_around(*candidate);
        }
        return destroyed;
    }

    // Effects: the candidate waits for a search, or until it loses an owner.
    void pass(cyclic_header& candidate) noexcept {
        candidate.note_owners();
        thread_.postpone(candidate);
    }

    // Effects: tries trial deletion on the candidates, and begins to search if they lead to more than the budget
    // allows.
    std::size_t begin(std::size_t budget) noexcept {
        is_partial_ = false;
        has_exceeded_ = false;
        most_ = no_limit;
        kept_ = 0;
        const std::size_t destroyed = thread_.has_unlisted ? 0 : trial_deletion::search(budget);
        visited_.truncate(0);
        if (has_exceeded_ || thread_.has_unlisted) {
            thread_.begin_gathering();
            suspects_.begin();
            thread_.note_run(0, SIZE_MAX);
        } else {
            thread_.note_run(destroyed, kept_);
        }
        return destroyed;
    }

    std::size_t step(std::size_t budget) noexcept {
        const std::size_t visits_before = visits_;
        std::size_t left = budget;
        std::size_t destroyed = 0;
        while (suspects_.is_gathering() && left > 0 && !failed_) gather(left);
        while (suspects_.is_exploring() && left > 0 && !failed_) explore(left);
        while (suspects_.is_sifting() && left > 0 && !failed_) sift(left);
        while (suspects_.is_proving() && left > 0 && !failed_) destroyed += prove(left);
        if (failed_) {
            give_up();
        } else if (suspects_.is_ending()) {
            kept_ = 0;
            suspects_.end(left, kept_);
            if (!suspects_.is_searching()) note_search(suspects_.garbage());
        }
        visits_ = visits_before + (budget - left);
        return destroyed;
    }

    void note_search(std::size_t garbage) noexcept {
        thread_.note_run(garbage, kept_);
        thread_.garbage_share = 100 * garbage / (garbage + kept_ + 1);
    }

    // Effects: looks for postponed objects in the cells of some blocks.
    void gather(std::size_t& left) noexcept {
        while (left > 0 && !failed_) {
            cyclic_block* const block = next_to_gather();
            if (block == nullptr) return suspects_.finish_gathering();
            cell_free_list::each_in(*block, [this](cyclic_header& header) {
                if (header.is(cyclic_header::postponed) && !failed_) failed_ = !suspects_.begin_with(header);
            });
            left -= smaller(left, 1 + block->type->shape.count / 8);
        }
    }

    void explore(std::size_t& left) noexcept {
        for (; left > 0; --left) {
            cyclic_header* const header = suspects_.next_to_explore();
            if (header == nullptr) break;
            trace(*header, phase::explore);
        }
        follow_delayed();
        suspects_.finish_exploring();
    }

    void sift(std::size_t& left) noexcept {
        while (left > 0) {
            cyclic_header* const header = suspects_.next_alive(left);
            if (header == nullptr) break;
            trace(*header, phase::sift);
            if (left > 0) --left;
        }
        follow_delayed();
        suspects_.finish_sifting();
    }

    // Effects: destroys garbage among the suspects around the next one, or among all that are left.
    std::size_t prove(std::size_t& left) noexcept {
        suspects_only_ = true;
        is_partial_ = true;
        most_ = no_limit;
        const bool all = suspects_.is_proving_the_rest();
        while (cyclic_header* const header = suspects_.next_to_prove()) {
            if (all) {
                if (!header->is(cyclic_header::visited) && !reach(*header)) failed_ = true;
                if (!failed_) continue;
            } else {
                const std::size_t most = suspects_.is_proving_small_parts() ? max_small_part : no_limit;
                if (!reach_around(*header, most, most)) {
                    for (cyclic_header* const visited : visited_) suspect_list::note_large(*visited);
                    left -= smaller(left, visited_.size());
                    forget_visited();
                    return 0;
                }
                for (cyclic_header* const visited : visited_) suspects_.note_tried(*visited);
            }
            break;
        }
        if (visited_.empty()) {
            suspects_.finish_round();
            return 0;
        }
        const std::size_t visited = visited_.size();
        const std::size_t destroyed = conclude();
        visited_.truncate(0);
        suspects_.note_proof(visited, destroyed);
        left -= smaller(left, cost_of_proof * visited);
        return destroyed;
    }

    // Returns: the number of destroyed objects.
    std::size_t look_around(cyclic_header& candidate) noexcept {
        const std::size_t before = visits_;
        std::size_t& left = thread_.visits_left;
        if (left < nearest) return 0;
        most_ = no_limit;
        std::size_t destroyed = 0;
        if (reach_around(candidate, nearest, smaller(max_around, left))) {
            destroyed = conclude();
            visited_.truncate(0);
        } else {
            forget_visited();
            failed_ = false;
        }
        // A look in vain costs what it has followed, which is more than what led back.
        const std::size_t in_vain = destroyed != 0 ? visits_ - before - destroyed : neighbors_.size();
        left = smaller(left + destroyed - smaller(in_vain, left), cyclic_thread::max_visits);
        return destroyed;
    }

    void give_up() noexcept {
        thread_.has_unlisted |= suspects_.is_gathering();
        suspects_.give_up([this](cyclic_header& header) { thread_.postpone(header); });
    }

    // Visiting a suspect in the proof, destroying and freeing it takes as long as this number of looks.
    static constexpr std::size_t cost_of_proof = 8;
    static constexpr std::size_t min_step = 256;
    static constexpr std::size_t max_small_part = std::size_t{16} * 1024;
    static constexpr std::size_t nearest = 8;
    static constexpr std::size_t max_around = 4096;
    static constexpr std::size_t max_near = 64;

    suspect_list& suspects_;
    bool may_begin_ = true;    // a search
    bool may_examine_ = true;  // new candidates
    collected_generations of_thread_;
};

}  // namespace freehold::detail
