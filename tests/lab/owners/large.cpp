// Shared objects in large blocks of Freehold's malloc, and handles in such blocks: leaked, or held by a global as well.
// The argument is "leaks" or "held". It says "ready", and waits.

#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#ifdef FREEHOLD_LARGE_REPLACES
#include <freehold/memory/replace_new.hpp>
#endif

namespace {

struct Node {
    std::vector<std::shared_ptr<Node>> all;
};

struct Page {
    std::shared_ptr<Page> next;
    std::array<char, 20'000> bytes{};
};

// As much as a thread keeps of a freed block, more than that, and more than a region of pages has. None is a multiple
// of a page: the address behind a full block would be that of its neighbor.
constexpr std::array<std::size_t, 5> lengths = {600, 5'000, 15'000, 20'000, 150'000};

std::array<std::shared_ptr<void>, 100> kept;
std::size_t kept_count = 0;
std::array<std::vector<int>, 3> live;  // blocks that nothing else says anything about
bool keeps = false;

void keep(const std::shared_ptr<void>& owner) {
    if (keeps) kept[kept_count++] = owner;
}

[[gnu::noinline]] void make_vector(std::size_t length) {
    const auto node = std::make_shared<Node>();
    node->all.reserve(length);
    for (int i = 0; i < 9; ++i) node->all.push_back(std::make_shared<Node>());
    node->all.push_back(node);
    keep(node);
}

[[gnu::noinline]] void make_pages() {
    const auto page = std::make_shared<Page>();
    page->next = std::make_shared<Page>();
    page->next->next = page;
    keep(page);
}

// Effects: leaves freed blocks full of handles, also of what leaks.
[[gnu::noinline]] void make_past() {
    for (const std::size_t length : lengths) {
        std::vector<std::shared_ptr<Node>> all(length, std::make_shared<Node>());
        all[0]->all.resize(length);
    }
}

[[gnu::noinline]] void scrub() {
    std::array<char, 30'000> frame{};
    asm volatile("" : : "r"(frame.data()) : "memory");
}

}

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    keeps = std::strcmp(argv[1], "held") == 0;
    for (std::size_t i = 0; i < live.size(); ++i) live[i].resize(5'000 << 4 * i);
    make_past();
    for (int round = 0; round < 3; ++round) {
        for (const std::size_t length : lengths) make_vector(length);
        make_pages();
    }
    make_past();
    scrub();
    char byte;
    return write(STDOUT_FILENO, "ready\n", 6) + read(STDIN_FILENO, &byte, 1) != 6;
}
