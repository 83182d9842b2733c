// The heap profile of a program whose operator new Freehold replaces.

#include <freehold/memory/heap_profile.hpp>
#include <freehold/memory/replace_new.hpp>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "check.hpp"

namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;

// The bytes in use of each call stack.
[[maybe_unused]] std::vector<std::size_t> in_use() {
    char path[] = "/tmp/freehold_heap_profile_of_new_XXXXXX";
    CHECK(mkdtemp(path) != nullptr);
    const std::string file = std::string(path) + "/heap.folded";
    CHECK(freehold::heap_profile::write(file.c_str(), freehold::heap_profile::format::folded));
    std::vector<std::size_t> found;
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) found.push_back(std::stoul(line.substr(line.rfind(' '))));
    CHECK(std::remove(file.c_str()) == 0 && std::remove(path) == 0);
    return found;
}

[[maybe_unused]] std::size_t sum_in_use() {
    std::size_t sum = 0;
    for (const std::size_t each : in_use()) sum += each;
    return sum;
}

// Blocks of more than 40 times the mean distance are always sampled.
[[maybe_unused]] bool has(std::size_t bytes) {
    for (const std::size_t each : in_use()) {
        if (each == bytes) return true;
    }
    return false;
}

template <class Allocate, class Deallocate>
void check_form(std::size_t bytes, Allocate allocate, Deallocate deallocate) {
    void* const block = allocate(bytes);
    CHECK(has(bytes));
    deallocate(block);
    CHECK(!has(bytes));
}

[[maybe_unused]] void check_large_blocks() {
    constexpr std::align_val_t alignment{4096};
    check_form(41 * mebi, [](std::size_t n) { return ::operator new(n); }, [](void* p) { ::operator delete(p); });
    check_form(
        43 * mebi, [](std::size_t n) { return ::operator new[](n, std::nothrow); },
        [](void* p) { ::operator delete[](p, 43 * mebi); });
    check_form(
        45 * mebi, [](std::size_t n) { return ::operator new(n, alignment); },
        [](void* p) { ::operator delete(p, alignment); });
}

// They are sampled by chance: 64 MiB are 128 samples on average.
[[maybe_unused]] void check_small_blocks() {
    const std::size_t before = sum_in_use();
    std::vector<std::string*> made(65536);
    for (std::string*& each : made) each = new std::string(1000, 'x');
    const std::size_t grown = sum_in_use() - before;
    CHECK(grown > 32 * mebi && grown < 96 * mebi);
    std::thread([&] {
        for (std::string* const each : made) delete each;
    }).join();
    CHECK(sum_in_use() < before + mebi);
}

}  // namespace

int main() {
#ifndef FREEHOLD_KEEPS_NEW  // a sanitizer replaces operator new itself
    if (!freehold::heap_profile::start()) return 0;
    freehold::detail::sample_seeds.store(1, std::memory_order_relaxed);  // the same samples in each run
    check_large_blocks();
    check_small_blocks();
#endif
}
