#pragma once
// Numbers that no one else in the process had or will have.
//
// A program and a library that it loads may each have a copy of an inline variable: the dynamic linker merges only the
// symbols that it is shown. A counter alone would then repeat the numbers of another module's counter. So the upper
// part of a number is the address of a page that was reserved from the system and is never given back, and only the
// lower part is a counter.

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace freehold::detail {

class unique_ids {
public:
    // So many numbers come from one page. Addresses have at most 57 bits, and twelve of them vary within a page.
    static constexpr int counter_bits = 19;

    constexpr unique_ids() noexcept = default;

    // Returns: a number that was never returned before, in any module, and is greater than `counter_mask`; or 0 if the
    // system has no address space left.
    // Cost: a locked operation, and a system call for the first number of each page.
    [[nodiscard]] std::uint64_t next() noexcept {
        // relaxed, here and below: the numbers differ, in whatever order
        std::uint64_t id = next_.load(std::memory_order_relaxed);
        for (;;) {
            if ((id & counter_mask) != 0) {
                if (next_.compare_exchange_weak(id, id + 1, std::memory_order_relaxed)) return id;
                continue;
            }
            void* const page =
                ::mmap(nullptr, page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (page == MAP_FAILED) return 0;
            const std::uint64_t first = reinterpret_cast<std::uintptr_t>(page) / page_bytes << counter_bits | 1;
            if (next_.compare_exchange_strong(id, first + 1, std::memory_order_relaxed)) return first;
            ::munmap(page, page_bytes);  // another thread was first, and no number came from this page
        }
    }

    static constexpr std::uint64_t counter_mask = (std::uint64_t{1} << counter_bits) - 1;

private:
    static constexpr std::size_t page_bytes = 4096;

    // The number to be returned next. A counter of 0 says that there is no page, or that all its numbers were returned.
    std::atomic<std::uint64_t> next_ = 0;
};

inline constinit unique_ids module_ids;

// Returns: a number that no one else in the process had or will have; or 0 if the system has no address space left.
[[nodiscard]] inline std::uint64_t unique_id() noexcept { return module_ids.next(); }

}  // namespace freehold::detail
