// libfreehold-recorder.so: records each allocation and free of a program that is not compiled again.
//
// LD_PRELOAD=libfreehold-recorder.so FREEHOLD_RECORDING=MAPPING PROGRAM, which ./freehold advise does. It needs the C
// library alone, never allocates, and hands each call on to the allocator that the program would have without it.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include "hooks.hpp"

extern char** environ;

namespace recorder {

shared_memory* shared;
process_memory* process;
std::atomic<bool> is_recording;
std::atomic<sampled_blocks*> sampled;
pthread_key_t thread_end;
constinit thread_local thread_memory current [[gnu::tls_model("initial-exec")]];
functions real;

namespace {

std::atomic<bool> is_begun;
std::uint32_t last_number = no_parent;  // in a child of fork, its parent's

// Enters this process, at its start or as a child of fork.
void enter() {
    const std::uint32_t number = shared->processes.fetch_add(1, std::memory_order_relaxed);
    if (number >= most_processes) return stop_recording();
    shared->process[number] = {static_cast<std::uint32_t>(getpid()), last_number};
    process->number = last_number = number;
    // relaxed: what other threads may use is published by is_recording, and a child of fork has no other threads yet
    process->is_known.store(true, std::memory_order_relaxed);
}

void end_thread(void* data) {
    auto& me = *static_cast<thread_memory*>(data);
    if (is_recording.load(std::memory_order_relaxed) && process->is_known.load(std::memory_order_relaxed)) give_up(me);
}

bool map_shared() {
    const char* const name = getenv("FREEHOLD_RECORDING");
    const int file = name != nullptr ? open(name, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return false;
    void* const found = mmap(nullptr, mapping_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (found == MAP_FAILED) return false;
    shared = static_cast<shared_memory*>(found);
    return shared->magic == magic && !shared->closed.load(std::memory_order_relaxed);
}

// Begins to record, once the environment is there, and the functions that calls are handed on to.
void begin() {
    if (environ == nullptr || real.dlclose == nullptr || is_begun.exchange(true, std::memory_order_relaxed)) return;
    const int error = errno;
    current.is_busy = true;
    process = static_cast<process_memory*>(pages(sizeof(process_memory)));
    if (process != nullptr && madvise(process, sizeof(process_memory), MADV_WIPEONFORK) == 0 && map_shared() &&
        pthread_key_create(&thread_end, end_thread) == 0) {
        enter();
        // release: pairs with the acquire in was_passed_over()
        if (shared->sampled_bytes != 0) sampled.store(&process->sampled, std::memory_order_release);
        // release: pairs with the acquire in recording, so that all of the above is seen
        if (process->is_known.load(std::memory_order_relaxed)) is_recording.store(true, std::memory_order_release);
    }
    current.is_busy = false;
    errno = error;
}

[[gnu::constructor]] void begin_at_start() {
    resolve();
    begin();
}

// In a child of fork: what this thread has is its parent's.
[[gnu::noinline, gnu::cold]] void enter_child(thread_memory& me) {
    me.chunk = nullptr;
    me.at = me.end = nullptr;
    me.number = me.chunks = 0;
    if (me.unsampled != 0) me.sampling.seed(now());  // else both would choose alike
    enter();
}

}

bool recording::enter(thread_memory& me) {
    // acquire: pairs with the release in begin()
    if (!is_recording.load(std::memory_order_acquire)) {
        if (!is_begun.load(std::memory_order_relaxed)) begin();
        if (!is_recording.load(std::memory_order_acquire)) return false;
    }
    if (me.is_busy) {
        shared->lost.fetch_add(1, std::memory_order_relaxed);
        return false;
    }
    me.is_busy = true;
    // relaxed: only this thread, the one of a new child, stores it
    if (__builtin_expect(!process->is_known.load(std::memory_order_relaxed), 0)) enter_child(me);
    if (is_recording.load(std::memory_order_relaxed) && (me.chunk != nullptr || claim(me))) return true;
    me.is_busy = false;
    return false;
}

}
