#pragma once
// What both strategies of Boehm's garbage collector have in common.

#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc.h>

#include <chrono>
#include <mutex>
#include <new>
#include <thread>
#include <type_traits>

#include "../../harness/collector_work.hpp"
#include "../../memory_strategy.hpp"
#include "../../text.hpp"
#include "../../uncounted_strategy.hpp"

namespace lab {

template <class T>
struct collected {
    using value_type = T;

    collected() = default;
    template <class U>
    collected(const collected<U>&) {}

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

template <class T, class U>
bool operator==(const collected<T>&, const collected<U>&) {
    return true;
}

// A pointer that the collector clears when its object is dead. It hides the address, which would keep the object alive.
// In one thread.
template <class T>
class hidden_pointer {
public:
    hidden_pointer() = default;
    hidden_pointer(const hidden_pointer&) = delete;
    hidden_pointer(hidden_pointer&& other) noexcept {
        if (T* const object = other.lock()) {
            *this = object;
        }
    }

    hidden_pointer& operator=(T* object) {
        forget();
        hidden_ = GC_HIDE_POINTER(object);
        if (GC_general_register_disappearing_link(link(), object) == GC_NO_MEMORY) {
            throw std::bad_alloc();
        }
        return *this;
    }

    ~hidden_pointer() { forget(); }

    T* lock() const { return hidden_ == 0 ? nullptr : static_cast<T*>(GC_REVEAL_POINTER(hidden_)); }

private:
    void** link() { return reinterpret_cast<void**>(&hidden_); }

    void forget() {
        if (hidden_ != 0) {
            GC_unregister_disappearing_link(link());
            hidden_ = 0;
        }
    }

    GC_hidden_pointer hidden_ = 0;
};

template <bool Incremental>
struct collected_arena : common_arena<collected> {
    collected_arena() {
        GC_INIT();
        if constexpr (Incremental) {
            GC_enable_incremental();
        }
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

template <bool Incremental>
struct collected_by_boehm : allocating, uncounted {
    static constexpr auto library =
        "Boehm GC " LAB_TEXT(GC_VERSION_MAJOR) "." LAB_TEXT(GC_VERSION_MINOR) "." LAB_TEXT(GC_VERSION_MICRO);
    static constexpr bool frees = false;
    static constexpr bool in_any_order = true;
    using arena = collected_arena<Incremental>;

    template <class T>
    using weak = hidden_pointer<T>;

    // Called before there are threads with sessions. It starts threads that mark.
    static void expect_threads() {
        GC_INIT();
        GC_allow_register_threads();
    }

    // Of a thread that uses objects.
    class session {
    public:
        session() {
            GC_stack_base stack;
            GC_get_stack_base(&stack);
            GC_register_my_thread(&stack);
        }

        session(const session&) = delete;
        session& operator=(const session&) = delete;

        ~session() { GC_unregister_my_thread(); }

        static std::unique_lock<std::mutex> lock(std::mutex& mutex) { return std::unique_lock(mutex); }
        static void idle() { std::this_thread::yield(); }
    };

    // An incremental collection is told by none of its events.
    static collector_work collections() {
        if constexpr (Incremental) {
            static run_count counted;
            return counted.take(static_cast<long>(GC_get_gc_no()));
        } else {
            return arena::pauses.take();
        }
    }
};

}  // namespace lab
