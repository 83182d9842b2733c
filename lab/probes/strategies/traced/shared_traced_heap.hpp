#pragma once
// Traced, shared heap: freehold::traced_ptr in a shared_traced_heap. Each thread that makes objects has a session; that
// of the first thread pauses meanwhile.

#include <freehold/memory/page_cache.hpp>
#include <freehold/traced/shared_traced_heap.hpp>
#include <optional>

#include "../../harness/collector_work.hpp"
#include "../../harness/heap_sessions.hpp"
#include "../../harness/histogram.hpp"
#include "../freehold_library.hpp"

namespace lab {

struct strategy {
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
        heap_in_use()
            : heap({.on_collection = [](const freehold::traced_collection& done) { stopped.add(done); }}),
              session(heap) {}

        freehold::shared_traced_heap heap;
        freehold::shared_traced_heap::session session;
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
