// libfreehold-malloc.so: malloc and operator new of a program that is not compiled again, from the same heap as
// replace_new.hpp: LD_PRELOAD=libfreehold-malloc.so PROGRAM.
//
// It needs the C library alone, so that a C program may preload it, and it is called before any constructor has run.

#include <atomic>
#include <bit>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <freehold/memory/detail/process_heap.hpp>
#include <freehold/memory/hardening.hpp>
#include <freehold/memory/heap_profile.hpp>
#include <freehold/memory/small_block_pool.hpp>

using freehold::detail::process_heap;
using freehold::detail::process_pages;

#define FREEHOLD_EXPORTED extern "C" __attribute__((visibility("default")))

// What the compiler calls and a C++ library would have.

extern "C" {

// Not static in a thread alone: two threads may get here at once.
[[gnu::visibility("hidden")]] int __cxa_guard_acquire(long long* guard) {
    auto* const state = reinterpret_cast<unsigned char*>(guard);  // the first byte: done; the second: somebody does it
    while (true) {
        // acquire: pairs with the release of __cxa_guard_release
        if (__atomic_load_n(&state[0], __ATOMIC_ACQUIRE) != 0) return 0;
        if (__atomic_exchange_n(&state[1], 1, __ATOMIC_ACQUIRE) == 0) {
            if (__atomic_load_n(&state[0], __ATOMIC_ACQUIRE) == 0) return 1;
            __atomic_store_n(&state[1], 0, __ATOMIC_RELEASE);
            return 0;
        }
        sched_yield();
    }
}

[[gnu::visibility("hidden")]] void __cxa_guard_release(long long* guard) {
    auto* const state = reinterpret_cast<unsigned char*>(guard);
    __atomic_store_n(&state[0], 1, __ATOMIC_RELEASE);  // both: pair with the acquires above
    __atomic_store_n(&state[1], 0, __ATOMIC_RELEASE);
}

// A thread's end is noticed by a key alone. This would take the lock of the dynamic loader, which a thread may hold
// that waits for this one; and it is there to keep a library loaded, which this one is in any case.
[[gnu::visibility("hidden")]] int __cxa_thread_atexit(void (*)(void*), void*, void*) { return 0; }

// Nothing here ends before the process. The C library's may call calloc while it holds a lock.
[[gnu::visibility("hidden")]] int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }
}

// What a program has that calls operator new.
namespace std {
[[gnu::weak]] new_handler get_new_handler() noexcept;
__attribute__((noreturn, weak)) void __throw_bad_alloc();  // the standard library has declared it so
}  // namespace std

