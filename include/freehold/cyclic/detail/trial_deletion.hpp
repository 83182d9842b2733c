#pragma once
// Finds objects that own each other and have no other owner, and destroys them: synchronous trial deletion.
//
// trial_deletion::search is the whole story:
//
//   subtract     visits all objects that candidates lead to, and subtracts each edge from the count of its target
//   scan         an object with owners left is owned from outside: it is rescued with all that it leads to, and the
//                edges from rescued objects are added again. The others are garbage. Their weak pointers expire.
//   finalize     calls each finalize(), while all objects are whole. That may have made owners, so the garbage is
//                subtracted and scanned again.
//   destroy      makes every pointer from garbage to garbage null, destroys the objects, and frees their cells last.
//                So no destructor can reach a destroyed object.
//
// It enters cyclic_thread.hpp for the candidates, cyclic_header.hpp for the counts, edge_visitor for each pointer that
// trace() finds, and cyclic_cells.hpp for the type of an object and its cell. shared_deletion.hpp adds what objects
// need that threads share.
//
// The lists are queues and stacks at once, so nothing recurses over the graph. A run that fails adds the same edges
// again and has changed nothing. Without a finalize() the counts of garbage are never restored: that is half the work.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/assert.hpp"
#include "../../core/growing_buffer.hpp"
#include "../../tracing/trace.hpp"
#include "cyclic_cells.hpp"
#include "cyclic_header.hpp"
#include "cyclic_thread.hpp"

namespace freehold {

template <class T, class Domain>
class cyclic_ptr;

namespace detail {

class trial_deletion;

// The visitor that traces an object of a domain.
template <class Domain>
class edge_visitor {
public:
    explicit edge_visitor(trial_deletion& run) noexcept : run_(run) {}

    // In cyclic_ptr.hpp.
    template <class T>
    void operator()(const cyclic_ptr<T, Domain>& pointer) noexcept;

    // Effects: none. A pointer of another collector is an owner from outside.
    template <class Pointer>
    void operator()(const Pointer&) noexcept {
        static_assert(!needs_its_collector<Pointer>,
                      "freehold: a traced_ptr in an object of make_cyclic keeps nothing alive; hold a traced_root, or "
                      "make the object in the traced_heap");
    }

private:
    trial_deletion& run_;
};

// A run over the objects of a thread. Requires: the thread has no other run.
class trial_deletion {
public:
    static constexpr std::size_t no_limit = SIZE_MAX;

    explicit trial_deletion(cyclic_thread& thread) noexcept : thread_(thread) { thread_.collecting = true; }

    trial_deletion(const trial_deletion&) = delete;
    trial_deletion& operator=(const trial_deletion&) = delete;

    virtual ~trial_deletion() { thread_.collecting = false; }

    // Effects: destroys garbage that the candidates lead to, visiting at most `budget` objects. A candidate stays one
    // if the budget or the memory for the lists does not suffice. Returns: the number of destroyed objects.
    std::size_t run(std::size_t budget) noexcept {
        ++thread_.runs;
        return thread_.run_with_callback == nullptr ? search(budget) : thread_.run_with_callback(*this, budget);
    }

    // Effects: as run(), without calling on_collection.
    std::size_t search(std::size_t budget) noexcept {
        subtract(budget);
        visits_ = visited_.size();
        if (!scan() || !finalize()) return 0;
        return destroy();
    }

    // Returns: the number of objects that the run has visited.
    [[nodiscard]] std::size_t visits() const noexcept { return visits_; }

    // Returns: the number of objects that may be in cycles to make before the next run, where this one destroyed
    // `destroyed` and `cells` are allocated. It is a small part of the objects, which bounds the garbage. After a run
    // that found little garbage it is a quarter of the visits, which bounds the cost for each new object.
    [[nodiscard]] std::size_t allocations_until_next(std::size_t destroyed, std::size_t cells) const noexcept {
        std::size_t next = cyclic_thread::min_allocations;
        if (next < cells / 64) next = cells / 64;
        if (destroyed < visits_ / 4 && next < visits_ / 4) next = visits_ / 4;
        return next;
    }

    // Effects: calls use(header) for every object with an owner that was not found in another object. Its count is then
    // the number of those owners.
    template <class Use>
    void each_owned_from_outside(Use use) {
        if (!reach_everything()) return;
        for (cyclic_header* const header : visited_) {
            if (header->has_owners()) use(*header);
        }
        give_up();
    }

protected:
    // The steps that differ for a heap that threads share: see shared_deletion.

