#pragma once
// graph_walk: the visited objects of a trial deletion, and what each of its steps does with the edges between them.
//
// type.trace(header, walk) passes each pointer in an object to an edge_visitor, and that passes the target to
// on_edge(). The lists are queues and stacks at once, so nothing recurses over the graph.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/collected_generations.hpp"
#include "../../core/config.hpp"
#include "../../core/growing_buffer.hpp"
#include "../../fwd.hpp"
#include "../../tracing/trace.hpp"
#include "cyclic_block.hpp"
#include "cyclic_header.hpp"
#include "cyclic_thread.hpp"
#include "search_state.hpp"

namespace freehold::inline v0_2 {

namespace detail {

class graph_walk;

// The visitor that traces an object of a domain.
template <class Domain>
class edge_visitor {
public:
    explicit edge_visitor(graph_walk& walk) noexcept : walk_(walk) {}

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
    graph_walk& walk_;
};

// Which objects a walk visits. Edges to others are left alone.
struct walk_scope {
    static constexpr std::size_t no_limit = SIZE_MAX;

    std::size_t budget = no_limit;  // to visit more objects is a failure
    std::size_t most = no_limit;    // visits no more objects
    bool only_suspects = false;     // of a search in steps

    // Of a collection without a limit: what its garbage releases becomes a candidate at once.
    collected_generations* level = nullptr;

    // Returns: whether the visited objects may lead to others.
    [[nodiscard]] bool is_partial() const noexcept { return only_suspects || most != no_limit; }
};

// The scope of objects that a walk has visited, and no others.
inline constexpr walk_scope no_others{.most = 0};

class graph_walk {
public:
    explicit graph_walk(cyclic_thread& thread) noexcept : thread_(thread) {}

    [[nodiscard]] growing_list<cyclic_header*>& visited() noexcept { return visited_; }
    [[nodiscard]] const growing_list<cyclic_header*>& rescued() const noexcept { return rescued_; }

    // Returns: the number of edges that are missing in the counts.
    [[nodiscard]] std::size_t subtracted() const noexcept { return subtracted_; }

    // Effects: adds the object to the visited ones. Returns: whether it is one of them.
    bool visit(cyclic_header& header, const walk_scope& scope) noexcept {
        if (header.is(cyclic_header::visited)) return true;
        if (visited_.size() >= scope.most) return false;
        if (scope.only_suspects && !header.is(cyclic_header::suspected)) return false;
        // After a failure no other object is added, so that undo() finds exactly the edges that were subtracted.
        if (failed_ || visited_.size() >= scope.budget || !visited_.push(&header)) {
            failed_ = true;
            return false;
        }
        header.set(cyclic_header::visited);
        return true;
    }

    // Effects: visits all objects in the scope that this one leads to, and subtracts each edge from the count of its
    // target. Returns: false if it could not; then nothing has changed.
    bool reach(cyclic_header& from, const walk_scope& scope) noexcept {
        confine(scope);
        return reach(from);
    }

    // Effects: as reach() for each candidate, the newest first, which is removed from the list.
    // Returns: whether the list is empty.
    template <class List>
    bool reach_each(List& candidates, const walk_scope& scope) noexcept {
        confine(scope);
        while (cyclic_header* const candidate = candidates.last()) {
            if (!candidate->is(cyclic_header::visited) && !reach(*candidate)) return false;
            candidates.remove_last();
        }
        return true;
    }

    // Effects: subtracts the edges between visited objects. Requires: none of them is subtracted.
    void subtract_inner_edges() noexcept {
        confine(no_others);
        for (cyclic_header* const header : visited_) trace(*header, phase::subtract);
    }

    // Effects: as subtract_inner_edges(), and visits what the objects lead to, as far as there is memory.
    void subtract_edges(const walk_scope& scope) noexcept {
        confine(scope);
        for (std::size_t i = 0; i < visited_.size(); ++i) trace(*visited_[i], phase::subtract);
        failed_ = false;
    }

    // Effects: adds all subtracted edges again; no object is visited any longer.
    // Requires: the edges of all visited objects are subtracted.
    void give_up() noexcept {
        undo(0, visited_.size());
        visited_.truncate(0);
    }

    // Effects: no object is visited any longer. Requires: no edge is subtracted.
    void forget_visited() noexcept {
        for (cyclic_header* const header : visited_) header->clear(cyclic_header::visited);
        visited_.truncate(0);
    }

    // Effects: rescues the visited objects that have owners left, and all that they lead to: adds their edges again.
    // Returns: false if out of memory; then nothing has changed.
    FREEHOLD_ALWAYS_INLINE bool rescue_owned() noexcept {
        if (!rescued_.reserve(visited_.size())) return false;
        rescued_.truncate(0);
        for (cyclic_header* const header : visited_) {
            if (header->has_owners()) rescue(*header);
        }
        for (std::size_t i = 0; i < rescued_.size(); ++i) trace(*rescued_[i], phase::rescue);
        return true;
    }

    // Effects: adds the edges of the visited objects again.
    void restore_edges() noexcept {
        for (cyclic_header* const header : visited_) trace(*header, phase::restore);
    }

