// Runs programs under GenMC: each case is a function of its own, from which GenMC begins. What a program has seen is
// stored to `outcome` at its end, two digits each.
//
// EACH_CASE(use) is use(FUNCTION, PROGRAM, WEAKENING, ORDER, ORDER, ORDER, ORDER) for each case.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "program.hpp"

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

// Of what consists of words, and of zeros.
void* memcpy(void* to, const void* from, std::size_t bytes) noexcept {
    for (std::size_t i = 0; i < bytes / sizeof(std::uintptr_t); ++i)
        static_cast<std::uintptr_t*>(to)[i] = static_cast<const std::uintptr_t*>(from)[i];
    return to;
}
void* memset(void* to, int, std::size_t bytes) noexcept {
    for (std::size_t i = 0; i < bytes / sizeof(std::uintptr_t); ++i) static_cast<std::uintptr_t*>(to)[i] = 0;
    return to;
}

char __libc_single_threaded = 0;
void* __dso_handle = nullptr;
}

const std::nothrow_t std::nothrow = std::nothrow_t();

namespace {

std::atomic<int> outcome;

template <class Program>
struct part {
    Program* of;
    int thread;
};

template <class Program>
void* run_part(void* argument) {
    const auto* const mine = static_cast<part<Program>*>(argument);
    number_of_thread = mine->thread;
    mine->of->run(mine->thread);
    return nullptr;
}

template <class Program>
int run() {
    Program all;
    part<Program> parts[Program::threads];
    long threads[Program::threads];
    for (int i = 0; i < Program::threads; ++i) {
        parts[i].of = &all;
        parts[i].thread = i;
        threads[i] = __VERIFIER_thread_create(nullptr, run_part<Program>, &parts[i]);
    }
    for (const long each : threads) __VERIFIER_thread_join(each);
    all.finish();
    outcome.store(((all.seen[0] * 100 + all.seen[1]) * 100 + all.seen[2]) * 100 + all.seen[3], relaxed);
    return 0;
}

}  // namespace

#define BEGIN_CASE(function, program, weakening_of_case, first, second, third, fourth) \
    extern "C" int function() {                                                        \
        weakened = weakening::weakening_of_case;                                       \
        orders[0] = first;                                                             \
        orders[1] = second;                                                            \
        orders[2] = third;                                                             \
        orders[3] = fourth;                                                            \
        return run<program>();                                                         \
    }
EACH_CASE(BEGIN_CASE)
