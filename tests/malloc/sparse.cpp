// What large blocks take of which a program writes little, and those that it fills.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <malloc.h>
#include <unistd.h>

#include "builds/check.hpp"
#include "support/child.hpp"
#include "support/page_advice.hpp"
#include "support/process_memory.hpp"

namespace {

using support::page_advice;
using support::resident_bytes;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

std::vector<void*> kept;

// Effects: keeps `count` blocks, of each of which the first bytes are written.
void take(int count, std::size_t bytes, std::size_t written) {
    for (int i = 0; i < count; ++i) kept.push_back(std::memset(std::malloc(bytes), 1, written));
}

// Returns: in MiB, what work() adds to the resident memory of a process that has done nothing else.
template <class Work>
int mebibytes_of(Work work) {
    return support::in_child([work] {
        kept.reserve(100'000);
        const std::size_t before = resident_bytes();
        work();
        const std::size_t added = (resident_bytes() - before) / mebibyte;
        return added < 250 ? static_cast<int>(added) : 250;
    });
}

constexpr std::size_t little = 1000;

// Returns: in MiB, what the library itself writes: two pages at the end of each block, if it is hardened.
int mebibytes_of_ends(int count) {
    void* const block = std::malloc(100);
    const bool is_hardened = malloc_usable_size(block) == 100;
    std::free(block);
    return is_hardened ? count * 2 / 256 : 0;
}

void check_sparse_blocks() {
    CHECK(mebibytes_of([] { take(3000, 400'000, little); }) <= 15 + mebibytes_of_ends(3000));
    CHECK(mebibytes_of([] { take(10'000, 65'536, little); }) <= 60 + mebibytes_of_ends(10'000));
    CHECK(mebibytes_of([] { take(10'000, 20'000, little); }) <= 60 + mebibytes_of_ends(10'000));
    CHECK(mebibytes_of([] { take(200, 3 * mebibyte, little); }) <= 4 + mebibytes_of_ends(200));
    CHECK(mebibytes_of([] {
              for (int i = 0; i < 3000; ++i) kept.push_back(std::memset(std::calloc(1, 400'000), 1, little));
          }) <= 15 + mebibytes_of_ends(3000));
}

// Half of each is written.
void check_half_used_blocks() {
    CHECK(mebibytes_of([] { take(100, mebibyte, mebibyte / 2); }) <= 55);
    CHECK(mebibytes_of([] { take(20, 4 * mebibyte, 2 * mebibyte); }) <= 45);
}

void check_sparse_blocks_after_others() {
    CHECK(mebibytes_of([] {
              take(150, 400'000, 400'000);
              take(2000, 400'000, little);
          }) <= 57 + 8 + 35);
    CHECK(mebibytes_of([] {
              take(25, 4 * mebibyte, 4 * mebibyte);
              take(200, 4 * mebibyte, little);
          }) <= 100 + 1 + 25);
    CHECK(mebibytes_of([] {
              for (int i = 0; i < 100; ++i) {
                  take(1, mebibyte, mebibyte);
                  take(1, 4 * mebibyte, little);
              }
          }) <= 101 + 10);
}

void check_what_is_asked_for() {
    if (!support::takes_page_advice()) return;
    const auto asked_for = [](int count, std::size_t bytes, std::size_t written) {
        return support::in_child([=] {
            bool is_huge = false;
            for (int i = 0; i < count; ++i) {
                take(1, bytes, written);
                if (i % (count / 10) != 0) continue;
                is_huge = is_huge || support::page_advice_of(kept.back()) == page_advice::huge;
            }
            return static_cast<int>(is_huge ? page_advice::huge : support::page_advice_of(kept.back()));
        });
    };
    // Also where the system's setting is `always`.
    CHECK(asked_for(100, 400'000, little) == static_cast<int>(page_advice::small));
    CHECK(asked_for(20, 3 * mebibyte, little) == static_cast<int>(page_advice::small));
    CHECK(asked_for(20'000, 1000, 1000) == static_cast<int>(page_advice::huge));
    CHECK(asked_for(100, 400'000, 400'000) == static_cast<int>(page_advice::huge));
    CHECK(asked_for(20, 3 * mebibyte, 3 * mebibyte) == static_cast<int>(page_advice::huge));
}

}  // namespace

int main() {
    check_sparse_blocks();
    check_half_used_blocks();
    check_sparse_blocks_after_others();
    check_what_is_asked_for();
}