    // Effects: calls look(header) for every object, until one returns false. Returns: whether all returned true.
    virtual bool look_at_each(bool (*look)(trial_deletion&, cyclic_header&)) noexcept {
        bool all = true;
        for (cell_free_list* free_list = thread_.free_lists; free_list != nullptr; free_list = free_list->next()) {
            free_list->each([&](cyclic_header& header) { all = all && look(*this, header); });
        }
        return all;
    }

    [[nodiscard]] static bool is_to_be_finalized(cyclic_header& header) noexcept {
        return cyclic_block::of(header).type->finalize != nullptr && !header.is(cyclic_header::finalized);
    }

    // Effects: calls finalize() of each object that is not finalized yet. All counts are complete afterwards.
    virtual void finalize_each(growing_buffer<cyclic_header*>& garbage) noexcept {
        for (cyclic_header* const header : garbage) {
            if (!is_to_be_finalized(*header)) continue;
            header->set(cyclic_header::finalized);
            cyclic_block::of(*header).type->finalize(*header);
        }
    }

    // Effects: destroys and frees the objects. Requires: they have no owners, no weak pointers and no pointers to each
    // other.
    virtual void dispose_each(growing_buffer<cyclic_header*>& garbage) noexcept {
        thread_.as_outermost([&] {
            for (cyclic_header* const header : garbage) cyclic_block::of(*header).type->destroy(*header);
            for (cyclic_header* const header : garbage) cyclic_block::of(*header).type->deallocate(*header);
            thread_.drain();
        });
    }

private:
    template <class Domain>
    friend class edge_visitor;

    // The operation on each edge that trace() finds.
    enum class phase { subtract, undo, restore, rescue, cut };

    // Effects: the current operation on an edge to `target`. Returns: whether to make the pointer null.
    [[nodiscard]] bool on_edge(cyclic_header& target) noexcept {
        if (target.is(cyclic_header::acyclic)) return false;
        switch (phase_) {
            case phase::subtract:
                if (visit(target)) subtract_edge(target);
                break;
            case phase::undo:
                if (target.is(cyclic_header::visited)) add_edge(target);
                break;
            case phase::restore: add_edge(target); break;
            case phase::rescue:
                add_edge(target);
                rescue(target);
                break;
            case phase::cut:
                if (target.is(cyclic_header::visited)) {
                    --subtracted_;
                    return true;
                }
                add_edge(target);
                break;
        }
        return false;
    }

    void subtract_edge(cyclic_header& target) noexcept {
        target.subtract_edge();
        ++subtracted_;
    }

    void add_edge(cyclic_header& target) noexcept {
        target.add_edge();
        --subtracted_;
    }

    void trace(cyclic_header& header, phase now) noexcept {
        phase_ = now;
        cyclic_block::of(header).type->trace(header, *this);
    }

    // Effects: adds the object to the visited ones. Returns: whether it is one of them.
    bool visit(cyclic_header& header) noexcept {
        if (header.is(cyclic_header::visited)) return true;
        // After a failure no other object is added, so that undo() finds exactly the edges that were subtracted.
        if (failed_ || visited_.size() >= budget_ || !visited_.push(&header)) {
            failed_ = true;
            return false;
        }
        header.set(cyclic_header::visited);
        return true;
    }

    // Effects: visits all objects that can be reached from this one. Returns: false if it could not; then nothing has
    // changed.
    bool reach(cyclic_header& from) noexcept {
        const std::size_t before = visited_.size();
        std::size_t traced = before;
        if (visit(from)) {
            while (traced < visited_.size() && !failed_) trace(*visited_[traced++], phase::subtract);
        }
        if (!failed_) return true;
        undo(before, traced);
        visited_.truncate(before);
        failed_ = false;
        return false;
    }

    // Effects: adds the edges again that were found in the visited objects from `begin` to `traced`. All objects from
    // `begin` on are no longer visited.
    void undo(std::size_t begin, std::size_t traced) noexcept {
        for (std::size_t i = begin; i < traced; ++i) trace(*visited_[i], phase::undo);
        for (std::size_t i = begin; i < visited_.size(); ++i) visited_[i]->clear(cyclic_header::visited);
    }

    // Effects: subtracts all edges from what the candidates lead to; from all objects, if candidates were lost.
    void subtract(std::size_t budget) noexcept {
        if (thread_.lost_candidates && budget == no_limit) {
            thread_.lost_candidates = !reach_everything();
        } else {
            reach_candidates(budget);
        }
    }

    void reach_candidates(std::size_t budget) noexcept {
        budget_ = budget;
        growing_buffer<cyclic_header*>& candidates = thread_.candidates;
        for (std::size_t i = candidates.size(); i > 0; --i) {
            cyclic_header& candidate = *candidates[i - 1];
            if (candidate.is(cyclic_header::visited) || reach(candidate)) continue;
            // The next run begins with other candidates.
            std::swap(candidates[0], candidates[i - 1]);
            candidates[0]->set_place(1);
            candidates[i - 1]->set_place(i);
            break;
        }
    }