namespace {

// Out of line and with a result, so that the fast paths save no register.
[[nodiscard, gnu::cold, gnu::noinline]] void* enomem() noexcept {
    errno = ENOMEM;
    return nullptr;
}

[[nodiscard, gnu::always_inline]] inline void* or_enomem(void* block) noexcept {
    if (block == nullptr) [[unlikely]]
        return enomem();
    return block;
}

[[nodiscard]] bool is_power_of_two(std::size_t number) noexcept { return number != 0 && (number & (number - 1)) == 0; }

[[nodiscard]] std::size_t page() noexcept { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

// Returns: the function of the C++ library, or null if the process has none. `bound` is null in a C program, which may
// have loaded a C++ library later.
template <class Function>
[[nodiscard, gnu::cold, gnu::noinline]] Function* in_cpp_library(const char* name, Function* bound) {
    if (bound != nullptr) return bound;
    for (const char* const library : {"libstdc++.so.6", "libc++abi.so.1", "libc++.so.1"}) {
        void* const loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
        if (loaded == nullptr) continue;
        void* const found = dlsym(loaded, name);
        dlclose(loaded);
        if (found != nullptr) return reinterpret_cast<Function*>(found);
    }
    return nullptr;
}

template <class Allocate>
[[nodiscard, gnu::cold, gnu::noinline]] void* new_with_handler(Allocate allocate) {
    while (true) {
        if (void* const block = allocate()) return block;
        const auto get_handler = in_cpp_library("_ZSt15get_new_handlerv", std::get_new_handler);
        const std::new_handler handler = get_handler != nullptr ? get_handler() : nullptr;
        if (handler == nullptr) {
            const auto throw_bad_alloc = in_cpp_library("_ZSt17__throw_bad_allocv", std::__throw_bad_alloc);
            if (throw_bad_alloc != nullptr) throw_bad_alloc();
            std::abort();
        }
        handler();
    }
}

[[nodiscard, gnu::always_inline]] inline void* allocate_new(std::size_t bytes) {
    void* const block = process_heap::allocate(bytes);
    if (block != nullptr) [[likely]]
        return block;
    return new_with_handler([bytes] { return process_heap::allocate(bytes); });
}

[[nodiscard]] void* allocate_new(std::size_t bytes, std::align_val_t alignment) {
    const auto boundary = static_cast<std::size_t>(alignment);
    return new_with_handler([bytes, boundary] { return process_heap::allocate(bytes, boundary); });
}

// A thread gives idle pages back while the program calls nothing. Not by default: a process with one thread is faster.

void* give_back_forever(void*) noexcept {
    constexpr timespec pause{0, 100'000};  // other threads' page faults wait for the system meanwhile
    while (true) {
        // A moment after each second begins: what was idle all through the one before is known then.
        timespec next{};
        clock_gettime(CLOCK_MONOTONIC, &next);
        next = {next.tv_sec + 1, 20'000'000};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, nullptr);
        while (process_heap::purge()) nanosleep(&pause, nullptr);
    }
}

void start_thread() noexcept {
    sigset_t all_signals;
    sigset_t before;
    sigfillset(&all_signals);
    pthread_sigmask(SIG_SETMASK, &all_signals, &before);
    pthread_t thread;
    if (pthread_create(&thread, nullptr, &give_back_forever, nullptr) == 0) pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// The heap profile, where the environment asks for one: it is written to a file when the process ends, or at a signal.

char profile_path[4096] = "";

void write_profile_soon(int /*signal*/) noexcept { freehold::heap_profile::write_soon(profile_path); }

void begin_profile() noexcept {
    freehold::heap_profile::start();
    const char* const path = std::getenv("FREEHOLD_HEAP_PROFILE");
    if (path == nullptr || std::strlen(path) >= sizeof(profile_path) || freehold::detail::has_more_rights()) return;
    std::strcpy(profile_path, path);
    const char* const number = std::getenv("FREEHOLD_HEAP_PROFILE_SIGNAL");
    if (number == nullptr) return;
    struct sigaction action{};
    action.sa_handler = &write_profile_soon;
    action.sa_flags = SA_RESTART;
    sigaction(std::atoi(number), &action, nullptr);
}

}  // namespace

[[gnu::destructor]] static void write_profile() noexcept {
    if (profile_path[0] != '\0') {
        freehold::heap_profile::write(profile_path, freehold::heap_profile::format_of(profile_path));
    }
}

// The first call of all, which asks the C library for a key and for handlers of forks, comes from here if it can, and
// not from within a function of the C library.
[[gnu::constructor]] static void begin() noexcept {
    process_heap::deallocate(process_heap::allocate(1));
    if (freehold::detail::is_hardened && std::getenv("FREEHOLD_GUARD_REPORTS") != nullptr) {
        freehold::report_guarded_faults();
    }
    begin_profile();
    if (const char* const huge = std::getenv("FREEHOLD_MALLOC_HUGE_PAGES")) {
        if (std::strcmp(huge, "0") == 0) {
            process_pages::prefers_huge_pages.store(false, std::memory_order_relaxed);  // relaxed: as it says there
        } else if (std::strcmp(huge, "1") != 0) {
            freehold::detail::write_error("freehold: FREEHOLD_MALLOC_HUGE_PAGES is neither 0 nor 1: 1 is used\n");
        }
    }
    if (std::getenv("FREEHOLD_MALLOC_THREAD") == nullptr) return;
    start_thread();
    pthread_atfork(nullptr, nullptr, start_thread);
}

#ifdef RTLD_DEEPBIND

// A module that is loaded with RTLD_DEEPBIND, as PHP loads its own, would call the C library's malloc, and a block that
// passes between it and the program would be freed by the wrong one. So the flag is taken away.
//
// The last call is a jump where the compiler optimizes: the next dlopen looks at where it returns to, for the RUNPATH
// of the module that called.
FREEHOLD_EXPORTED void* dlopen(const char* file, int mode) noexcept {
    static constinit std::atomic<void*> next = nullptr;
    void* found = next.load(std::memory_order_relaxed);  // relaxed, both: all threads find the same function
    if (found == nullptr) [[unlikely]] {
        found = dlsym(RTLD_NEXT, "dlopen");
        next.store(found, std::memory_order_relaxed);
    }
    return reinterpret_cast<void* (*)(const char*, int) noexcept>(found)(file, mode & ~RTLD_DEEPBIND);
}

#endif

FREEHOLD_EXPORTED void* malloc(std::size_t bytes) noexcept { return or_enomem(process_heap::allocate(bytes)); }

FREEHOLD_EXPORTED void free(void* block) noexcept { process_heap::deallocate(block); }

FREEHOLD_EXPORTED void* calloc(std::size_t count, std::size_t size) noexcept {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) return or_enomem(nullptr);
    return or_enomem(process_heap::allocate_zeroed(bytes));
}

FREEHOLD_EXPORTED void* realloc(void* block, std::size_t bytes) noexcept {
    if (block == nullptr) return malloc(bytes);
    if (bytes == 0) {  // as the C library
        free(block);
        return nullptr;
    }
    return or_enomem(process_heap::reallocate(block, bytes));
}

FREEHOLD_EXPORTED void* reallocarray(void* block, std::size_t count, std::size_t size) noexcept {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) return or_enomem(nullptr);
    return realloc(block, bytes);
}

