#pragma once
// Calls a function at the end of the calling thread, even if the thread is already running its last destructors.
//
// A thread destroys its thread_local objects first, and then calls the destructors of its pthread keys. A thread_local
// object that a key's destructor constructs is never destroyed, so a key is needed for these. A key alone could call
// into an unloaded library; a thread_local object keeps its library loaded. So both are armed, and the first one to run
// calls the function.

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

#include <atomic>

#include "annotate.hpp"

#ifdef FREEHOLD_ADDRESS_SANITIZER
#include <sanitizer/lsan_interface.h>
#endif

namespace freehold::detail {

template <void (*End)() noexcept>
class thread_end {
public:
    // Effects: End() will be called once at the end of the calling thread. A second call has no effect.
    // Returns: false if the process has no key left: End() is then not called if the thread is already running the
    // destructors of its keys.
    [[nodiscard]] static bool arm() noexcept {
#ifdef FREEHOLD_ADDRESS_SANITIZER
        // The C library allocates 32 bytes for each thread_local object, and leaks them if the object is not destroyed.
        const __lsan::ScopedDisabler lost;
#endif
        static thread_local thread_end armed;
        return armed.has_key_;
    }

    thread_end(const thread_end&) = delete;
    thread_end& operator=(const thread_end&) = delete;

private:
    struct key {
        key() noexcept : is_made(pthread_key_create(&native, &call) == 0) {}
        key(const key&) = delete;
        key& operator=(const key&) = delete;

        // When the library is unloaded, or the process exits.
        ~key() {
            // relaxed: of the program's end, which no thread waits for
            if (is_made.exchange(false, std::memory_order_relaxed)) pthread_key_delete(native);
        }

        pthread_key_t native = {};
        std::atomic<bool> is_made;  // false if the process had no key left: only the thread_local object is armed then
    };

    thread_end() noexcept : has_key_(hold(this)) {}
    ~thread_end() {
        static_cast<void>(hold(nullptr));
        End();
    }

    static void call(void*) noexcept { End(); }

    // Returns: whether the key holds the value.
    [[nodiscard]] static bool hold(const thread_end* value) noexcept {
        static const key end_of_thread;
        // relaxed: its initialization happened before
        return end_of_thread.is_made.load(std::memory_order_relaxed) &&
               ::pthread_setspecific(end_of_thread.native, value) == 0;
    }

    bool has_key_;
};

}  // namespace freehold::detail
