// The program's operator new and its mmap, which fail where a limited_new says so. The linker directs calls of mmap
// here (tests/CMakeLists.txt).
//
// Not under ThreadSanitizer, which does not let its own be replaced: there the tests of this folder are skipped.

#include "support/limited_new.hpp"

#include "support/thread_sanitizer.hpp"

#ifdef THREAD_SANITIZER

#include <gtest/gtest.h>

namespace {

struct skip_all : testing::Environment {
    void SetUp() override { GTEST_SKIP() << "operator new can't be made to fail"; }
};

const auto* const skipping = testing::AddGlobalTestEnvironment(new skip_all);

}  // namespace

#else

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>

extern "C" void* __real_mmap(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset);

extern "C" void* __wrap_mmap(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset) {
    if (!support::limited_new::allow()) return MAP_FAILED;
    return __real_mmap(address, bytes, protection, flags, file, offset);
}

namespace {

// Returns: a block, or a null pointer where a limited_new says so or there is no memory.
void* allocate(std::size_t bytes) noexcept {
    if (!support::limited_new::allow()) return nullptr;
    void* const memory = std::malloc(bytes > 0 ? bytes : 1);
    if (memory != nullptr) support::limited_new::count(1);
    return memory;
}

void* allocate(std::size_t bytes, std::align_val_t alignment) noexcept {
    if (!support::limited_new::allow()) return nullptr;
    const auto boundary = static_cast<std::size_t>(alignment);
    void* const memory = std::aligned_alloc(boundary, (bytes + boundary - 1) / boundary * boundary);
    if (memory != nullptr) support::limited_new::count(1);
    return memory;
}

void* or_throw(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

void deallocate(void* memory) noexcept {
    if (memory != nullptr) support::limited_new::count(-1);
    std::free(memory);
}

}  // namespace

void* operator new(std::size_t bytes) { return or_throw(allocate(bytes)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return or_throw(allocate(bytes, alignment)); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return allocate(bytes, alignment);
}

void operator delete(void* memory) noexcept { deallocate(memory); }
void operator delete(void* memory, std::size_t) noexcept { deallocate(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { deallocate(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { deallocate(memory); }

#endif
