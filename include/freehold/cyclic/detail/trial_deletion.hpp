#pragma once
// Finds the objects that own each other and that nobody else owns, and ends them: synchronous trial deletion.
//
// From the candidates on, all that can be reached is visited, and each edge that is found is taken out of the count of
// its target. Who has owners left is owned from outside, and so is all that it leads to: those are rescued. The rest is
// garbage. The lists are queues and stacks at once, so that nothing recurses over the graph, and the counts are put
// back by following the same edges again, so that a run can be given up at any point without having changed anything.
//
// Garbage ends in two phases. First observers expire and each finalize() runs, while all objects are whole; as that may
// have given some of them an owner, the garbage is found anew. Then every pointer from garbage to garbage is made null,
// the objects are destroyed, and their cells are freed last. So no destructor can reach an object that is already gone.
// Where nothing is to be finalized, the counts of garbage are never put back, as that is half of the work.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <utility>

#include "../../core/assert.hpp"
#include "../../core/growing_buffer.hpp"
#include "../../tracing/trace.hpp"
#include "cell_free_list.hpp"
#include "cyclic_block.hpp"
#include "cyclic_header.hpp"
#include "cyclic_thread.hpp"

namespace freehold {

template <class T, class Domain>
class cyclic_ptr;

namespace detail {

class trial_deletion;

// What traces an object of a domain.
template <class Domain>
class edge_visitor {
public:
    explicit edge_visitor(trial_deletion& run) noexcept : run_(run) {}

    // In cyclic_ptr.hpp.
    template <class T>
    void operator()(const cyclic_ptr<T, Domain>& pointer) noexcept;

    // Effects: none. A pointer that another collector follows is an owner from outside.
    template <class Pointer>
    void operator()(const Pointer&) noexcept {
        static_assert(!needs_its_collector<Pointer>,
                      "freehold: a traced_ptr in an object of make_cyclic keeps nothing alive; hold a persistent, or "
                      "make the object in the traced_heap");
    }

private:
    trial_deletion& run_;
};

// One run over the objects of a thread. Requires: none is going on there.
class trial_deletion {
public:
    static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

    explicit trial_deletion(cyclic_thread& thread) noexcept : thread_(thread) { thread_.collecting = true; }

    trial_deletion(const trial_deletion&) = delete;
    trial_deletion& operator=(const trial_deletion&) = delete;

    virtual ~trial_deletion() { thread_.collecting = false; }

    // Effects: destroys garbage that the candidates lead to, visiting no more than `budget` objects. Candidates for
    // which that is not enough, or the memory for the lists, stay candidates.
    // Returns: the number of objects that were destroyed.
    std::size_t run(std::size_t budget) noexcept {
        ++thread_.runs;
        if (thread_.observer == nullptr) return search(budget);
        const auto started = std::chrono::steady_clock::now();
        const std::size_t ended = search(budget);
        thread_.observer({started, std::chrono::steady_clock::now() - started, visits_, ended});
        return ended;
    }

    // Returns: how many objects the run has looked at.
    [[nodiscard]] std::size_t visits() const noexcept { return visits_; }

    // Returns: how many objects that may be in cycles are to be made before the next run, where `ended` were garbage in
    // this one and there is room for `cells`. Of what is alive a small part, so that garbage is no more than that; or,
    // where hardly anything was garbage, so many that the next run costs them little.
    [[nodiscard]] std::size_t allocations_until_next(std::size_t ended, std::size_t cells) const noexcept {
        const std::size_t spared = ended < visits_ / 4 ? visits_ / 4 : 0;
        return std::max({cyclic_thread::least_allocations, cells / 64, spared});
    }

    // Effects: calls use(header) for every object that is owned by somebody else than the objects that are found in
    // others; the count is that of those owners.
    template <class Use>
    void each_owned_from_outside(Use use) {
        if (!reach_everything()) return;
        for (cyclic_header* const header : visited_) {
            if (header->has_owners()) use(*header);
        }
        give_up();
    }

protected:
    // What is different where several threads share the objects.

    // Effects: calls look(header) for every object, as long as that returns true. Returns: whether it always did.
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

    // Effects: calls finalize() where it was not called before. All counts are complete afterwards.
    virtual void finalize_each(growing_buffer<cyclic_header*>& garbage) noexcept {
        for (cyclic_header* const header : garbage) {
            if (!is_to_be_finalized(*header)) continue;
            header->set(cyclic_header::finalized);
            cyclic_block::of(*header).type->finalize(*header);
        }
    }

    // Effects: ends the objects, which have no owners, no observers and no pointers to each other.
    virtual void end_each(growing_buffer<cyclic_header*>& garbage) noexcept {
        thread_.as_outermost([&] {
            for (cyclic_header* const header : garbage) cyclic_block::of(*header).type->destroy(*header);
            for (cyclic_header* const header : garbage) cyclic_block::of(*header).type->deallocate(*header);
            thread_.work_off();
        });
    }

private:
    template <class Domain>
    friend class edge_visitor;

