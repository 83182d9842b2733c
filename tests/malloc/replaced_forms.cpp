// A program that replaces some of the forms of operator new and operator delete, as [new.delete] allows: all others
// must reach those. REPLACED has a bit for each pair of forms. A replaced form puts a header before the block, so that
// any other form that frees it, or is given one of its blocks, is noticed.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "builds/check.hpp"

namespace {

constexpr unsigned one = 1;
constexpr unsigned array = 2;
constexpr unsigned aligned_one = 4;
constexpr unsigned aligned_array = 8;

struct header {
    void* memory;
    std::uintptr_t pair;  // that has made the block
};

unsigned made = 0;  // a bit for each pair that has made a block since forget()
long live = 0;

void* make(unsigned pair, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
    made |= pair;
    ++live;
    void* const memory = std::malloc(bytes + 2 * alignment + sizeof(header));
    CHECK(memory != nullptr);
    const auto least = reinterpret_cast<std::uintptr_t>(memory) + sizeof(header);
    void* const block = reinterpret_cast<void*>((least + alignment - 1) / alignment * alignment);
    static_cast<header*>(block)[-1] = {memory, pair};
    return block;
}

void end(unsigned pair, void* block) {
    if (block == nullptr) return;
    header& found = static_cast<header*>(block)[-1];
    CHECK(found.pair == pair);
    --live;
    std::free(found.memory);
}

}  // namespace

#if REPLACED & 1
void* operator new(std::size_t bytes) { return make(one, bytes); }
void operator delete(void* block) noexcept { end(one, block); }
#endif

#if REPLACED & 2
void* operator new[](std::size_t bytes) { return make(array, bytes); }
void operator delete[](void* block) noexcept { end(array, block); }
#endif

#if REPLACED & 4
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return make(aligned_one, bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* block, std::align_val_t) noexcept { end(aligned_one, block); }
#endif

#if REPLACED & 8
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
    return make(aligned_array, bytes, static_cast<std::size_t>(alignment));
}
void operator delete[](void* block, std::align_val_t) noexcept { end(aligned_array, block); }
#endif

namespace {

// Returns: the pair that serves what is asked of `pair`, or 0 if that is the library's.
unsigned serving(unsigned pair) {
    if ((REPLACED & pair) != 0) return pair;
    const unsigned base = pair == array ? one : pair == aligned_array ? aligned_one : 0;
    return REPLACED & base;
}

template <class Allocate, class Deallocate>
void check_form(unsigned pair, Allocate allocate, Deallocate deallocate) {
    made = 0;
    void* const block = allocate();
    CHECK(block != nullptr);
    CHECK(made == serving(pair));
    deallocate(block);
    CHECK(live == 0);
}

}  // namespace

int main() {
    constexpr std::size_t bytes = 100;
    constexpr std::align_val_t boundary{64};
    const auto unsized = [](void* block) { ::operator delete(block); };
    const auto unsized_array = [](void* block) { ::operator delete[](block); };
    const auto unsized_aligned = [=](void* block) { ::operator delete(block, boundary); };
    const auto unsized_aligned_array = [=](void* block) { ::operator delete[](block, boundary); };

    check_form(one, [] { return ::operator new(bytes); }, unsized);
    check_form(one, [] { return ::operator new(bytes); }, [](void* block) { ::operator delete(block, bytes); });
    check_form(one, [] { return ::operator new(bytes, std::nothrow); }, unsized);
    check_form(one, [] { return ::operator new(bytes); }, [](void* block) { ::operator delete(block, std::nothrow); });

    check_form(array, [] { return ::operator new[](bytes); }, unsized_array);
    check_form(array, [] { return ::operator new[](bytes); }, [](void* block) { ::operator delete[](block, bytes); });
    check_form(array, [] { return ::operator new[](bytes, std::nothrow); }, unsized_array);

    check_form(aligned_one, [=] { return ::operator new(bytes, boundary); }, unsized_aligned);
    check_form(
        aligned_one, [=] { return ::operator new(bytes, boundary); },
        [=](void* block) { ::operator delete(block, bytes, boundary); });
    check_form(aligned_one, [=] { return ::operator new(bytes, boundary, std::nothrow); }, unsized_aligned);

    check_form(aligned_array, [=] { return ::operator new[](bytes, boundary); }, unsized_aligned_array);
    check_form(
        aligned_array, [=] { return ::operator new[](bytes, boundary); },
        [=](void* block) { ::operator delete[](block, bytes, boundary); });
    check_form(aligned_array, [=] { return ::operator new[](bytes, boundary, std::nothrow); }, unsized_aligned_array);

    int* const numbers = new int[100];
    delete[] numbers;
    CHECK(live == 0);
}
