// Freehold in a program whose operator new it replaces.

#include <freehold/memory/replace_new.hpp>

#include <freehold/memory/small_block_pool.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "../support/page_advice.hpp"
#include "check.hpp"

namespace {

bool is_aligned(const void* block, std::size_t alignment) {
    return reinterpret_cast<std::uintptr_t>(block) % alignment == 0;
}

// Effects: writes to all of the block.
void* filled(void* block, std::size_t bytes) {
    CHECK(block != nullptr);
    return std::memset(block, static_cast<int>(bytes % 251), bytes);
}

void check_fill(const void* block, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) {
        CHECK(static_cast<const unsigned char*>(block)[i] == bytes % 251);
    }
}

// The statistics of the pool count the blocks that operator new has made.
[[maybe_unused]] void check_statistics() {
    const auto of = [] { return freehold::small_block_pool::quiet_statistics(); };
    void* const first = ::operator new(100'000);  // the records of large blocks
    const freehold::pool_statistics before = of();
    void* const small = ::operator new(5000);
    void* const large = ::operator new(1'000'000);
    const freehold::pool_statistics between = of();
    if (between.is_counted) {
        CHECK(between.live == before.live + 5120);
        CHECK(between.large_blocks == before.large_blocks + 1);
        CHECK(between.large >= before.large + 1'000'000);
    }
    ::operator delete(large);
    ::operator delete(small);
    ::operator delete(::operator new(100'000));
    const freehold::pool_statistics after = of();
    if (after.is_counted) {
        CHECK(after.live == before.live);
        CHECK(after.large == before.large && after.large_blocks == before.large_blocks);
        CHECK(after.idle >= 1'000'000);
    }
    ::operator delete(first);
}

struct allocated {
    void* block;
    std::size_t bytes;
};

// Blocks of every size class and of some large sizes, beside each other.
std::vector<allocated> allocate_many() {
    std::vector<allocated> blocks;
    for (std::size_t bytes = 0; bytes < 300'000; bytes += bytes < 600 ? 1 : bytes / 9) {
        for (int i = 0; i < 3; ++i) blocks.push_back({filled(::operator new(bytes), bytes), bytes});
    }
    return blocks;
}

void free_all(const std::vector<allocated>& blocks) {
    for (const auto& [block, bytes] : blocks) {
        CHECK(is_aligned(block, __STDCPP_DEFAULT_NEW_ALIGNMENT__));
        check_fill(block, bytes);
        if (bytes % 2 == 0) {
            ::operator delete(block);
        } else {
            ::operator delete(block, bytes);
        }
    }
}

void check_every_form() {
    for (const std::size_t bytes : std::vector<std::size_t>{0, 1, 40, 600, 8192, 8193, 100'000}) {
        for (int i = 0; i < 100; ++i) {
            ::operator delete[](filled(::operator new[](bytes), bytes));
            ::operator delete[](filled(::operator new[](bytes), bytes), bytes);
            ::operator delete(filled(::operator new(bytes, std::nothrow), bytes), std::nothrow);
            ::operator delete[](filled(::operator new[](bytes, std::nothrow), bytes), std::nothrow);
        }
        for (std::size_t boundary = 1; boundary <= std::size_t{1} << 20; boundary *= 2) {
            const std::align_val_t alignment{boundary};
            void* blocks[] = {::operator new(bytes, alignment), ::operator new[](bytes, alignment),
                              ::operator new(bytes, alignment, std::nothrow),
                              ::operator new[](bytes, alignment, std::nothrow), ::operator new(bytes, alignment)};
            for (void* const block : blocks) CHECK(is_aligned(filled(block, bytes), boundary));
            for (void* const block : blocks) check_fill(block, bytes);
            ::operator delete(blocks[0], alignment);
            ::operator delete[](blocks[1], alignment);
            ::operator delete(blocks[2], alignment, std::nothrow);
            ::operator delete[](blocks[3], alignment, std::nothrow);
            ::operator delete(blocks[4], bytes, alignment);
        }
    }
    ::operator delete(nullptr);
    ::operator delete[](nullptr);
}

#ifndef FREEHOLD_KEEPS_NEW

// It is served by the pool of the process, which reuses the block that was freed last.
void check_that_it_is_the_pool() {
    void* const block = ::operator new(40);
    const auto place = reinterpret_cast<std::uintptr_t>(block);
    ::operator delete(block);
    void* const again = freehold::small_block_pool::allocate(40);
    CHECK(reinterpret_cast<std::uintptr_t>(again) == place);
    freehold::small_block_pool::deallocate(again, 40);
}

constexpr std::size_t unservable = std::numeric_limits<std::size_t>::max() / 4;

int handler_calls = 0;

void give_up_at_the_third_call() {
    if (++handler_calls == 3) std::set_new_handler(nullptr);
}

struct handler_failure : std::bad_alloc {};

template <class Exception, class Allocate>
bool throws(Allocate allocate) {
    try {
        static_cast<void>(allocate());
    } catch (const Exception&) {
        return true;
    }
    return false;
}

// Returns: whether the system was asked for huge pages for some of `count` blocks that are written all over.
bool has_huge_pages(std::size_t bytes, std::size_t count) {
    bool found = false;
    std::vector<void*> blocks;
    for (std::size_t i = 0; i < count; ++i) {
        blocks.push_back(std::memset(::operator new(bytes), 1, bytes));
        if (i % (count / 8) == 0 || i + 1 == count) {
            if (support::page_advice_of(blocks.back()) == support::page_advice::huge) found = true;
        }
    }
    for (void* const block : blocks) ::operator delete(block);
    return found;
}

void check_huge_pages() {
    if (!support::takes_page_advice()) return;
    constexpr std::size_t large = std::size_t{4} << 20;
    freehold::replaced_new_uses_huge_pages(false);
    CHECK(!has_huge_pages(1000, 8000));
    CHECK(!has_huge_pages(large, 8));
    freehold::replaced_new_uses_huge_pages(true);
    CHECK(has_huge_pages(1000, 80000));
    CHECK(has_huge_pages(large, 24));
}

void check_exhaustion() {
    volatile std::size_t bytes = unservable;  // compilers warn of constants
    const std::align_val_t alignment{4096};
    CHECK(throws<std::bad_alloc>([&] { return ::operator new(bytes); }));
    CHECK(throws<std::bad_alloc>([&] { return ::operator new[](bytes, alignment); }));
    CHECK(throws<std::bad_alloc>([&] { return ::operator new(1, std::align_val_t{bytes / 2 + 1}); }));
    CHECK(::operator new(bytes, std::nothrow) == nullptr);
    CHECK(::operator new[](bytes, alignment, std::nothrow) == nullptr);

    std::set_new_handler(give_up_at_the_third_call);
    CHECK(throws<std::bad_alloc>([&] { return ::operator new(bytes); }));
    CHECK(handler_calls == 3);

    std::set_new_handler([] { throw handler_failure(); });
    CHECK(throws<handler_failure>([&] { return ::operator new(bytes); }));
    CHECK(::operator new(bytes, std::nothrow) == nullptr);
    std::set_new_handler(nullptr);
}

#endif

// An object that allocates before main and after it.
struct early_and_late {
    early_and_late() : text(1000, 'x') {}
    ~early_and_late() {
        CHECK(text == std::string(1000, 'x'));
        text = std::string(100'000, 'y');
    }
    std::string text;
} early_and_late;

}  // namespace

int main() {
#ifdef FREEHOLD_KEEPS_NEW  // as with a sanitizer
    freehold::replaced_new_uses_huge_pages(false);
#else
    check_that_it_is_the_pool();  // before much is idle: then another block comes next
    check_huge_pages();           // early: what was asked for stays
#endif
    check_every_form();
#ifndef FREEHOLD_KEEPS_NEW
    check_statistics();
    check_exhaustion();
#endif

    free_all(allocate_many());
    // Threads that free what others have allocated, and end.
    for (int round = 0; round < 3; ++round) {
        std::vector<allocated> mine = allocate_many();
        std::vector<allocated> theirs;
        std::thread([&] {
            theirs = allocate_many();
            free_all(mine);
        }).join();
        free_all(theirs);
    }
}
