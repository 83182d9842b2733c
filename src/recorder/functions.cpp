// malloc, free and the functions beside them.

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <dlfcn.h>

#include "hooks.hpp"

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

// Records a block that malloc, or an operator new by it, has made.
void tell(kind what, const void* block, std::size_t size, std::size_t alignment, std::uint64_t frame) {
    thread_memory& me = current;
    if (is_made(me.called_by)) {
        what = static_cast<kind>(me.called_by);
        frame = me.frame;
        me.called_by = 0;
    }
    if (block == nullptr) return;
    if (const recording on; on) write_allocation(me, what, block, size, site_of(me, frame), alignment);
}

void tell_free(const void* block) {
    thread_memory& me = current;
    kind what = freed;
    if (is_free(me.called_by)) what = static_cast<kind>(std::exchange(me.called_by, 0));
    if (const recording on; on) write_free(me, what, block);
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
}

}

using namespace recorder;

#define FRAME reinterpret_cast<std::uint64_t>(__builtin_frame_address(0))
// A tail call would leave no frame.
#define KEEP_FRAME asm volatile("" ::: "memory")

RECORDER_EXPORTED void* malloc(std::size_t size) {
    if (!is_there(real.malloc)) return early_block(size);
    void* const block = real.malloc(size);
    tell(allocated, block, size, 0, FRAME);
    KEEP_FRAME;
    return block;
}

RECORDER_EXPORTED void* calloc(std::size_t count, std::size_t size) {
    if (!is_there(real.calloc)) return early_block(count * size);
    void* const block = real.calloc(count, size);
    tell(zeroed, block, count * size, 0, FRAME);
    KEEP_FRAME;
    return block;
}

RECORDER_EXPORTED void free(void* block) {
    if (block == nullptr || is_early(block) || !is_there(real.free)) return;
    tell_free(block);
    real.free(block);
}

RECORDER_EXPORTED void* realloc(void* old, std::size_t size) {
    if (is_early(old) || !is_there(real.realloc)) {
        void* const copy = malloc(size);
        const std::size_t most = static_cast<std::size_t>(early + sizeof early - static_cast<char*>(old));
        if (copy != nullptr && old != nullptr) std::memcpy(copy, old, size < most ? size : most);
        return copy;
    }
    const std::uint64_t start = now();
    void* const block = real.realloc(old, size);
    if (block == nullptr && (old == nullptr || size != 0)) return nullptr;
    if (const recording on; on) {
        thread_memory& me = on.me();
        if (block == nullptr)
            write_free(me, freed, old);
        else
            write_reallocation(me, old, start, block, size, site_of(me, FRAME));
    }
    KEEP_FRAME;
    return block;
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
