#pragma once
// trial_deletion: finds objects that own each other and have no other owner, and destroys them. One proof, step by
// step:
//
//   subtract     visits the objects that candidates lead to, and subtracts each edge from the count of its target
//                (graph_walk.hpp). A cycle_search may visit fewer: those around a candidate (neighborhood.hpp), or only
//                suspects.
//   scan         an object with owners left is owned from outside: it is rescued with all that it leads to, and the
//                edges from rescued objects are added again. The others are garbage. Their weak pointers expire.
//   finalize     calls each finalize(), while all objects are whole. That may have made owners, so the garbage is
//                subtracted and scanned again.
//   destroy      makes every pointer from garbage to garbage null, so that no destructor can reach a destroyed object.
//                The heap_view then destroys the objects, and frees their cells last: cyclic_thread::destroy.
//
// The way there and back:
//
//   cycle_search.hpp    decides what to visit, and how much at a time
//   heap_view.hpp       finds all objects and destroys garbage, for a thread; stopped_heap.hpp for a shared heap
//   cyclic_thread.hpp   has the candidates, and the objects whose destruction is deferred
//   cyclic_header.hpp   has the counts and the flags
//   cyclic_block.hpp    has the operations on an object whose type is not known: cyclic_type
//
// The visited objects need not be all that the candidates lead to: what is garbage among them has all its owners among
// them. A proof that fails adds the same edges again and has changed nothing. Without a finalize() the counts of
// garbage are never restored: that is half the work.

#include <cstddef>

#include "../../core/assert.hpp"
#include "../../core/collected_generations.hpp"
#include "../../core/config.hpp"
#include "../../core/growing_buffer.hpp"
#include "cyclic_block.hpp"
#include "cyclic_header.hpp"
#include "cyclic_thread.hpp"
#include "graph_walk.hpp"
#include "heap_view.hpp"

namespace freehold::inline v0_2::detail {

// Requires: the heap has no other one.
class trial_deletion {
public:
    explicit trial_deletion(heap_view& heap) noexcept : heap_(heap), thread_(heap.state), walk_(thread_) {
        thread_.collecting = true;
    }

    ~trial_deletion() { thread_.collecting = false; }

    [[nodiscard]] graph_walk& walk() noexcept { return walk_; }

    // Returns: the number of objects that were visited and are alive.
    [[nodiscard]] std::size_t kept() const noexcept { return kept_; }

    // Effects: visits what the candidates lead to, within the budget of the scope, and subtracts all edges; from all
    // objects, if candidates were lost. Those that it does not reach stay candidates, if the budget or the memory does
    // not suffice. Returns: false if it did not suffice, and less than half of it was visited: one candidate needs
    // more.
    bool subtract(const walk_scope& scope) noexcept {
        if (thread_.lost_candidates && scope.budget == walk_scope::no_limit) {
            if (reach_everything()) {
                thread_.candidates.clear();
                thread_.postponed.clear();
                thread_.lost_candidates = false;
            }
            return true;
        }
        if (thread_.has_unlisted) {
            thread_.postpone_all();
            reach_unlisted(scope);
        } else if (!walk_.reach_each(thread_.candidates, scope) || !walk_.reach_each(thread_.postponed, scope)) {
            thread_.postpone_all();
            return walk_.visited().size() > scope.budget / 2;
        }
        return true;
    }

    // Effects: destroys what is garbage among the visited objects; no object is visited any longer. The scope is that
    // in which they were visited. Returns: the number of destroyed objects.
    std::size_t destroy_garbage(const walk_scope& scope) noexcept {
        std::size_t destroyed = 0;
        for (std::size_t round = 0; scan(); ++round) {
            if (round == 0 && scope.level != nullptr && scope.level->are_counted) count_generation(*scope.level);
            if (!has_finalizers_) {
                destroyed = destroy(scope);
                break;
            }
            if (!finalize(scope, round)) break;
        }
        walk_.visited().truncate(0);
        return destroyed;
    }

    // Effects: calls use(header) for every object with an owner that was not found in another object. Its count is then
    // the number of those owners.
    template <class Use>
    void each_owned_from_outside(Use use) {
        if (!reach_everything()) return;
        for (cyclic_header* const header : walk_.visited()) {
            if (header->has_owners()) use(*header);
        }
        walk_.give_up();
    }

private:
    // Effects: visits what all postponed objects lead to, which it looks for in all blocks.
    void reach_unlisted(const walk_scope& scope) noexcept {
        const bool is_complete = heap_.look_at_each([&](cyclic_header& header) {
            return !header.is(cyclic_header::postponed) || header.is(cyclic_header::visited) ||
                   walk_.reach(header, scope);
        });
        if (!is_complete) return;
        heap_.look_at_each([](cyclic_header& header) {
            header.clear(cyclic_header::postponed);
            return true;
        });
        thread_.postponed.truncate();
        thread_.has_unlisted = false;
    }

    // Returns: false if out of memory; then nothing has changed.
    bool reach_everything() noexcept {
        const bool all = heap_.look_at_each([&](cyclic_header& header) {
            return header.is(cyclic_header::acyclic) || header.is(cyclic_header::visited) || walk_.reach(header, {});
        });
        if (!all) walk_.give_up();
        return all;
    }