FREEHOLD_EXPORTED int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) noexcept {
    if (!is_power_of_two(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
    void* const block = process_heap::allocate(bytes, alignment);
    if (block == nullptr) return ENOMEM;
    *result = block;
    return 0;
}

FREEHOLD_EXPORTED void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
    if (!is_power_of_two(alignment)) {
        errno = EINVAL;
        return nullptr;
    }
    return or_enomem(process_heap::allocate(bytes, alignment));
}

// As the C library, which rounds the alignment up.
FREEHOLD_EXPORTED void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
    constexpr std::size_t largest = SIZE_MAX / 2 + 1;
    return aligned_alloc(alignment > largest ? 0 : std::bit_ceil(alignment), bytes);
}

FREEHOLD_EXPORTED void* valloc(std::size_t bytes) noexcept { return aligned_alloc(page(), bytes); }

FREEHOLD_EXPORTED void* pvalloc(std::size_t bytes) noexcept {
    const std::size_t whole = (bytes + page() - 1) / page() * page();
    return whole < bytes ? or_enomem(nullptr) : aligned_alloc(page(), whole);
}

FREEHOLD_EXPORTED std::size_t malloc_usable_size(void* block) noexcept { return process_heap::usable_bytes(block); }

// No memory is kept on top of a heap, so the number of bytes to leave there means nothing.
FREEHOLD_EXPORTED int malloc_trim(std::size_t /*left*/) noexcept { return process_heap::trim() ? 1 : 0; }

#ifdef __GLIBC__

// What the heap knows of what these report. The bytes in use are those of slabs with a block in use.
FREEHOLD_EXPORTED struct mallinfo2 mallinfo2() noexcept {
    const freehold::pool_statistics found = freehold::small_block_pool::statistics();
    struct mallinfo2 info{};
    info.arena = found.mapped + found.idle;
    info.hblks = found.large_blocks;
    info.hblkhd = found.large;
    info.uordblks = found.mapped - found.spare;
    info.fordblks = info.keepcost = found.spare + found.idle;
    return info;
}

FREEHOLD_EXPORTED struct mallinfo mallinfo() noexcept {
    const auto fits = [](std::size_t bytes) { return bytes > INT_MAX ? INT_MAX : static_cast<int>(bytes); };
    const struct mallinfo2 info = mallinfo2();
    return {
        fits(info.arena),   0, 0, fits(info.hblks), fits(info.hblkhd), 0, 0, fits(info.uordblks), fits(info.fordblks),
        fits(info.keepcost)};
}

FREEHOLD_EXPORTED int malloc_info(int options, std::FILE* stream) noexcept {
    if (options != 0) {
        errno = EINVAL;
        return -1;
    }
    const struct mallinfo2 info = mallinfo2();
    std::fprintf(stream,
                 "<malloc version=\"1\">\n"
                 "<total type=\"rest\" count=\"0\" size=\"%zu\"/>\n"
                 "<total type=\"mmap\" count=\"%zu\" size=\"%zu\"/>\n"
                 "<system type=\"current\" size=\"%zu\"/>\n"
                 "</malloc>\n",
                 info.fordblks, info.hblks, info.hblkhd, info.arena + info.hblkhd);
    return 0;
}

