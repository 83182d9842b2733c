#pragma once
// Part of thread_key.hpp, which has the contracts.

#include <atomic>
#include <climits>

#include "../../../config.hpp"

#if !defined(FREEHOLD_WINDOWS)

#include <pthread.h>

namespace freehold::inline v0_2::detail {

class thread_key {
public:
    explicit thread_key(void (*end)(void* word)) noexcept : is_made_(::pthread_key_create(&native_, end) == 0) {}

    thread_key(const thread_key&) = delete;
    thread_key& operator=(const thread_key&) = delete;

    ~thread_key() {
        // relaxed: of the program's end, which no thread waits for
        if (is_made_.exchange(false, std::memory_order_relaxed)) ::pthread_key_delete(native_);
    }

    bool set(const void* word) const noexcept {
        // relaxed: its initialization happened before
        return is_made_.load(std::memory_order_relaxed) && ::pthread_setspecific(native_, word) == 0;
    }

    static constexpr int rounds = PTHREAD_DESTRUCTOR_ITERATIONS;
    static constexpr bool is_before_thread_locals = false;

private:
    pthread_key_t native_ = {};
    std::atomic<bool> is_made_;
};

}  // namespace freehold::detail

#endif
