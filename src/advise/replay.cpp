// replay STEPS [touch]: makes the calls of a recording again, in one thread, with the allocator of this process.
// REPLAY_OF_C leaves out operator new, and with it the C++ library: to load it takes instructions, which a C program
// spends only for an allocator that is written in C++. With `touch`, writes to each page of each block, and prints the
// peak of the process in KiB, how much of that the blocks took, and how many page faults.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>

#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "steps.hpp"

#ifndef REPLAY_OF_C
#include <freehold/memory/monotonic_resource.hpp>
#include <freehold/memory/small_block_allocator.hpp>
#endif

namespace {

using advise::step;
using recorder::kind;

constexpr std::size_t most_blocks = std::size_t{1} << 32;
step steps[1 << 15];

void** blocks() {
    void* const found = mmap(nullptr, most_blocks * sizeof(void*), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return found == MAP_FAILED ? nullptr : static_cast<void**>(found);
}

#ifdef REPLAY_OF_C

void* make_object(const step& each) { return std::malloc(each.size); }
void free_object(const step&, void* block) { std::free(block); }

#else

// What the batches of one place are allocated from, one after another.
class arena {
public:
    void* allocate(std::size_t size) {
        if (live_++ == 0) resource_.emplace();
        return resource_->allocate(size, alignof(std::max_align_t));
    }
    void free() {
        if (--live_ == 0) resource_.reset();
    }

private:
    std::size_t live_ = 0;
    std::optional<freehold::monotonic_resource> resource_;
};

arena batches;
freehold::small_block_allocator<std::byte> pool;

void* make_object(const step& each) {
    if (each.where == advise::in_arena) return batches.allocate(each.size);
    if (each.where == advise::in_pool) return pool.allocate(each.size);
    if (each.where == advise::left_out) return &batches;
    switch (each.what) {
        case recorder::made_array: return ::operator new[](each.size);
        case recorder::made_aligned:
            return ::operator new(each.size, std::align_val_t{std::size_t{1} << each.alignment});
        default: return ::operator new(each.size);
    }
}

void free_object(const step& each, void* block) {
    if (each.where == advise::in_arena) return batches.free();
    if (each.where == advise::left_out) return;
    if (each.where == advise::in_pool) return pool.deallocate(static_cast<std::byte*>(block), each.size);
    switch (each.what) {
        case recorder::deleted_array: return ::operator delete[](block);
        case recorder::deleted_sized: return ::operator delete(block, each.size);
        case recorder::deleted_aligned: return ::operator delete(block, std::align_val_t{16});
        default: return ::operator delete(block);
    }
}

#endif

void* make(const step& each, void* old) {
    switch (each.what) {
        case recorder::allocated: return std::malloc(each.size);
        case recorder::zeroed: return std::calloc(1, each.size);
        case recorder::reallocated: return std::realloc(old, each.size);
        case recorder::aligned: return memalign(std::size_t{1} << each.alignment, each.size);
        default: return make_object(each);
    }
}

void free(const step& each, void* block) {
    if (each.what == recorder::freed)
        std::free(block);
    else
        free_object(each, block);
}

void touch(void* block, std::size_t size) {
    auto* const bytes = static_cast<volatile char*>(block);
    for (std::size_t i = 0; i < size; i += 4096) bytes[i] = 1;
    if (size != 0) bytes[size - 1] = 1;
}

long most_memory() {
    static char text[4096];
    const int file = open("/proc/self/status", O_RDONLY);
    const ssize_t bytes = read(file, text, sizeof text - 1);
    close(file);
    text[bytes > 0 ? bytes : 0] = 0;
    const char* const found = std::strstr(text, "VmHWM:");
    return found != nullptr ? std::atol(found + 6) : 0;
}

long faults() {
    rusage found{};
    getrusage(RUSAGE_SELF, &found);
    return found.ru_minflt;
}

}

int main(int count, char** arguments) {
    const int file = count > 1 ? open(arguments[1], O_RDONLY) : -1;
    void** const table = blocks();
    if (file < 0 || table == nullptr) return 1;
    const bool touches = count > 2;
    const long before = most_memory(), faults_before = faults();
    std::uint32_t largest = 0;
    ssize_t bytes = 0;
    while ((bytes = read(file, steps, sizeof steps)) > 0) {
        for (const step* each = steps; each < steps + static_cast<std::size_t>(bytes) / sizeof(step); ++each) {
            void*& block = table[each->block];
            if (recorder::is_free(each->what)) {
                free(*each, block);
                block = nullptr;
                continue;
            }
            block = make(*each, block);
            if (block == nullptr) return 2;
            if (each->block > largest) largest = each->block;
            if (touches && each->where != advise::left_out) touch(block, each->size);
        }
    }
    const long own = static_cast<long>((std::size_t{largest} / 512 + 1) * 4);  // KiB of the table
    const long most = most_memory() - own;
    if (touches) std::printf("%ld %ld %ld\n", most, most - before, faults() - faults_before - own / 4);
    return 0;
}