FREEHOLD_EXPORTED void malloc_stats() noexcept {
    const struct mallinfo2 info = mallinfo2();
    std::fprintf(stderr, "system bytes     = %10zu\nin use bytes     = %10zu\n", info.arena + info.hblkhd,
                 info.uordblks + info.hblkhd);
}

// Returns: 0: no parameter of the C library's means anything here.
FREEHOLD_EXPORTED int mallopt(int /*parameter*/, int /*value*/) noexcept { return 0; }

#endif

// A program may replace some forms of operator new and operator delete, and the others then call those ([new.delete]).
// It has replaced a form if the loader has bound the name to another function than the one here. The nothrow forms are
// the C++ library's, which call these.

#define FREEHOLD_OPERATOR __attribute__((visibility("default")))
#define FREEHOLD_NAME_OF(function) __attribute__((visibility("default"), alias(function)))

using new_function = void*(std::size_t);
using aligned_new_function = void*(std::size_t, std::align_val_t);
using delete_function = void(void*) noexcept;
using aligned_delete_function = void(void*, std::align_val_t) noexcept;

extern "C" {
[[gnu::visibility("hidden")]] void* own_new(std::size_t bytes) { return allocate_new(bytes); }
[[gnu::visibility("hidden")]] void* own_aligned_new(std::size_t bytes, std::align_val_t alignment) {
    return allocate_new(bytes, alignment);
}
[[gnu::visibility("hidden")]] void own_delete(void* block) noexcept { process_heap::deallocate(block); }
[[gnu::visibility("hidden")]] void own_aligned_delete(void* block, std::align_val_t) noexcept {
    process_heap::deallocate(block);
}
}

FREEHOLD_NAME_OF("own_new") void* operator new(std::size_t);
FREEHOLD_NAME_OF("own_aligned_new") void* operator new(std::size_t, std::align_val_t);
FREEHOLD_NAME_OF("own_delete") void operator delete(void*) noexcept;
FREEHOLD_NAME_OF("own_aligned_delete") void operator delete(void*, std::align_val_t) noexcept;

template <class Function>
[[nodiscard, gnu::always_inline]] static inline bool is_own(Function* bound, Function* own) noexcept {
    return __builtin_expect(bound == own, 1);
}

FREEHOLD_OPERATOR void* operator new[](std::size_t bytes) {
    return is_own<new_function>(::operator new, own_new) ? allocate_new(bytes) : ::operator new(bytes);
}
FREEHOLD_OPERATOR void* operator new[](std::size_t bytes, std::align_val_t alignment) {
    return is_own<aligned_new_function>(::operator new, own_aligned_new) ? allocate_new(bytes, alignment)
                                                                         : ::operator new(bytes, alignment);
}
[[gnu::always_inline]] static inline void delete_by_base(void* block) noexcept {
    is_own<delete_function>(::operator delete, own_delete) ? process_heap::deallocate(block) : ::operator delete(block);
}
[[gnu::always_inline]] static inline void delete_by_base(void* block, std::align_val_t alignment) noexcept {
    is_own<aligned_delete_function>(::operator delete, own_aligned_delete) ? process_heap::deallocate(block)
                                                                           : ::operator delete(block, alignment);
}

FREEHOLD_OPERATOR void operator delete[](void* block) noexcept { delete_by_base(block); }
FREEHOLD_OPERATOR void operator delete(void* block, std::size_t) noexcept { delete_by_base(block); }
FREEHOLD_OPERATOR void operator delete[](void* block, std::align_val_t alignment) noexcept {
    delete_by_base(block, alignment);
}
FREEHOLD_OPERATOR void operator delete(void* block, std::size_t, std::align_val_t alignment) noexcept {
    delete_by_base(block, alignment);
}

// Whoever has these compares.
FREEHOLD_OPERATOR void operator delete[](void* block, std::size_t) noexcept { ::operator delete[](block); }
FREEHOLD_OPERATOR void operator delete[](void* block, std::size_t, std::align_val_t alignment) noexcept {
    ::operator delete[](block, alignment);
}