    // Effects: makes all pointers between visited objects null. Counts again, as owners, those to rescued objects.
    void cut_edges(const walk_scope& scope) noexcept {
        confine(scope);
        for (cyclic_header* const header : visited_) trace(*header, phase::cut);
    }

    // Effects: no object is rescued any longer. Requires: all of them exist.
    void forget_rescued() noexcept {
        for (cyclic_header* const header : rescued_) header->clear(cyclic_header::rescued);
        rescued_.truncate(0);
    }

    // For a search in steps, and for the diagnosis; they subtract nothing.

    // Effects: adds the targets of the object's pointers to the list.
    void list_targets(cyclic_header& from, growing_buffer<cyclic_header*>& targets) noexcept {
        targets_ = &targets;
        trace(from, phase::list);
    }

    // Effects: counts the edges of the object, as search_state says. Follows some of them later.
    void explore(cyclic_header& from) noexcept { trace(from, phase::explore); }

    // Effects: acquits the targets of the object's pointers. Follows some of them later.
    void sift(cyclic_header& from) noexcept { trace(from, phase::sift); }

    // Effects: follows the edges that were left for later.
    void follow_delayed() noexcept {
        for (cyclic_header*& delayed : delayed_) {
            if (delayed != nullptr) follow(*std::exchange(delayed, nullptr));
        }
    }

    // Returns: whether visit(), list_targets(), explore() or sift() has run out of memory.
    [[nodiscard]] bool has_failed() const noexcept { return failed_; }
    void forget_failure() noexcept { failed_ = false; }

private:
    template <class Domain>
    friend class edge_visitor;

    // What on_edge() does. Those up to `cut` leave out targets that can be in no cycle.
    enum class phase { subtract, undo, restore, rescue, cut, explore, sift, list };

    void trace(cyclic_header& header, phase now) noexcept {
        phase_ = now;
        cyclic_block::of(header).type->trace(header, *this);
    }

    // Effects: what the phase does with an edge to `target`. Returns: whether to make the pointer null.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE bool on_edge(cyclic_header& target) noexcept {
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
            default: FREEHOLD_UNREACHABLE();
        }
        return false;
    }

    // The rare part of on_edge() is out of line and comes last there, so that the frequent part saves no registers.
    FREEHOLD_NOINLINE void visit_and_subtract(cyclic_header& target) noexcept {
        if (visit(target, *scope_)) subtract_edge(target);
    }

    // Effects: the destructor of an object that is garbage will release the target, which is no garbage. In a
    // collection without a limit it becomes a candidate at once, with the number of its owners that are alive.
    FREEHOLD_NOINLINE void leave_edge(cyclic_header& target) noexcept {
        if (scope_->is_partial()) target.expect_a_loss();
        if (!target.is(cyclic_header::rescued)) return;
        if (scope_->level != nullptr && target.may_become_candidate()) {
            if (!thread_.candidates.add(target)) thread_.lost_candidates = true;
            target.expect_owners();
        }
        add_edge(target);
    }

    // Effects: what the phase does with an edge, if it changes no count.
    FREEHOLD_NOINLINE void look_at_edge(cyclic_header& target) noexcept {
        if (phase_ != phase::list) return delay(target);
        FREEHOLD_PREFETCH(&target, 1);
        FREEHOLD_PREFETCH(reinterpret_cast<std::byte*>(&target) + 32);
        if (!targets_->push(&target)) failed_ = true;
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
        FREEHOLD_PREFETCH(&target, 1);
        cyclic_header* const before = std::exchange(delayed_[delayed_at_], &target);
        delayed_at_ = (delayed_at_ + 1) % max_delayed;
        if (before != nullptr) follow(*before);
    }

    void follow(cyclic_header& target) noexcept {
        if (target.is(cyclic_header::acyclic)) return;
        search_state& search = thread_.search;
        if (!(phase_ == phase::explore ? search.add_edge_to(target) : search.acquit(target))) failed_ = true;
    }

    // Effects: visits what the scope says, until the next call.
    void confine(const walk_scope& scope) noexcept {
        scope_ = &scope;
        unchecked_ = scope.only_suspects ? 0 : smaller(scope.most, scope.budget);
    }

    bool reach(cyclic_header& from) noexcept {
        const std::size_t before = visited_.size();
        std::size_t traced = before;
        if (visit(from, *scope_)) {
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

    void rescue(cyclic_header& header) noexcept {
        if (header.is(cyclic_header::rescued)) return;
        header.set(cyclic_header::rescued);
        rescued_.add(&header);  // rescue_owned() has reserved room for all
    }

    static constexpr std::size_t max_delayed = 8;

    cyclic_thread& thread_;
    growing_list<cyclic_header*> visited_;
    growing_list<cyclic_header*> rescued_;
    growing_buffer<cyclic_header*>* targets_ = nullptr;
    std::size_t unchecked_ = 0;   // visits up to this number are within all limits
    std::size_t subtracted_ = 0;  // edges that are missing in the counts
    cyclic_header* delayed_[max_delayed] = {};
    std::size_t delayed_at_ = 0;
    const walk_scope* scope_ = nullptr;  // of the current call
    phase phase_ = phase::subtract;
    bool failed_ = false;  // there is no memory, or the budget is used up
};

}  // namespace detail
}  // namespace freehold