    std::size_t search(std::size_t budget) noexcept {
        if (thread_.lost_candidates && budget == no_limit) {
            thread_.lost_candidates = !reach_everything();
        } else {
            reach_candidates(budget);
        }
        visits_ = visited_.size();
        return separate() && finalize() ? destroy() : 0;
    }

    // What is done with an edge that is found.
    enum class phase { subtract, undo, restore, rescue, cut };

    // Returns: whether the pointer, which leads to `target`, is to be made null.
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

    // Effects: notes that the object was reached. Returns: whether it is noted now.
    bool visit(cyclic_header& header) noexcept {
        if (header.is(cyclic_header::visited)) return true;
        // Once one could not be noted no other is, so that undo() finds exactly what was subtracted.
        if (failed_ || visited_.size() >= budget_ || !visited_.push(&header)) {
            failed_ = true;
            return false;
        }
        header.set(cyclic_header::visited);
        return true;
    }

    // Effects: visits all that can be reached from the object. Returns: whether it could; else nothing has changed.
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

    // Effects: puts back the edges that were found in the objects from `begin` to `traced`; all from `begin` on are
    // visited no more.
    void undo(std::size_t begin, std::size_t traced) noexcept {
        for (std::size_t i = begin; i < traced; ++i) trace(*visited_[i], phase::undo);
        for (std::size_t i = begin; i < visited_.size(); ++i) visited_[i]->clear(cyclic_header::visited);
    }

    void reach_candidates(std::size_t budget) noexcept {
        budget_ = budget;
        growing_buffer<cyclic_header*>& candidates = thread_.candidates;
        for (std::size_t i = candidates.size(); i > 0; --i) {
            cyclic_header& candidate = *candidates[i - 1];
            if (candidate.is(cyclic_header::visited) || reach(candidate)) continue;
            // The next run begins with the others.
            std::swap(candidates[0], candidates[i - 1]);
            candidates[0]->set_place(1);
            candidates[i - 1]->set_place(i);
            break;
        }
    }

    // Returns: whether there was memory enough; else nothing has changed.
    bool reach_everything() noexcept {
        const bool all = look_at_each([](trial_deletion& run, cyclic_header& header) {
            return header.is(cyclic_header::acyclic) || header.is(cyclic_header::visited) || run.reach(header);
        });
        if (!all) give_up();
        return all;
    }

    // Effects: nothing is visited any more. Requires: all that is was traced.
    void give_up() noexcept {
        undo(0, visited_.size());
        visited_.truncate(0);
    }

    void rescue(cyclic_header& header) noexcept {
        if (header.is(cyclic_header::rescued)) return;
        header.set(cyclic_header::rescued);
        static_cast<void>(rescued_.push(&header));  // there is room for all
    }

    // Effects: the visited objects are those that are garbage; their observers expire. The counts of all others are as
    // before, but for owners in garbage.
    // Returns: whether there is any.
    bool separate() noexcept {
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
            if (header->place() != 0) thread_.clear_suspicion(*header);
            if (header->is(cyclic_header::rescued)) {
                header->clear(cyclic_header::rescued);
                header->clear(cyclic_header::visited);
            } else {
                visited_[garbage++] = header;
                if (header->is(cyclic_header::observed)) cyclic_block::of(*header).type->expire(*header);
                has_finalizers_ |= is_to_be_finalized(*header);
            }
        }
        visited_.truncate(garbage);
        return garbage != 0;
    }

    // Effects: finalizes the garbage, until all that is left was finalized. Returns: whether any is left.
    bool finalize() noexcept {
        // Who makes more to be finalized each time is left to a later run.
        constexpr int most_rounds = 8;
        for (int round = 0; has_finalizers_; ++round) {
            for (cyclic_header* const header : visited_) trace(*header, phase::restore);
            if (round == most_rounds) {
                keep_as_candidates(visited_);
                return false;
            }
            call_finalizers();
            if (!reach_again() || !separate()) return false;
        }
        return true;
    }

    // Effects: finalizes what was not yet. An owner of each, which is taken back, keeps them while that runs.
    void call_finalizers() noexcept {
        for (cyclic_header* const header : visited_) {
            header->clear(cyclic_header::visited);
            header->acquire();
        }
        finalize_each(visited_);
        for (cyclic_header* const header : visited_) header->subtract_edge();
    }

    // Effects: visits what was visited before, and all that can be reached from there now. Returns: whether it could.
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
            if (header->is_unsuspected()) thread_.suspect(*header);
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
        end_each(visited_);
        return visited_.size();
    }

    cyclic_thread& thread_;
    growing_list<cyclic_header*> visited_;
    growing_list<cyclic_header*> rescued_;
    std::size_t budget_ = no_limit;
    std::size_t visits_ = 0;
    std::size_t subtracted_ = 0;  // edges that are out of a count
    phase phase_ = phase::subtract;
    bool failed_ = false;
    bool has_finalizers_ = false;  // the garbage has objects that are yet to be finalized
};

}  // namespace detail
}  // namespace freehold
