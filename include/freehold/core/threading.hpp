#pragma once
// process_threading: what the lock-free parts synchronize with and have memory from. The memory-model checker of the
// tests has its own, so these parts take it as a parameter.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "asymmetric_fence.hpp"
#include "futex.hpp"
#include "system_pages.hpp"

namespace freehold::detail {

struct process_threading {
    template <class T>
    using atomic = std::atomic<T>;

    using fence = asymmetric_fence;

    // For asymmetric_event: about 15 microseconds, less than to fall asleep and be woken.
    static constexpr int spins = 500;

    static void relax() noexcept { detail::relax(); }
    static void sleep_while(const std::atomic<std::uint32_t>& number, std::uint32_t seen) noexcept {
        detail::sleep_while(&number, seen);
    }
    static void wake_sleepers(const std::atomic<std::uint32_t>& number) noexcept { detail::wake_sleepers(&number); }

    // For reader_table.
    static constexpr std::uint32_t records_in_group = 64;
    [[nodiscard]] static void* allocate(std::size_t bytes) noexcept { return allocate_pages(bytes); }
    static void free(void* pages, std::size_t bytes) noexcept { free_pages(pages, bytes); }

    static void yield() noexcept { detail::yield(); }

    // Effects: threads of any priority run for a moment that are in the middle of a step.
    static void rest() noexcept { detail::sleep_for_a_moment(); }
};

}  // namespace freehold::detail
