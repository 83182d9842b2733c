// What a process keeps of 128 MiB of small blocks that it has freed.

#include <malloc.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "builds/check.hpp"
#include "support/child.hpp"
#include "support/process_memory.hpp"

namespace {

using support::resident_bytes;

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t many = 128 * mebibyte;

// Lists are served in rounds, and so memory goes back, while 8 whole MiB are idle. Three more are the library's own,
// and current slabs.
constexpr std::size_t most_kept = 12 * mebibyte;

// Returns: blocks of `bytes` bytes, all written to.
std::vector<void*> allocate_many(std::size_t bytes) {
    std::vector<void*> blocks(many / bytes);
    for (void*& block : blocks) block = std::memset(std::malloc(bytes), 1, bytes);
    return blocks;
}

// Effects: takes blocks, from lists that are full, and frees them.
void work_lightly() {
    void* blocks[200];
    for (void*& block : blocks) block = std::malloc(100);
    for (void* const block : blocks) std::free(block);
    usleep(10'000);
}

// Returns: whether no more than that is resident within 10 seconds of light work.
bool goes_below(std::size_t bytes) {
    for (int i = 0; i < 1000; ++i) {
        if (resident_bytes() <= bytes) return true;
        work_lightly();
    }
    return false;
}

int check_light_work() {
    const std::size_t before = resident_bytes();
    for (void* const block : allocate_many(1000)) std::free(block);
    CHECK(goes_below(before + 16 * mebibyte));
    return 0;
}

int check_survivors() {
    const std::size_t before = resident_bytes();
    std::vector<void*> blocks = allocate_many(200);
    const std::size_t apart = mebibyte / 200;
    const std::size_t own = blocks.size() * sizeof(void*);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (i % apart != apart / 2) std::free(blocks[i]);
    }
    // Each survivor keeps a few pages of its slab.
    CHECK(goes_below(before + own + many / mebibyte * 20'480 + most_kept));
    malloc_trim(0);
    CHECK(resident_bytes() <= before + own + many / mebibyte * 20'480 + 3 * mebibyte);
    for (std::size_t i = apart / 2; i < blocks.size(); i += apart) CHECK(*static_cast<char*>(blocks[i]) == 1);
    return 0;
}

// No slab is without a block in use, so nothing is idle but pages in slabs.
int check_a_survivor_in_each_slab() {
    const std::size_t before = resident_bytes();
    std::vector<void*> blocks = allocate_many(1000);
    const std::size_t own = blocks.size() * sizeof(void*);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (i % 60 != 0) std::free(blocks[i]);
    }
    // A slab keeps the page of its header, and the two that its survivor may lie in.
    CHECK(goes_below(before + own + blocks.size() / 60 * 12'288 + 8 * mebibyte));
    return 0;
}

// What one thread frees for all others waits for these no longer than a second. 1 MiB stays in the thread.
int check_hand_over() {
    const std::size_t before = resident_bytes();
    std::vector<void*> blocks;
    std::thread([&] { blocks = allocate_many(100'000); }).join();
    for (void* const block : blocks) std::free(block);
    CHECK(goes_below(before + blocks.size() * sizeof(void*) + most_kept + mebibyte));
    return 0;
}

// Frees give memory back that was idle for two seconds, also beside chunks that lie in no whole huge page.
int check_errno() {
    std::vector<void*> blocks(30'000);
    for (void*& block : blocks) block = std::memset(std::malloc(1000), 1, 1000);
    int changed = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (i % 97 == 0) continue;
        errno = 0;
        std::free(blocks[i]);
        changed += errno != 0;
        if (i % 1500 == 1) usleep(120'000);
    }
    CHECK(changed == 0);
    return 0;
}

}  // namespace

int main() {
    CHECK(support::in_child(check_light_work) == 0);
    CHECK(support::in_child(check_survivors) == 0);
    CHECK(support::in_child(check_a_survivor_in_each_slab) == 0);
    CHECK(support::in_child(check_hand_over) == 0);
    CHECK(support::in_child(check_errno) == 0);
}
