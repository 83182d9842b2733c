#pragma once
// cycle_collector: destroys objects of the calling thread that only own each other, through cyclic_ptr.
//
// Candidates are objects that were released and still have owners. make_cyclic collects automatically. After each 256
// KiB of new objects, or 4096 candidates, it scans the new candidates: it notes how many owners each has, and runs
// trial deletion around those that have fewer than were noted before, on up to 4096 objects. All other garbage waits
// for a search, which begins when the objects have grown enough (cycle_search::growth_until_next) and goes on in steps,
// so that the objects grow by about a quarter until its end (cycle_search). A program that only moves pointers in a
// large structure never searches.
//
// collect() is linear in the objects that candidates lead to, and takes 16 bytes for each. After a run that found
// mostly living objects, candidates may be marked and not listed: then it is linear in all objects of the thread. If
// there is no memory for these lists, or for a candidate, a later run finds the garbage.
//
// Thread safety: each thread has its own, for the objects that the thread has made.
// Exceptions: only roots() throws, std::bad_alloc. Cost: that of its functions.

#include <cstddef>
#include <mutex>  // brings the durations and the clock, for a tenth of what <chrono> costs
#include <vector>

#include "../memory/page_cache.hpp"
#include "detail/cycle_search.hpp"
#include "detail/cyclic_cells.hpp"
#include "detail/cyclic_header.hpp"
#include "detail/cyclic_thread.hpp"
#include "detail/heap_view.hpp"
#include "detail/trial_deletion.hpp"

namespace freehold::inline v0_2 {

namespace detail {

class thread_domain;

}  // namespace detail

// What a collection did.
struct cyclic_collection {
    std::chrono::steady_clock::time_point started;
    std::chrono::nanoseconds pause;  // with the destructors and each finalize()
    std::size_t visited_objects;
    std::size_t destroyed_objects;
    std::chrono::nanoseconds stopping = {};  // of the pause, until other threads had stopped: see cyclic_heap
};

class cycle_collector {
public:
    // An object with owners outside of all objects, as far as trace() tells.
    struct root {
        const void* object;
        const char* type;  // its name
        long owners;       // those outside
    };

    cycle_collector() = delete;

    // Effects: destroys all cycles without an owner outside, and the objects that only they own, also behind what no
    // trace looks through. What destructors and each finalize() make meanwhile is destroyed as well if it is garbage,
    // for 1,000 generations. Then it prints a message with a type to stderr, and leaves the rest to the next call. In a
    // destructor or finalize() of a cyclic object it only makes the next make_cyclic collect.
    // Requires: as make_cyclic.
    // Returns: the number of objects destroyed in cycles.
    // Complexity: linear in the objects that candidates lead to, and after a run that found mostly living objects also
    // in the cells. So is each further run, for what was released when garbage was destroyed; for each generation that
    // is made meanwhile, a run is linear in the cells. The stack is bounded.
    static std::size_t collect() noexcept { return collect(detail::cycle_search::no_limit); }

    // Effects: a step: scans new candidates, then continues the search in progress or begins one, with about
    // `budget` visits. The next call continues. A part that is proved to be garbage is destroyed whole, whatever the
    // budget. Returns: the number of objects destroyed in this step.
    static std::size_t collect(std::size_t budget) noexcept {
        detail::cyclic_thread& thread = detail::this_cyclic_thread;
        if (thread.is_destroying() || thread.collecting) {
            thread.requested = true;
            return 0;
        }
        detail::thread_view objects(thread);
        return detail::cycle_search(objects).run({.budget = budget});
    }

    // Effects: sets whether make_cyclic collects by itself.
    static void set_automatic(bool automatic) noexcept { detail::this_cyclic_thread.automatic = automatic; }

    // Effects: sets how much memory the objects of this thread may take, in blocks of 64 KiB or of one larger object.
    // What they own outside is not counted. A make_cyclic that would exceed it collects first, and throws
    // std::bad_alloc if that does not help. It collects before it throws in any case, unless a destructor of a cyclic
    // object is running.
    static void set_limit(std::size_t bytes) noexcept { detail::this_cyclic_thread.limit = bytes; }

