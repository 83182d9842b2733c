// Two threads use the guarded blocks of a program, and meet through what orders nothing: if the blocks order nothing
// either, ThreadSanitizer reports a race. No block is guarded before.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <freehold/memory/detail/guarded_blocks.hpp>

#include <atomic>
#include <cstddef>
#include <thread>

#include "support/relaxed_flag.hpp"

using freehold::detail::guarded_blocks;

namespace {

constexpr int times = 1000;  // each record is used several times

std::atomic<bool> system_refuses = false;

// Effects: allocates guarded blocks and frees each at once.
void use_blocks(freehold::detail::heap_random& random) {
    for (int i = 0; i < times; ++i) {
        void* const block = guarded_blocks::allocate(16, random);
        ASSERT_NE(block, nullptr);
        guarded_blocks::deallocate(block, *guarded_blocks::find(block));
    }
}

// Effects: one thread calls `begin` and another one then use_blocks().
template <class Begin>
void before_others(Begin begin) {
    support::relaxed_flag has_begun;
    std::thread second([&] {
        freehold::detail::heap_random random;
        has_begun.wait();
        use_blocks(random);
    });
    std::thread first([&] {
        freehold::detail::heap_random random;
        begin(random);
        has_begun.raise();
    });
    first.join();
    second.join();
}

}  // namespace

// In the place of the C library's.
extern "C" int mprotect(void* begin, std::size_t bytes, int access) noexcept {
    if (system_refuses.load(std::memory_order_relaxed)) return -1;
    return static_cast<int>(::syscall(SYS_mprotect, begin, bytes, access));
}

TEST(publication, a_guarded_block_is_used_again_after_another_thread_has_freed_it) {
    before_others([](freehold::detail::heap_random& random) { use_blocks(random); });
}

TEST(publication, a_guarded_block_is_used_after_the_system_has_refused_it_to_another_thread) {
    before_others([](freehold::detail::heap_random& random) {
        use_blocks(random);
        system_refuses.store(true, std::memory_order_relaxed);
        for (int i = 0; i < times; ++i) EXPECT_EQ(guarded_blocks::allocate(16, random), nullptr);
        system_refuses.store(false, std::memory_order_relaxed);
    });
}
