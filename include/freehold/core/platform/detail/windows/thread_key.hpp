#pragma once
// Part of thread_key.hpp, which has the contracts.
//
// g++ emulates thread_local for Windows: a key of POSIX threads, made at the first use of such a variable, frees all of
// them at the end of a thread. Keys are called in the order in which they were made. So this module has one, which is
// made before its static objects are initialized, and all thread_keys are words that it finds.

#include "../../../config.hpp"

#if defined(FREEHOLD_WINDOWS)

#include <atomic>
#include <climits>
#include <cstdlib>
#include <utility>

#include <pthread.h>

namespace freehold::inline v0_2::detail {

class thread_key {
public:
    explicit thread_key(void (*end)(void* word)) noexcept {
        for (int i = 0; i < most; ++i) {
            void (*none)(void*) = nullptr;
            // release: pairs with the acquire in call_ends(). relaxed: another key has the place
            if (ends[i].compare_exchange_strong(none, end, std::memory_order_release, std::memory_order_relaxed)) {
                index_.store(i, std::memory_order_relaxed);  // relaxed: the initialization of a static object orders
                return;
            }
        }
    }

    thread_key(const thread_key&) = delete;
    thread_key& operator=(const thread_key&) = delete;

    ~thread_key() {
        // relaxed: of the program's end, which no thread waits for
        const int index = index_.exchange(-1, std::memory_order_relaxed);
        if (index >= 0) ends[index].store(&ignore, std::memory_order_relaxed);  // the place is not used again
    }

    bool set(const void* word) const noexcept {
        const int index = index_.load(std::memory_order_relaxed);  // relaxed: its initialization happened before
        if (index < 0) return false;
        auto** words = static_cast<const void**>(::pthread_getspecific(native));
        if (words == nullptr) {
            if (word == nullptr) return true;
            words = static_cast<const void**>(std::calloc(most, sizeof(void*)));
            if (words == nullptr) return false;
            if (::pthread_setspecific(native, words) != 0) {
                std::free(words);
                return false;
            }
        }
        words[index] = word;
        return true;
    }

    static constexpr int rounds = PTHREAD_DESTRUCTOR_ITERATIONS;
    static constexpr bool is_before_thread_locals = true;

    // Effects: makes the key that all share. Another call has no effect. Called before a static object is initialized.
    static void make_native() noexcept {
        if (!is_made) is_made = ::pthread_key_create(&native, &call_ends) == 0;
    }

    // Effects: no thread calls this module any more. Called when it is unloaded.
    static void delete_native() noexcept {
        if (std::exchange(is_made, false)) ::pthread_key_delete(native);
    }

private:
    static constexpr int most = 64;  // in a module, which has one for each kind of end

    static void ignore(void*) noexcept {}

    static void call_ends(void* all) noexcept {
        if (all == nullptr) return;  // MinGW-w64 calls it for a word that was set to null, too
        ::pthread_setspecific(native, all);
        auto** const words = static_cast<void**>(all);
        bool is_any = true;
        for (int round = 0; is_any && round < rounds; ++round) {
            is_any = false;
            for (int i = 0; i < most; ++i) {
                if (words[i] == nullptr) continue;
                is_any = true;
                // acquire: pairs with the release above
                ends[i].load(std::memory_order_acquire)(std::exchange(words[i], nullptr));
            }
        }
        ::pthread_setspecific(native, nullptr);
        std::free(all);
    }

    static inline constinit std::atomic<void (*)(void*)> ends[most] = {};
    static inline constinit pthread_key_t native = {};
    static inline constinit bool is_made = false;

    std::atomic<int> index_ = -1;
};

[[gnu::constructor(101), gnu::used]] inline void make_thread_key_early() noexcept { thread_key::make_native(); }
[[gnu::destructor(101), gnu::used]] inline void delete_thread_key_late() noexcept { thread_key::delete_native(); }

}  // namespace freehold::detail

#endif
