#pragma once
// What strategies of a traced heap have in common. Their programs (workloads/pointers/*/traced.hpp) say what they keep,
// and ask here for the heap. Choose sets the options of the heap.

#include <freehold/memory/page_cache.hpp>
#include <freehold/traced/traced_heap.hpp>
#include <optional>
#include <utility>

#include "../../harness/collector_work.hpp"
#include "../freehold_library.hpp"

namespace lab {

template <void (*Choose)(freehold::traced_heap_options&)>
struct in_traced_heap {
    static constexpr auto library = freehold_library;

    // The heap, which lives on from run to run, as a program's would.
    static freehold::traced_heap& heap() {
        if (!heap_) {
            freehold::traced_heap_options options;
            Choose(options);
            options.on_collection = [](const freehold::traced_collection& done) {
                pauses.add(done.pause);
                collected = true;
            };
            heap_.emplace(std::move(options));
        }
        return *heap_;
    }

    // Fills the nursery with objects of the program, so that nothing that is timed waits for new pages.
    static void fill_nursery(auto run_program) {
        for (collected = false; !collected;) {
            run_program();
        }
    }

    static void give_back() {
        heap_.reset();
        freehold::page_cache::shared().trim();
    }

    static collector_work collections() { return pauses.take(); }

private:
    static inline pause_log pauses;
    static inline bool collected = false;
    static inline std::optional<freehold::traced_heap> heap_;
};

}  // namespace lab
