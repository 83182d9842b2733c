#pragma once
// after_thread: calls a function when a thread has destroyed its thread_local objects.
//
// Unlike thread_end, which is as early as the last of its uses allows: thread_local objects may use what the function
// ends until they are destroyed.

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

namespace freehold::detail {

template <void (*End)() noexcept>
class after_thread {
public:
    // Effects: End() will be called when the calling thread ends, unless the process has no pthread key left. A second
    // call has no effect.
    static void arm() noexcept {
        static const after_thread key;
        if (key.is_made_) static_cast<void>(::pthread_setspecific(key.native_, &key));
    }

    after_thread(const after_thread&) = delete;
    after_thread& operator=(const after_thread&) = delete;

private:
    after_thread() noexcept : is_made_(::pthread_key_create(&native_, [](void*) { End(); }) == 0) {}

    // When the library is unloaded, or the process exits.
    ~after_thread() {
        if (is_made_) ::pthread_key_delete(native_);
    }

    pthread_key_t native_ = {};
    bool is_made_;
};

}  // namespace freehold::detail
