// An allocator that does nothing: what a program would take if allocation were free. For replay.cpp alone, which reads
// and writes no block: blocks lie on one another, and none is freed.

#include <cstddef>
#include <cstdint>
#include <new>

#include <sys/mman.h>

namespace {

constexpr std::size_t most = std::size_t{1} << 26;     // then it begins again
constexpr std::size_t largest = std::size_t{1} << 33;  // with a last block of 4 GiB
std::uintptr_t begin, next;

inline void* take(std::size_t size, std::size_t alignment) {
    if (next - begin >= most || begin == 0) {
        if (begin == 0)
            begin = reinterpret_cast<std::uintptr_t>(
                mmap(nullptr, largest, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        next = begin;
    }
    next = (next + alignment - 1) & ~(alignment - 1);
    const std::uintptr_t block = next;
    next += size;
    return reinterpret_cast<void*>(block);
}

}

extern "C" {
void* malloc(std::size_t size) { return take(size, 16); }
void* calloc(std::size_t count, std::size_t size) { return take(count * size, 16); }
void* realloc(void*, std::size_t size) { return take(size, 16); }
void* memalign(std::size_t alignment, std::size_t size) { return take(size, alignment); }
void free(void*) {}
}

void* operator new(std::size_t size) { return take(size, 16); }
void* operator new[](std::size_t size) { return take(size, 16); }
void* operator new(std::size_t size, std::align_val_t to) { return take(size, static_cast<std::size_t>(to)); }
void operator delete(void*) noexcept {}
void operator delete[](void*) noexcept {}
void operator delete(void*, std::size_t) noexcept {}
void operator delete[](void*, std::size_t) noexcept {}
void operator delete(void*, std::align_val_t) noexcept {}
