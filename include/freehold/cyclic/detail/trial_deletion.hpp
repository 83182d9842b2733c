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
// The visited objects need not be all that the candidates lead to: what is garbage among them has all its owners among
// them. Edges that leave them are left alone. cycle_search visits suspects only.
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
#include "../../core/collected_generations.hpp"
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
    virtual std::size_t search(std::size_t budget) noexcept { return search_once(budget); }

    // Returns: the number of objects that the run has visited.
    [[nodiscard]] std::size_t visits() const noexcept { return visits_; }

    // Returns: the number of those that are alive.
    [[nodiscard]] std::size_t kept() const noexcept { return kept_; }

    // Returns: the number of bytes by which the objects may grow before the next run, where this one visited `kept`
    // objects that are alive. It is a small part of all bytes, which bounds the garbage, and half the bytes that were
    // visited in vain, which bounds the cost for each new object.
    [[nodiscard]] static std::int64_t growth_until_next(std::size_t kept, std::size_t cells,
                                                        std::size_t blocks) noexcept {
        const std::size_t bytes = blocks * cyclic_block::bytes;
        std::size_t next = cyclic_thread::min_growth;
        if (next < bytes / 64) next = bytes / 64;
        const std::size_t in_vain = cells != 0 ? bytes / cells * kept : 0;
        if (next < in_vain / 2) next = in_vain / 2;
        return static_cast<std::int64_t>(next);
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

    // For the diagnosis. Effects: adds the targets of the object's pointers to the list. Returns: false if out of
    // memory.
    [[nodiscard]] bool record_edges(cyclic_header& from, growing_buffer<cyclic_header*>& targets) noexcept {
        recorded_ = &targets;
        trace(from, phase::record);
        return !std::exchange(failed_, false);
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
        return type_of(header).finalize != nullptr && !header.is(cyclic_header::finalized);
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
            for (cyclic_header* const header : garbage) type_of(*header).destroy(*header);
            for (cyclic_header* const header : garbage) type_of(*header).deallocate(*header);
            thread_.drain();
        });
    }

    // The operation on each edge that trace() finds.
    enum class phase { subtract, undo, restore, rescue, cut, explore, sift, discover, record };

    void trace(cyclic_header& header, phase now) noexcept {
        phase_ = now;
        type_of(header).trace(header, *this);
    }

    [[nodiscard]] static const cyclic_type& type_of(cyclic_header& header) noexcept {
        return *cyclic_block::of(header).type;
    }

    // Effects: follows the edges that were delayed.
    void follow_delayed() noexcept {
        for (cyclic_header*& delayed : delayed_) {
            if (delayed != nullptr) follow(*std::exchange(delayed, nullptr));
        }
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

    // Effects: visits this object and those around it that lead back to what was visited, as the nodes of a tree with
    // links to the parent do, or of a doubly linked list. So what lies behind a link that leads out of a dead part, to
    // its living parent, is not visited. Behind the nearest objects it goes on only if the first one leads to such an
    // object, as the root of a dead part does.
    // Returns: false if that are more than `most` objects, or there is no memory; then no edges are subtracted, and the
    // caller calls forget_visited(). Requires: no object is visited.
    [[nodiscard]] bool reach_around(cyclic_header& from, std::size_t nearest, std::size_t most) noexcept {
        static_cast<void>(visit(from));
        neighbors_.truncate(0);
        std::size_t ends[max_delayed] = {};  // of the neighbors of the objects that were traced last
        std::size_t traced = 0;
        std::size_t begin = 0;
        std::size_t left = 0;
        std::size_t direct = 0;     // neighbors of the first object, which follow it
        std::size_t end_at = most;  // no more objects are looked at
        std::size_t i = 0;
        for (; i < visited_.size() && i < end_at && !failed_; ++i) {
            // The neighbors are looked at when some more objects were traced, so that they are in the cache.
            for (; traced < visited_.size() && traced < end_at && traced < i + max_delayed; ++traced) {
                trace(*visited_[traced], phase::discover);
                ends[traced % max_delayed] = neighbors_.size();
            }
            cyclic_header& header = *visited_[i];
            const std::size_t end = ends[i % max_delayed];
            bool leads_back = i == 0;
            for (std::size_t k = begin; k < end; ++k) leads_back |= neighbors_[k]->is(cyclic_header::visited);
            if (!leads_back) {
                header.clear(cyclic_header::visited);
                if (i <= direct) end_at = most;
            } else {
                visited_[left++] = &header;
                visit_neighbors(begin, end);
            }
            begin = end;
            if (i == 0) {
                direct = visited_.size() - 1;
                end_at = smaller(most, larger(nearest, visited_.size()));
            }
        }
        most_ = 0;
        is_partial_ = true;
        const bool is_whole = i == visited_.size() && !failed_;
        for (; i < visited_.size(); ++i) visited_[left++] = visited_[i];
        visited_.truncate(left);
        if (!is_whole) return false;
        for (cyclic_header* const header : visited_) trace(*header, phase::subtract);
        return true;
    }

    // Effects: visits candidates, which are postponed, and the objects that are nearest to them, up to `most` in all.
    void reach_nearest(std::size_t most) noexcept {
        is_partial_ = true;
        most_ = most;
        while (visited_.size() < most / 2) {
            cyclic_header* const candidate = thread_.candidates.last();
            if (candidate == nullptr) break;
            thread_.candidates.remove_last();
            thread_.postpone(*candidate);
            if (!visit(*candidate)) break;
        }
        for (std::size_t i = 0; i < visited_.size(); ++i) trace(*visited_[i], phase::subtract);
        failed_ = false;
    }

    // Effects: no object is visited. Requires: no edges are subtracted.
    void forget_visited() noexcept {
        visits_ += visited_.size();
        for (cyclic_header* const header : visited_) header->clear(cyclic_header::visited);
        visited_.truncate(0);
    }

    // Effects: as search(), without what becomes garbage by that.
    std::size_t search_once(std::size_t budget) noexcept {
        subtract(budget);
        return conclude();
    }

    // Returns: whether a candidate was released otherwise than garbage was expected to, so that it may be garbage now.
    [[nodiscard]] bool has_unexpected_releases() noexcept {
        bool found = false;
        thread_.candidates.filter([&found](cyclic_header& candidate) {
            const std::uint32_t expected = candidate.edges() & ~made_before;
            if (!candidate.is(cyclic_header::released) || candidate.owners_up_to(expected) < expected) found = true;
            candidate.clear(cyclic_header::released);
            return true;
        });
        return found;
    }

    // Effects: destroys what is garbage among the visited objects; the others are not visited any longer.
    // Returns: the number of destroyed objects.
    std::size_t conclude() noexcept {
        visits_ += visited_.size();
        if (!scan()) return 0;
        if (generations_ != nullptr && generations_->are_counted) count_generation();
        return finalize() ? destroy() : 0;
    }

    cyclic_thread& thread_;
    growing_list<cyclic_header*> visited_;
    growing_list<cyclic_header*> neighbors_;  // that the objects of the last look lead to
    std::size_t visits_ = 0;
    std::size_t kept_ = 0;                          // visited objects that are alive
    std::size_t most_ = no_limit;                   // visits no more objects, and leaves edges to others alone
    bool suspects_only_ = false;                    // visits no other objects
    bool is_partial_ = false;                       // not all that the visited objects lead to is visited
    bool has_exceeded_ = false;                     // a candidate leads to more objects than the budget allows
    bool failed_ = false;                           // there is no memory, or the budget is used up
    collected_generations* generations_ = nullptr;  // in a run without a limit

private:
    template <class Domain>
    friend class edge_visitor;

    // Effects: the current operation on an edge to `target`. Returns: whether to make the pointer null.
    [[nodiscard, gnu::always_inline]] bool on_edge(cyclic_header& target) noexcept {
        if (phase_ > phase::cut) {
            look_at_edge(target);
            return false;
        }
        if (target.is(cyclic_header::acyclic)) return false;
        switch (phase_) {
            case phase::subtract:
                if (!target.is(cyclic_header::visited)) {
                    if (visited_.size() >= unchecked_ || visited_.is_full()) {
                        visit_and_subtract(target);
                        break;
                    }
                    visited_.add(&target);
                    target.set(cyclic_header::visited);
                }
                subtract_edge(target);
                break;
            case phase::undo:
                if (target.is(cyclic_header::visited)) add_edge(target);
                break;
            case phase::restore:
                if (target.is(cyclic_header::visited) || target.is(cyclic_header::rescued)) add_edge(target);
                break;
            case phase::rescue:
                if (!target.is(cyclic_header::visited)) break;
                add_edge(target);
                rescue(target);
                break;
            case phase::cut:
                if (target.is(cyclic_header::visited)) {
                    --subtracted_;
                    return true;
                }
                leave_edge(target);
                break;
            default: __builtin_unreachable();
        }
        return false;
    }

    // The rare part of on_edge() is out of line and comes last there, so that the frequent part saves no registers.
    [[gnu::noinline]] void visit_and_subtract(cyclic_header& target) noexcept {
        if (visit(target)) subtract_edge(target);
    }

    // Effects: the destructor of an object that is garbage will release the target, which is no garbage. In a run
    // without a limit it becomes a candidate at once, with the number of its owners that are alive.
    [[gnu::noinline]] void leave_edge(cyclic_header& target) noexcept {
        if (is_partial_) target.expect_a_loss();
        if (!target.is(cyclic_header::rescued)) return;
        if (generations_ != nullptr && target.may_become_candidate()) {
            if (!thread_.candidates.add(target)) thread_.lost_candidates = true;
            target.set(cyclic_header::released);
            target.set_edges((target.edges() & made_before) | target.owners_up_to(made_before - 1));
        }
        add_edge(target);
    }

    // Effects: the current operation, if it counts no owners.
    [[gnu::noinline]] void look_at_edge(cyclic_header& target) noexcept {
        switch (phase_) {
            case phase::explore:
            case phase::sift: delay(target); break;
            case phase::discover:
                __builtin_prefetch(&target, 1);
                __builtin_prefetch(reinterpret_cast<std::byte*>(&target) + 32);
                if (!neighbors_.push(&target)) failed_ = true;
                break;
            case phase::record:
                if (!recorded_->push(&target)) failed_ = true;
                break;
            default: break;
        }
    }

    void subtract_edge(cyclic_header& target) noexcept {
        target.subtract_edge();
        ++subtracted_;
    }

    void add_edge(cyclic_header& target) noexcept {
        target.add_edge();
        --subtracted_;
    }

    // Effects: follows the edge later, when the header of its target is in the cache.
    void delay(cyclic_header& target) noexcept {
        __builtin_prefetch(&target, 1);
        cyclic_header* const before = std::exchange(delayed_[delayed_at_], &target);
        delayed_at_ = (delayed_at_ + 1) % max_delayed;
        if (before != nullptr) follow(*before);
    }

    void follow(cyclic_header& target) noexcept {
        if (target.is(cyclic_header::acyclic)) return;
        suspect_list& suspects = thread_.suspects;
        if (!(phase_ == phase::explore ? suspects.add_edge_to(target) : suspects.acquit(target))) failed_ = true;
    }

    // Effects: adds the object to the visited ones. Returns: whether it is one of them.
    bool visit(cyclic_header& header) noexcept {
        if (header.is(cyclic_header::visited)) return true;
        if (visited_.size() >= most_ || (suspects_only_ && !header.is(cyclic_header::suspected))) return false;
        // After a failure no other object is added, so that undo() finds exactly the edges that were subtracted.
        if (failed_ || visited_.size() >= budget_ || !visited_.push(&header)) {
            failed_ = true;
            return false;
        }
        header.set(cyclic_header::visited);
        return true;
    }

    // Effects: visits those from `begin` to `end`.
    void visit_neighbors(std::size_t begin, std::size_t end) noexcept {
        for (std::size_t k = begin; k < end; ++k) {
            if (!neighbors_[k]->is(cyclic_header::acyclic)) static_cast<void>(visit(*neighbors_[k]));
        }
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
            if (reach_everything()) {
                thread_.candidates.clear();
                thread_.postponed.clear();
                thread_.lost_candidates = false;
            }
        } else {
            reach_candidates(budget);
        }
    }

    // Effects: visits what all postponed objects lead to, which it looks for in all blocks.
    void reach_unlisted() noexcept {
        const bool is_complete = look_at_each([](trial_deletion& run, cyclic_header& header) {
            return !header.is(cyclic_header::postponed) || header.is(cyclic_header::visited) || run.reach(header);
        });
        if (!is_complete) return;
        static_cast<void>(look_at_each([](trial_deletion&, cyclic_header& header) {
            header.clear(cyclic_header::postponed);
            return true;
        }));
        thread_.postponed.truncate();
        thread_.has_unlisted = false;
    }

    // The newest come first. Those that are visited whole are candidates no longer.
    void reach_candidates(std::size_t budget) noexcept {
        budget_ = budget;
        if (thread_.has_unlisted) {
            thread_.postpone_all();
            reach_unlisted();
        } else {
            unchecked_ = budget;
            if (!reach_each(thread_.candidates) || !reach_each(thread_.postponed)) thread_.postpone_all();
            unchecked_ = 0;
        }
    }

    // Returns: whether it has visited all of the list.
    template <class List>
    bool reach_each(List& candidates) noexcept {
        while (cyclic_header* const candidate = candidates.last()) {
            const std::size_t before = visited_.size();
            if (!candidate->is(cyclic_header::visited) && !reach(*candidate)) {
                has_exceeded_ = before <= budget_ / 2;
                return false;
            }
            candidates.remove_last();
        }
        return true;
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
        rescued_.add(&header);  // scan() has reserved room for all
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
            if (header->is(cyclic_header::rescued)) {
                header->clear(cyclic_header::visited_or_released);
            } else {
                visited_[garbage++] = header;
                if (header->is(cyclic_header::has_weak)) cyclic_block::of(*header).type->expire(*header);
                has_finalizers_ |= is_to_be_finalized(*header);
            }
        }
        kept_ += rescued_.size();
        visited_.truncate(garbage);
        if (garbage == 0) forget_rescued();
        return garbage != 0;
    }

    // Effects: no object counts as rescued any longer. Requires: all of them exist.
    void forget_rescued() noexcept {
        for (cyclic_header* const header : rescued_) header->clear(cyclic_header::rescued);
        rescued_.truncate(0);
    }

    // Effects: finalizes the garbage, until all that remains is finalized. Returns: whether any remains.
    bool finalize() noexcept {
        for (std::size_t round = 0; has_finalizers_; ++round) {
            for (cyclic_header* const header : visited_) trace(*header, phase::restore);
            forget_rescued();
            if (round > collected_generations::most) {
                if (generations_ != nullptr) generations_->count = round;
                collected_generations::report(type_to_report().name);
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
            // A finalize() may have made an owner that is not visited.
            if (is_partial_ && header->may_become_candidate()) thread_.add_candidate(*header);
        }
        finalize_each(visited_);
        for (cyclic_header* const header : visited_) header->subtract_edge();
    }

    // Effects: visits the same objects again, and all that can be reached from them now. Returns: whether it could.
    bool reach_again() noexcept {
        growing_list<cyclic_header*> before;
        before.swap(visited_);
        budget_ = no_limit;
        most_ = no_limit;
        bool all = true;
        if (is_partial_) {
            for (cyclic_header* const header : before) all = visit(*header) && all;
            most_ = 0;
            for (cyclic_header* const header : visited_) trace(*header, phase::subtract);
            failed_ = false;
        } else {
            for (cyclic_header* const header : before)
                all = all && (header->is(cyclic_header::visited) || reach(*header));
        }
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
        forget_rescued();
        FREEHOLD_EXPECTS(subtracted_ == 0, "a trace(visit) visits a member twice, or one that is not a member");
        if (subtracted_ != 0) {
            for (cyclic_header* const header : visited_) header->make_immortal();
            return 0;
        }
        dispose_each(visited_);
        return visited_.size();
    }

    // Effects: begins a generation, if no garbage was made before the current one. A mark says that of an object, in a
    // number that only a search in steps uses otherwise. The number of runs does not tell: each finds one level of
    // nested garbage, of which there may be any number.
    void count_generation() noexcept {
        for (cyclic_header* const header : visited_) {
            if ((header->edges() & made_before) != 0) return;
        }
        if (++generations_->count == collected_generations::most) collected_generations::report(type_to_report().name);
        static_cast<void>(look_at_each([](trial_deletion&, cyclic_header& header) {
            header.set_edges(made_before);
            return true;
        }));
    }

    // Returns: the type of an object that is to be finalized or, if there is none, was, among the garbage; else any.
    [[nodiscard]] const cyclic_type& type_to_report() noexcept {
        cyclic_header* found = *visited_.begin();
        for (cyclic_header* const header : visited_) {
            if (is_to_be_finalized(*header)) return type_of(*header);
            if (type_of(*header).finalize != nullptr) found = header;
        }
        return type_of(*found);
    }

    static constexpr std::uint32_t made_before = (cyclic_header::max_edges + 1) / 2;  // a mark
    static constexpr std::size_t max_delayed = 8;
    growing_list<cyclic_header*> rescued_;
    growing_buffer<cyclic_header*>* recorded_ = nullptr;
    std::size_t budget_ = no_limit;
    std::size_t unchecked_ = 0;   // visits up to this number are within all limits
    std::size_t subtracted_ = 0;  // edges that are missing in the counts
    cyclic_header* delayed_[max_delayed] = {};
    std::size_t delayed_at_ = 0;
    phase phase_ = phase::subtract;
    bool has_finalizers_ = false;  // the garbage has objects that are not finalized yet
};

}  // namespace detail
}  // namespace freehold