    // Effects: keeps only garbage among the visited objects; its weak pointers expire. The counts of all other objects
    // are restored, except for owners in garbage.
    // Returns: whether there is garbage. Inline, as is rescue_owned(): a search proves many parts of a few objects.
    FREEHOLD_ALWAYS_INLINE bool scan() noexcept {
        if (!walk_.rescue_owned()) {
            walk_.give_up();
            thread_.lost_candidates = true;
            return false;
        }
        std::size_t garbage = 0;
        has_finalizers_ = false;
        growing_list<cyclic_header*>& visited = walk_.visited();
        for (cyclic_header* const header : visited) {
            if (header->is(cyclic_header::rescued)) {
                header->clear(cyclic_header::visited_or_released);
            } else {
                visited[garbage++] = header;
                if (header->is(cyclic_header::has_weak)) type_of(*header).expire(*header);
                has_finalizers_ |= is_to_be_finalized(*header);
            }
        }
        kept_ += walk_.rescued().size();
        visited.truncate(garbage);
        if (garbage == 0) walk_.forget_rescued();
        return garbage != 0;
    }

    // Effects: finalizes the garbage, and visits it again to be scanned. Returns: false if that failed, or after too
    // many rounds of garbage that finalizers have made; then it is not visited any longer, and a candidate.
    bool finalize(const walk_scope& scope, std::size_t round) noexcept {
        walk_.restore_edges();
        walk_.forget_rescued();
        if (round > collected_generations::most) {
            if (scope.level != nullptr) scope.level->count = round;
            collected_generations::report(type_to_report().name);
            keep_as_candidates(walk_.visited());
            return false;
        }
        call_finalizers(scope);
        return reach_again(scope);
    }

    // Effects: finalizes the visited objects. Each has an additional owner meanwhile, which keeps it alive.
    void call_finalizers(const walk_scope& scope) noexcept {
        growing_list<cyclic_header*>& visited = walk_.visited();
        for (cyclic_header* const header : visited) {
            header->clear(cyclic_header::visited);
            header->acquire();
            // A finalize() may have made an owner that is not visited.
            if (scope.is_partial() && header->may_become_candidate()) thread_.add_candidate(*header);
        }
        for (cyclic_header* const header : visited) {
            if (!is_to_be_finalized(*header)) continue;
            header->set(cyclic_header::finalized);
            type_of(*header).finalize(*header);
        }
        heap_.complete_counts();
        for (cyclic_header* const header : visited) header->subtract_edge();
    }

    // Effects: visits the same objects again, and all that can be reached from them now, unless the scope is partial.
    // Returns: whether it could.
    bool reach_again(const walk_scope& scope) noexcept {
        growing_list<cyclic_header*> before;
        before.swap(walk_.visited());
        bool all = true;
        if (scope.is_partial()) {
            for (cyclic_header* const header : before) all = walk_.visit(*header, {}) && all;
            walk_.forget_failure();
            walk_.subtract_inner_edges();
        } else {
            for (cyclic_header* const header : before)
                all = all && (header->is(cyclic_header::visited) || walk_.reach(*header, {}));
        }
        if (!all) {
            walk_.give_up();
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
    std::size_t destroy(const walk_scope& scope) noexcept {
        walk_.cut_edges(scope);
        walk_.forget_rescued();
        growing_list<cyclic_header*>& garbage = walk_.visited();
        FREEHOLD_EXPECTS(walk_.subtracted() == 0, "a trace(visit) visits a member twice, or one that is not a member");
        if (walk_.subtracted() != 0) {
            for (cyclic_header* const header : garbage) header->make_immortal();
            return 0;
        }
        heap_.dispose(garbage);
        return garbage.size();
    }

    // Effects: begins a generation, if no garbage was made before the current one. The number of levels does not tell:
    // each finds one level of nested garbage, of which there may be any number.
    void count_generation(collected_generations& level) noexcept {
        for (cyclic_header* const header : walk_.visited()) {
            if (header->was_made_before()) return;
        }
        if (++level.count == collected_generations::most) collected_generations::report(type_to_report().name);
        heap_.look_at_each([](cyclic_header& header) {
            header.note_made_before();
            return true;
        });
    }

    // Returns: the type of an object that is to be finalized or, if there is none, was, among the garbage; else any.
    [[nodiscard]] const cyclic_type& type_to_report() noexcept {
        cyclic_header* found = *walk_.visited().begin();
        for (cyclic_header* const header : walk_.visited()) {
            if (is_to_be_finalized(*header)) return type_of(*header);
            if (type_of(*header).finalize != nullptr) found = header;
        }
        return type_of(*found);
    }

    [[nodiscard]] static bool is_to_be_finalized(cyclic_header& header) noexcept {
        return type_of(header).finalize != nullptr && !header.is(cyclic_header::finalized);
    }

    [[nodiscard]] static const cyclic_type& type_of(cyclic_header& header) noexcept {
        return *cyclic_block::of(header).type;
    }

    heap_view& heap_;
    cyclic_thread& thread_;
    graph_walk walk_;
    std::size_t kept_ = 0;
    bool has_finalizers_ = false;  // the garbage has objects that are not finalized yet
};

}  // namespace freehold::detail
