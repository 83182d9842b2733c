#pragma once
// What the system calls at the end of a thread, after it has destroyed the thread_local objects.

#include <atomic>

#include "../config.hpp"

#ifdef FREEHOLD_LINUX

#include <climits>

#include <pthread.h>

namespace freehold::inline v0_2::detail {

// A word for each thread, and what is called at the end of a thread whose word is not null. With static storage
// duration in the module that uses it: it is destroyed when a library is unloaded, or the process exits.
//
// Thread safety: any thread may call any function, also while another destroys the key. Exceptions: none.
class thread_key {
public:
    // Effects: end(word) will be called by each thread that has set a word, after the word was set to null. It may be
    // set again: the thread then calls end() again, up to `rounds` times in all. In no defined order with other keys.
    explicit thread_key(void (*end)(void* word)) noexcept : is_made_(::pthread_key_create(&native_, end) == 0) {}

    thread_key(const thread_key&) = delete;
    thread_key& operator=(const thread_key&) = delete;

    ~thread_key() {
        // relaxed: of the program's end, which no thread waits for
        if (is_made_.exchange(false, std::memory_order_relaxed)) ::pthread_key_delete(native_);
    }

    // Effects: sets the calling thread's word. Returns: false if the process has no key left, or no memory.
    bool set(const void* word) const noexcept {
        // relaxed: its initialization happened before
        return is_made_.load(std::memory_order_relaxed) && ::pthread_setspecific(native_, word) == 0;
    }

    static constexpr int rounds = PTHREAD_DESTRUCTOR_ITERATIONS;

private:
    pthread_key_t native_ = {};
    std::atomic<bool> is_made_;
};

}  // namespace freehold::detail

#endif
