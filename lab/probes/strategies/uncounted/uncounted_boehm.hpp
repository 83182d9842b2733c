#pragma once
// Boehm's garbage collector, which finds by itself what can no longer be reached.

#include <gc.h>

#include <chrono>
#include <new>
#include <type_traits>

#include "../../harness/collector_work.hpp"
#include "../../memory_strategy.hpp"
#include "../../text.hpp"
#include "../../uncounted_strategy.hpp"

namespace lab {

template <class T>
struct collected {
    using value_type = T;

    T* allocate(std::size_t n) {
        // What leads nowhere need not be looked into.
        void* const block = std::is_arithmetic_v<T> ? GC_MALLOC_ATOMIC(n * sizeof(T)) : GC_MALLOC(n * sizeof(T));
        if (block == nullptr) {
            throw std::bad_alloc();
        }
        return static_cast<T*>(block);
    }

    void deallocate(T*, std::size_t) {}
};

struct collected_arena : common_arena<collected> {
    collected_arena() {
        GC_INIT();
        GC_set_on_collection_event(note);
    }

    static inline pause_log pauses;

private:
    static void GC_CALLBACK note(GC_EventType event) {
        static std::chrono::steady_clock::time_point started;
        if (event == GC_EVENT_START) {
            started = std::chrono::steady_clock::now();
        } else if (event == GC_EVENT_END) {
            pauses.add(std::chrono::steady_clock::now() - started);
        }
    }
};

struct strategy : allocating, uncounted {
    static constexpr auto library =
        "Boehm GC " LAB_TEXT(GC_VERSION_MAJOR) "." LAB_TEXT(GC_VERSION_MINOR) "." LAB_TEXT(GC_VERSION_MICRO);
    static constexpr bool frees = false;
    static constexpr bool in_any_order = true;
    using arena = collected_arena;

    static collector_work collections() { return collected_arena::pauses.take(); }
};

}  // namespace lab
