#pragma once
// Functions that are called at the end of a thread: thread_end as early as the last of its uses allows, after_thread
// when the thread has destroyed its thread_local objects.

#include "annotate.hpp"
#include "config.hpp"
#include "platform/thread_key.hpp"

#ifdef FREEHOLD_ADDRESS_SANITIZER
#include <sanitizer/lsan_interface.h>
#endif

namespace freehold::inline v0_2::detail {

// Calls End() at the end of the calling thread, even if the thread is already running its last destructors.
//
// A thread destroys its thread_local objects first, and then comes the end of its keys. A thread_local object that is
// constructed there is never destroyed, so a key is needed for these. A key alone could call into an unloaded library;
// a thread_local object keeps its library loaded. So both are armed, and the first one to run calls the function: where
// the C library knows nothing of thread_local objects, as musl, they are destroyed at the end of a key, too.
template <void (*End)() noexcept>
class thread_end {
public:
    // Effects: End() will be called once at the end of the calling thread. A second call has no effect.
    // Returns: false if the process has no key left: End() is then not called if the thread is already running the
    // destructors of its keys.
    [[nodiscard]] static bool arm() noexcept {
        if constexpr (thread_key::is_before_thread_locals) {
            static constexpr char armed = 0;
            return hold(&armed);
        } else {
            return arm_both();
        }
    }

    thread_end(const thread_end&) = delete;
    thread_end& operator=(const thread_end&) = delete;

private:
    FREEHOLD_ALWAYS_INLINE static bool arm_both() noexcept {
#ifdef FREEHOLD_ADDRESS_SANITIZER
        // The C library allocates 32 bytes for each thread_local object, and leaks them if the object is not destroyed.
        const __lsan::ScopedDisabler lost;
#endif
        static thread_local thread_end armed;
        return armed.has_key_;
    }

    thread_end() noexcept : has_key_(hold(this)) {}
    ~thread_end() {
        if (has_ended_) return;
        static_cast<void>(hold(nullptr));
        End();
    }

    static void call([[maybe_unused]] void* armed) noexcept {
        if constexpr (!thread_key::is_before_thread_locals) static_cast<thread_end*>(armed)->has_ended_ = true;
        End();
    }

    // Returns: whether the key holds the value.
    [[nodiscard]] static bool hold(const void* value) noexcept {
        static const thread_key end_of_thread(&call);
        return end_of_thread.set(value);
    }

    bool has_key_;
    bool has_ended_ = false;
};

// Calls End() when a thread has destroyed its thread_local objects, which may use until then what the function ends.
template <void (*End)() noexcept>
class after_thread {
public:
    // Effects: End() will be called when the calling thread ends, unless the process has no key left. A second call has
    // no effect.
    static void arm() noexcept {
        static const thread_key key([](void*) { End(); });
        key.set(&key);
    }
};

}  // namespace freehold::detail
