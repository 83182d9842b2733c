// Freehold in a program that replaces operator new and counts on being asked for every block.

#include <freehold/freehold.hpp>

#include <cstddef>
#include <cstdlib>
#include <new>

#include "check.hpp"

namespace {

long allocated = 0;
long freed = 0;

}  // namespace

// Not inlined: g++ would see free() called for what new gave, and warn.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
    ++allocated;
    void* const memory = std::malloc(bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

[[gnu::noinline]] void operator delete(void* memory) noexcept {
    ++freed;
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace {

template <class Make>
void check_blocks(long expected, Make make) {
    const long before = allocated;
    const long freed_before = freed;
    {
        [[maybe_unused]] const auto owner = make();
        CHECK(allocated - before == expected);
    }
    CHECK(freed - freed_before == expected);
}

}  // namespace

int main() {
    check_blocks(1, [] { return freehold::make_shared<int>(1); });
    check_blocks(1, [] { return freehold::make_local_shared<int[]>(3); });
    check_blocks(2, [] { return freehold::shared_ptr<int>(new int(1)); });
    check_blocks(1, [] { return freehold::make_thin<int>(1); });
}
