// Runs the program PROGRAM of the file SOURCE under GenMC. What it has seen is stored to `outcome` at the end, two digits
// each.

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "program.hpp"

#include SOURCE

// What GenMC has in place of the C library.
extern "C" {
int __VERIFIER_thread_create(const void* attributes, void* (*start)(void*), void* argument) noexcept;
void* __VERIFIER_thread_join(long thread) noexcept;
void* __VERIFIER_malloc_aligned(std::size_t alignment, std::size_t bytes) noexcept;
void __VERIFIER_free(void* memory) noexcept;

void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
    return __VERIFIER_malloc_aligned(alignment, bytes);
}
void free(void* memory) noexcept { __VERIFIER_free(memory); }

// Of a class that consists of words.
void* memcpy(void* to, const void* from, std::size_t bytes) noexcept {
    for (std::size_t i = 0; i < bytes / sizeof(std::uintptr_t); ++i)
        static_cast<std::uintptr_t*>(to)[i] = static_cast<const std::uintptr_t*>(from)[i];
    return to;
}

char __libc_single_threaded = 0;
void* __dso_handle = nullptr;
}

const std::nothrow_t std::nothrow = std::nothrow_t();

namespace {

std::atomic<int> outcome;

struct part {
    PROGRAM* of;
    int thread;
};

void* run(void* argument) {
    part* const mine = static_cast<part*>(argument);
    number_of_thread = mine->thread;
    mine->of->run(mine->thread);
    return nullptr;
}

}  // namespace

int main() {
    PROGRAM all;
    part parts[PROGRAM::threads];
    long threads[PROGRAM::threads];
    for (int i = 0; i < PROGRAM::threads; ++i) {
        parts[i].of = &all;
        parts[i].thread = i;
        threads[i] = __VERIFIER_thread_create(nullptr, run, &parts[i]);
    }
    for (long each : threads) __VERIFIER_thread_join(each);
    all.finish();
    outcome.store(((all.seen[0] * 100 + all.seen[1]) * 100 + all.seen[2]) * 100 + all.seen[3], relaxed);
    return 0;
}
