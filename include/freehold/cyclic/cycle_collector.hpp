#pragma once
// cycle_collector: finds objects of the calling thread that only own each other through cyclic_ptr, and ends them.
//
// make_cyclic does so by itself, when there are 1024 candidates or more and when so many objects were made since it
// last did that it is worth its while: one for each 64 that have room, and where a run has found less than a quarter of
// what it looked at to be garbage, one for each four that it looked at. Candidates are objects that lost an owner and
// still have some. So neither a program that only moves pointers in a large structure nor one that makes objects in no
// cycle ever collects.
//
// A run looks at what candidates lead to, and at nothing else: its cost is linear in that. Its lists take 16 bytes for
// each object; where there is no memory for them, or for a candidate, nothing is lost: a later run finds the garbage.
//
// Thread safety: each thread has one, which sees the objects that the thread has made.
// Exceptions: none but std::bad_alloc in roots(). Cost: nothing but its functions.

#include <cstddef>
#include <vector>

#include "detail/cell_free_list.hpp"
#include "detail/cyclic_block.hpp"
#include "detail/cyclic_header.hpp"
#include "detail/cyclic_thread.hpp"
#include "detail/trial_deletion.hpp"
#include "detail/weak_records.hpp"

namespace freehold {

class cycle_collector {
public:
    // An object with owners that are not in other objects, as far as their trace() tells.
    struct root {
        const void* object;
        const char* type;  // its name
        long owners;       // that were not found
    };

    cycle_collector() = delete;

    // Effects: ends all cycles that nobody outside owns, with all that only they own. Called from a destructor or
    // finalize() of a cyclic object, has no effect but that the next make_cyclic does it.
    // Requires: as make_cyclic.
    // Returns: the number of objects that ended in cycles. What their destructors leave is for the next call.
    // Complexity: linear in the objects that candidates lead to.
    static std::size_t collect() noexcept { return collect(detail::trial_deletion::no_limit); }

    // Effects: the same, but looks at no more than `budget` objects before it finalizes and destroys. What a candidate
    // leads to is looked at whole or not at all; a candidate that leads to more than the budget waits for a larger one,
    // and others go first the next time.
    static std::size_t collect(std::size_t budget) noexcept {
        detail::cyclic_thread& thread = detail::this_cyclic_thread;
        if (thread.is_ending() || thread.collecting) {
            thread.wanted = true;
            return 0;
        }
        return detail::trial_deletion(thread).run(budget);
    }

    // Effects: make_cyclic collects by itself from now on, or no more.
    static void set_automatic(bool automatic) noexcept { detail::this_cyclic_thread.automatic = automatic; }

    // Returns: how often this thread has collected, by itself or because it was asked to.
    [[nodiscard]] static std::size_t runs() noexcept { return detail::this_cyclic_thread.runs; }

    // Effects: the observer is called at the end of each collection of this thread; null for none. Requires: it throws
    // nothing and uses no cyclic pointers.
    static void on_collection(void (*observer)(const cyclic_collection&)) noexcept {
        detail::this_cyclic_thread.observer = observer;
    }

    // Returns: the number of candidates.
    [[nodiscard]] static std::size_t candidates() noexcept { return detail::this_cyclic_thread.candidates.size(); }

    // Returns: the number of objects. Complexity: linear in the cells that there are.
    [[nodiscard]] static std::size_t objects() noexcept {
        std::size_t found = 0;
        for (auto* free_list = detail::this_cyclic_thread.free_lists; free_list != nullptr;
             free_list = free_list->next()) {
            free_list->each([&found](detail::cyclic_header&) { ++found; });
        }
        return found;
    }

    // Returns: those objects that may be in a cycle and are owned from outside, as local variables, containers and
    // owners of other kinds do. An object that should have ended and has not is here, or is owned by one that is: with
    // an owner that was forgotten, or one that a trace(visit) does not visit.
    // Requires: no destructor or finalize() of a cyclic object is running; and as make_cyclic.
    // Throws: std::bad_alloc. Complexity: linear in the cells that there are and all that the objects hold.
    [[nodiscard]] static std::vector<root> roots() {
        FREEHOLD_EXPECTS(!detail::this_cyclic_thread.is_ending() && !detail::this_cyclic_thread.collecting,
                         "roots() is called in a destructor or finalize() of a collected object",
                         "freehold::cycle_collector");
        std::vector<root> found;
        found.reserve(objects());
        detail::trial_deletion(detail::this_cyclic_thread)
            .each_owned_from_outside([&found](detail::cyclic_header& header) {
                found.push_back({header.object(), detail::cyclic_block::of(header).type->name, header.owners()});
            });
        return found;
    }

    // Effects: gives back memory that holds no object.
    // Complexity: linear in the free cells.
    static void trim() noexcept {
        detail::cyclic_thread& thread = detail::this_cyclic_thread;
        for (auto* free_list = thread.free_lists; free_list != nullptr; free_list = free_list->next()) {
            thread.cells -= free_list->trim();
        }
        if (thread.candidates.empty()) thread.candidates.release();
        detail::weak_records::trim();
    }
};

}  // namespace freehold
