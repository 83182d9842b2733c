// malloc, free and the functions beside them.

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <dlfcn.h>

#include "telling.hpp"

namespace recorder {
namespace {

// For what dlsym allocates before the functions are known.
alignas(16) char early[16384];
std::atomic<std::size_t> early_used;

void* early_block(std::size_t bytes) {
    const std::size_t at = early_used.fetch_add((bytes + 15) & ~std::size_t{15}, std::memory_order_relaxed);
    return at + bytes <= sizeof early ? early + at : nullptr;
}

bool is_early(const void* block) { return block >= early && block < early + sizeof early; }

template <class Function>
void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// Returns whether `function` may be called.
template <class Function>
bool is_there(const Function& function) {
    if (__builtin_expect(function == nullptr, 0)) resolve();
    return function != nullptr;
}

// A free and an allocation, of which either may be recorded. The block is forgotten before another thread may get it.
void* sampled_realloc(void* old, std::size_t size, std::uint64_t frame) {
    if (const recording on; on && old != nullptr && was_recorded(old)) write_free(on.me(), freed, old);
    void* const block = real.realloc(old, size);
    if (const recording on; block != nullptr && on && is_recorded(on.me(), block, size))
        write_reallocation(on.me(), nullptr, now(), block, size, site_of(on.me(), frame));
    return block;
}

}

void resolve() {
    static std::atomic<bool> is_done;
    if (is_done.exchange(true, std::memory_order_relaxed)) return;
    find(real.malloc, "malloc");
    find(real.calloc, "calloc");
    find(real.realloc, "realloc");
    find(real.free, "free");
    find(real.memalign, "memalign");
    find(real.aligned_alloc, "aligned_alloc");
    find(real.posix_memalign, "posix_memalign");
    find(real.valloc, "valloc");
    find(real.pvalloc, "pvalloc");
    find(real.dlclose, "dlclose");
    find(real.execve, "execve");
    find(real.execvpe, "execvpe");
    find(real.fexecve, "fexecve");
    find(real.posix_spawn, "posix_spawn");
    find(real.posix_spawnp, "posix_spawnp");
}

}

using namespace recorder;

#define FRAME reinterpret_cast<std::uint64_t>(__builtin_frame_address(0))
// A tail call would leave no frame.
#define KEEP_FRAME asm volatile("" ::: "memory")

// What is recorded, or may be. Each is called by a jump, so its caller is that of the function below.
#define RECORDER_SLOW static __attribute__((noinline))

RECORDER_SLOW void* recorded_malloc(std::size_t size) {
    if (!is_there(real.malloc)) return early_block(size);
    void* const block = real.malloc(size);
    tell(allocated, block, size, 0, FRAME);
    KEEP_FRAME;
    return block;
}

RECORDER_SLOW void* recorded_calloc(std::size_t count, std::size_t size) {
    if (!is_there(real.calloc)) return early_block(count * size);
    void* const block = real.calloc(count, size);
    tell(zeroed, block, count * size, 0, FRAME);
    KEEP_FRAME;
    return block;
}

RECORDER_SLOW void recorded_free(void* block) {
    if (block == nullptr || is_early(block) || !is_there(real.free)) return;
    tell_free(block);
    real.free(block);
}

// A thread is counted before its first free: whoever gets the block then sees that there is another one.
void count_thread() {
    if (current.number != 0) return;
    if (const recording on; on) static_cast<void>(has_room(on.me(), most_event_bytes));
}

RECORDER_SLOW void* recorded_realloc(void* old, std::size_t size) {
    if (is_early(old) || !is_there(real.realloc)) {
        void* const copy = malloc(size);
        const std::size_t most = static_cast<std::size_t>(early + sizeof early - static_cast<char*>(old));
        if (copy != nullptr && old != nullptr) std::memcpy(copy, old, size < most ? size : most);
        return copy;
    }
    if (is_sampled()) return sampled_realloc(old, size, FRAME);
    count_thread();
    const std::uint64_t start = now();
    void* const block = real.realloc(old, size);
    if (block == nullptr && (old == nullptr || size != 0)) return nullptr;
    if (const recording on; on) {
        thread_memory& me = on.me();
        if (block == nullptr)
            write_free(me, freed, old, start);
        else
            write_reallocation(me, old, start, block, size, site_of(me, FRAME));
    }
    KEEP_FRAME;
    return block;
}

RECORDER_EXPORTED void* malloc(std::size_t size) {
    if (!is_passed_over(size)) return recorded_malloc(size);
    pass_over(size);
    return real.malloc(size);
}

RECORDER_EXPORTED void* calloc(std::size_t count, std::size_t size) {
    if (!is_passed_over(count * size)) return recorded_calloc(count, size);
    pass_over(count * size);
    return real.calloc(count, size);
}

RECORDER_EXPORTED void free(void* block) {
    if (!was_passed_over(block) || is_early(block)) return recorded_free(block);
    real.free(block);
}

RECORDER_EXPORTED void* realloc(void* old, std::size_t size) {
    if (!is_passed_over(size) || !was_passed_over(old) || is_early(old)) return recorded_realloc(old, size);
    pass_over(size);
    return real.realloc(old, size);
}

RECORDER_EXPORTED void* reallocarray(void* old, std::size_t count, std::size_t size) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) return errno = ENOMEM, nullptr;
    return realloc(old, bytes);
}

RECORDER_EXPORTED void* memalign(std::size_t alignment, std::size_t size) {
    if (!is_there(real.memalign)) return nullptr;
    void* const block = real.memalign(alignment, size);
    tell(aligned, block, size, alignment, FRAME);
    KEEP_FRAME;
    return block;
}

RECORDER_EXPORTED void* aligned_alloc(std::size_t alignment, std::size_t size) {
    if (!is_there(real.aligned_alloc)) return nullptr;
    void* const block = real.aligned_alloc(alignment, size);
    tell(aligned, block, size, alignment, FRAME);
    KEEP_FRAME;
    return block;
}

RECORDER_EXPORTED int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
    if (!is_there(real.posix_memalign)) return ENOMEM;
    const int error = real.posix_memalign(block, alignment, size);
    if (error == 0) tell(aligned, *block, size, alignment, FRAME);
    KEEP_FRAME;
    return error;
}

RECORDER_EXPORTED void* valloc(std::size_t size) {
    if (!is_there(real.valloc)) return nullptr;
    void* const block = real.valloc(size);
    tell(aligned, block, size, 4096, FRAME);
    KEEP_FRAME;
    return block;
}

RECORDER_EXPORTED void* pvalloc(std::size_t size) {
    if (!is_there(real.pvalloc)) return nullptr;
    void* const block = real.pvalloc(size);
    tell(aligned, block, size, 4096, FRAME);
    KEEP_FRAME;
    return block;
}
