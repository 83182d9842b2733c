#pragma once
// What the functions that replace the program's have in common.

#include <cstddef>

#include <spawn.h>

#include "walking.hpp"

#define RECORDER_EXPORTED extern "C" __attribute__((visibility("default"), noinline))

namespace recorder {

// Those that the program would call without the recorder.
struct functions {
    void* (*malloc)(std::size_t);
    void* (*calloc)(std::size_t, std::size_t);
    void* (*realloc)(void*, std::size_t);
    void (*free)(void*);
    void* (*memalign)(std::size_t, std::size_t);
    void* (*aligned_alloc)(std::size_t, std::size_t);
    int (*posix_memalign)(void**, std::size_t, std::size_t);
    void* (*valloc)(std::size_t);
    void* (*pvalloc)(std::size_t);
    int (*dlclose)(void*);
    int (*execve)(const char*, char* const*, char* const*);
    int (*execvpe)(const char*, char* const*, char* const*);
    int (*fexecve)(int, char* const*, char* const*);
    int (*posix_spawn)(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, char* const*,
                       char* const*);
    int (*posix_spawnp)(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, char* const*,
                        char* const*);
};
extern functions real;

void resolve();

// Whether the block that this thread makes next is not recorded. If so, the functions above are known.
inline bool is_passed_over(std::size_t size) { return __builtin_expect(size < current.unsampled, 1); }

inline void pass_over(std::size_t size) { current.unsampled -= size; }

// Whether the free of a block is not recorded. It may return false for any block.
inline bool was_passed_over(const void* block) {
    // acquire: pairs with the release in begin(), which has made them
    const sampled_blocks* const blocks = sampled.load(std::memory_order_acquire);
    return blocks != nullptr && __builtin_expect(!blocks->may_have(block), 1);
}

// While this thread writes an event.
class recording {
public:
    recording() : me_(current), is_on_(enter(me_)) {}
    ~recording() {
        if (!is_on_) return;
        std::atomic_signal_fence(std::memory_order_seq_cst);  // a handler finds the event whole
        me_.is_busy = false;
    }
    recording(const recording&) = delete;
    recording& operator=(const recording&) = delete;

    explicit operator bool() const { return is_on_; }
    thread_memory& me() const { return me_; }

private:
    static bool enter(thread_memory& me);

    thread_memory& me_;
    bool is_on_;
};

}
