#pragma once
// Traced, shared heap: freehold::traced_ptr in a shared_traced_heap. Each thread that makes objects has a session; that
// of the first thread pauses meanwhile.

#include <cstdint>
#include <freehold/memory/page_cache.hpp>
#include <freehold/traced/shared_traced_heap.hpp>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "../../harness/collector_work.hpp"
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

    static collector_work collections() { return pauses.take(); }

    // Returns how long it took to stop all sessions, since the last call.
    static histogram stops() { return std::exchange(stopping, {}); }

    // Of a thread that makes objects.
    class session {
    public:
        auto lock(std::mutex& mutex) { return own_.lock(mutex); }

        void idle() {
            own_.safepoint();
            const freehold::shared_traced_heap::pause others_work(own_);
            std::this_thread::yield();
        }

    private:
        freehold::shared_traced_heap::session own_{heap()};
    };

    // While the first session waits for threads.
    class waiting {
        freehold::shared_traced_heap::pause paused_{used().session};
    };

private:
    // Of collections, which are never two at once.
    static inline pause_log pauses;
    static inline histogram stopping;

    struct heap_in_use {
        freehold::shared_traced_heap heap{{.on_collection = [](const freehold::traced_collection& done) {
            pauses.add(done.pause);
            stopping.add(static_cast<std::uint64_t>(done.stopping.count()));
        }}};
        freehold::shared_traced_heap::session session{heap};
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