    // Effects: the object owns `bytes` bytes more outside that its type does not show: a texture, or what C code has
    // allocated. They count as new objects, so that make_cyclic collects sooner. What its type shows, such as the
    // capacity of its vectors, is counted when it becomes a candidate for the first time.
    template <class T>
    static void external_bytes(const cyclic_ptr<T, detail::thread_domain>& object, std::size_t bytes) noexcept {
        if (object) detail::this_cyclic_thread.count_owned(bytes);
    }

    // Returns: the number of collections of this thread, automatic or requested.
    [[nodiscard]] static std::size_t runs() noexcept { return detail::this_cyclic_thread.runs; }

    // Effects: sets a function that each collection of this thread calls at its end; null for none. Requires: it throws
    // nothing and uses no cyclic pointers.
    static void on_collection(void (*callback)(const cyclic_collection&)) noexcept {
        detail::this_cyclic_thread.on_collection = callback;
        detail::this_cyclic_thread.run_with_callback = callback != nullptr ? run_with_callback : nullptr;
    }

    // Returns: the number of candidates. Complexity: linear in the cells that there are.
    [[nodiscard]] static std::size_t candidates() noexcept {
        detail::this_cyclic_thread.postpone_all();
        detail::this_cyclic_thread.postponed.drop_dead();
        return count([](const detail::cyclic_header& header) { return header.is(detail::cyclic_header::postponed); });
    }

    // Returns: the number of objects. Complexity: linear in the cells that there are.
    [[nodiscard]] static std::size_t objects() noexcept {
        return count([](const detail::cyclic_header&) { return true; });
    }

    // Returns: where the memory of the objects is: `mapped` in blocks of 64 KiB or of one larger object, `live` in
    // cells of objects, `cached` in free cells. There are no classes: a block has cells of one type. Complexity: linear
    // in the cells that there are.
    [[nodiscard]] static pool_statistics statistics() noexcept {
        pool_statistics found;
        detail::this_cyclic_thread.tally(found);
        return found;
    }

    // Returns: the objects that may be in a cycle and have an owner outside of all objects: a local variable, a
    // container, an owner of another kind. A leaked object is one of them, or owned by one of them: it has a forgotten
    // owner, or a trace(visit) does not visit one. Requires: no destructor or finalize() of a cyclic object is running;
    // and as make_cyclic. Throws: std::bad_alloc. Complexity: linear in the cells that there are and all that the
    // objects hold.
    [[nodiscard]] static std::vector<root> roots() {
        FREEHOLD_EXPECTS(!detail::this_cyclic_thread.is_destroying() && !detail::this_cyclic_thread.collecting,
                         "roots() is called in a destructor or finalize() of a collected object",
                         "freehold::cycle_collector");
        std::vector<root> found;
        found.reserve(objects());
        detail::thread_view objects_of_thread(detail::this_cyclic_thread);
        detail::trial_deletion(objects_of_thread).each_owned_from_outside([&found](detail::cyclic_header& header) {
            found.push_back({header.object(), detail::cyclic_block::of(header).type->name, header.owners()});
        });
        return found;
    }

    // Effects: gives back memory without objects, and trims page_cache::shared(), where it comes from. Without a call,
    // most of it goes to that cache as the thread takes more, and all at the end of the thread.
    // Complexity: linear in the cells.
    static void trim() noexcept {
        detail::cyclic_thread& thread = detail::this_cyclic_thread;
        thread.trim();
        if (thread.candidates.empty()) thread.candidates.release();
        if (thread.postponed.empty()) thread.postponed.release();
        thread.weak_records.trim();
        page_cache::shared().trim();
    }

private:
    template <class Counts>
    [[nodiscard]] static std::size_t count(Counts counts) noexcept {
        std::size_t found = 0;
        detail::this_cyclic_thread.each_object(
            [&](const detail::cyclic_header& header) { found += counts(header) ? 1 : 0; });
        return found;
    }

    static std::size_t run_with_callback(detail::cycle_search& search, const detail::search_request& asked) noexcept {
        const auto started = std::chrono::steady_clock::now();
        const std::size_t destroyed = search.search(asked);
        const auto pause = std::chrono::steady_clock::now() - started;
        detail::this_cyclic_thread.on_collection({started, pause, search.visits(), destroyed});
        return destroyed;
    }
};

}  // namespace freehold
