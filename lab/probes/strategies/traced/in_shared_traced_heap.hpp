#pragma once
// What strategies of a traced heap that threads share have in common. Each thread that makes objects has a session;
// that of the first thread pauses meanwhile. Choose sets the options of the heap.

#include <freehold/memory/page_cache.hpp>
#include <freehold/traced/shared_traced_heap.hpp>
#include <optional>

#include "../../harness/collector_work.hpp"
#include "../../harness/heap_sessions.hpp"
#include "../../harness/histogram.hpp"
#include "../freehold_library.hpp"

namespace lab {

template <void (*Choose)(freehold::traced_heap_options&)>
struct in_shared_traced_heap {
    static constexpr auto library = freehold_library;

    // The heap, which lives on from run to run, as a program's would.
    static freehold::shared_traced_heap& heap() { return used().heap; }

    static void give_back() {
        used_.reset();
        freehold::page_cache::shared().trim();
    }

    static collector_work collections() { return stopped.take_pauses(); }
    static histogram stops() { return stopped.take_stops(); }

    struct session : heap_session<freehold::shared_traced_heap> {
        session() : heap_session(heap()) {}
    };

    // While the first session waits for threads.
    class waiting {
        freehold::shared_traced_heap::pause paused_{used().session};
    };

private:
    static inline stop_log stopped;

    struct heap_in_use {
        freehold::shared_traced_heap heap{options()};
        freehold::shared_traced_heap::session session{heap};

        static freehold::traced_heap_options options() {
            freehold::traced_heap_options chosen;
            Choose(chosen);
            chosen.on_collection = [](const freehold::traced_collection& done) { stopped.add(done); };
            return chosen;
        }
    };

    static heap_in_use& used() {
        if (!used_) {
            used_.emplace();
        }
        return *used_;
    }

    static inline std::optional<heap_in_use> used_;
};

}  // namespace lab