    // Returns: false if out of memory; then nothing has changed.
    bool reach_everything() noexcept {
        const bool all = look_at_each([](trial_deletion& run, cyclic_header& header) {
            return header.is(cyclic_header::acyclic) || header.is(cyclic_header::visited) || run.reach(header);
        });
        if (!all) give_up();
        return all;
    }

    // Effects: adds all edges again; no object is visited any longer. Requires: all visited objects are traced.
    void give_up() noexcept {
        undo(0, visited_.size());
        visited_.truncate(0);
    }

    void rescue(cyclic_header& header) noexcept {
        if (header.is(cyclic_header::rescued)) return;
        header.set(cyclic_header::rescued);
        static_cast<void>(rescued_.push(&header));  // scan() has reserved room for all
    }

    // Effects: keeps only garbage among the visited objects; its weak pointers expire. The counts of all other objects
    // are restored, except for owners in garbage.
    // Returns: whether there is garbage.
    bool scan() noexcept {
        if (!rescued_.reserve(visited_.size())) {
            give_up();
            thread_.lost_candidates = true;
            return false;
        }
        rescued_.truncate(0);
        for (cyclic_header* const header : visited_) {
            if (header->has_owners()) rescue(*header);
        }
        for (std::size_t i = 0; i < rescued_.size(); ++i) trace(*rescued_[i], phase::rescue);
        std::size_t garbage = 0;
        has_finalizers_ = false;
        for (cyclic_header* const header : visited_) {
            if (header->place() != 0) thread_.remove_candidate(*header);
            if (header->is(cyclic_header::rescued)) {
                header->clear(cyclic_header::rescued);
                header->clear(cyclic_header::visited);
            } else {
                visited_[garbage++] = header;
                if (header->is(cyclic_header::has_weak)) cyclic_block::of(*header).type->expire(*header);
                has_finalizers_ |= is_to_be_finalized(*header);
            }
        }
        visited_.truncate(garbage);
        return garbage != 0;
    }

    // Effects: finalizes the garbage, until all that remains is finalized. Returns: whether any remains.
    bool finalize() noexcept {
        // A finalize() that makes more objects each time is left to a later run.
        constexpr int max_rounds = 8;
        for (int round = 0; has_finalizers_; ++round) {
            for (cyclic_header* const header : visited_) trace(*header, phase::restore);
            if (round == max_rounds) {
                keep_as_candidates(visited_);
                return false;
            }
            call_finalizers();
            if (!reach_again() || !scan()) return false;
        }
        return true;
    }

    // Effects: finalizes the visited objects. Each has an additional owner meanwhile, which keeps it alive.
    void call_finalizers() noexcept {
        for (cyclic_header* const header : visited_) {
            header->clear(cyclic_header::visited);
            header->acquire();
        }
        finalize_each(visited_);
        for (cyclic_header* const header : visited_) header->subtract_edge();
    }

    // Effects: visits the same objects again, and all that can be reached from them now. Returns: whether it could.
    bool reach_again() noexcept {
        growing_list<cyclic_header*> before;
        before.swap(visited_);
        budget_ = no_limit;
        bool all = true;
        for (cyclic_header* const header : before) all = all && (header->is(cyclic_header::visited) || reach(*header));
        if (!all) {
            give_up();
            keep_as_candidates(before);
        }
        return all;
    }

    void keep_as_candidates(growing_buffer<cyclic_header*>& headers) noexcept {
        for (cyclic_header* const header : headers) {
            header->clear(cyclic_header::visited);
            if (header->may_become_candidate()) thread_.add_candidate(*header);
        }
    }

    // Effects: destroys the garbage. Returns: the number of objects.
    std::size_t destroy() noexcept {
        for (cyclic_header* const header : visited_) trace(*header, phase::cut);
        FREEHOLD_EXPECTS(subtracted_ == 0, "a trace(visit) visits a member twice, or one that is not a member");
        if (subtracted_ != 0) {
            for (cyclic_header* const header : visited_) header->make_immortal();
            return 0;
        }
        dispose_each(visited_);
        return visited_.size();
    }

    cyclic_thread& thread_;
    growing_list<cyclic_header*> visited_;
    growing_list<cyclic_header*> rescued_;
    std::size_t budget_ = no_limit;
    std::size_t visits_ = 0;
    std::size_t subtracted_ = 0;  // edges that are missing in the counts
    phase phase_ = phase::subtract;
    bool failed_ = false;
    bool has_finalizers_ = false;  // the garbage has objects that are not finalized yet
};

}  // namespace detail
}  // namespace freehold
