// A program with malloc, free, calloc and realloc of its own: the C library and what it does not replace use those.

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "builds/check.hpp"

namespace {

alignas(64) std::byte arena[1 << 20];
std::size_t used = 0;
int live = 0;

struct header {
    std::size_t bytes;
    std::size_t mark;
};

constexpr std::size_t of_arena = 0x0A4E4A;

header* header_of(void* block) {
    header* const found = static_cast<header*>(block) - 1;
    CHECK(found->mark == of_arena);  // else the block is another allocator's
    return found;
}

}  // namespace

extern "C" {

void* malloc(std::size_t bytes) noexcept {
    const std::size_t whole = (bytes + 2 * sizeof(header) - 1) / sizeof(header) * sizeof(header);
    if (whole > sizeof(arena) - used) return nullptr;
    auto* const made = reinterpret_cast<header*>(arena + used);
    used += whole;
    ++live;
    *made = {bytes, of_arena};
    return made + 1;
}

void free(void* block) noexcept {
    if (block == nullptr) return;
    header_of(block)->mark = 0;
    --live;
}

void* calloc(std::size_t count, std::size_t size) noexcept {
    void* const block = malloc(count * size);
    return block != nullptr ? std::memset(block, 0, count * size) : nullptr;
}

void* realloc(void* block, std::size_t bytes) noexcept {
    void* const grown = malloc(bytes);
    if (block != nullptr && grown != nullptr) {
        const std::size_t before = header_of(block)->bytes;
        std::memcpy(grown, block, before < bytes ? before : bytes);
        free(block);
    }
    return grown;
}
}

int main() {
    const int before = live;
    char* const copy = strdup("the C library's own calls");
    CHECK(live == before + 1);
    void* const grown = reallocarray(copy, 10, 10);
    CHECK(live == before + 1 && std::strcmp(static_cast<char*>(grown), "the C library's own calls") == 0);
    std::free(grown);
    CHECK(live == before);

    // Whichever allocator operator new takes blocks from, operator delete gives them back there.
    const auto object = std::make_unique<std::string>(100, 'x');
    const std::unique_ptr<int[]> numbers(new int[1000]);
    CHECK(object->size() == 100 && numbers != nullptr);
}
