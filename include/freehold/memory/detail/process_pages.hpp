#pragma once
// process_pages: where the slabs and the large blocks of the process's allocator come from, and where freed pages wait.
//
// Not a page_cache, which is a std::pmr::memory_resource: a C program that preloads malloc has no C++ library. Fresh
// pages are cut from regions that huge pages fit into, once the process has more than a few.
//
// Thread safety: one thread at a time, except for give_back(). Exceptions: none.

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <limits>

#include "../../core/alignment.hpp"
#include "idle_pages.hpp"
#include "pages.hpp"

namespace freehold::detail {

class process_pages {
public:
    static constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / 16;

    // Returns: the bytes of pages that a request takes. Requires: 0 < bytes <= most.
    [[nodiscard]] static constexpr std::size_t size_of(std::size_t bytes) noexcept {
        return idle_pages::rounded(bytes);
    }

    struct taken {
        void* begin;   // or null
        bool is_zero;  // whether all bytes are
    };

    // Requires: the alignment is a power of two.
    [[nodiscard]] taken take(std::size_t bytes, std::size_t alignment) noexcept {
        if (bytes > most || alignment > most) return {};
        const std::size_t size = size_of(bytes);
        alignment = detail::max(alignment, page_granule);
        std::byte* const warm = idle_.take(size, alignment);
        least_idle_ = detail::min(least_idle_, idle_.bytes());
        if (warm != nullptr) return {warm, false};
        if (size >= huge_page) return {map(size, detail::max(alignment, huge_page)), true};
        if (void* const fresh = cut(size, alignment)) return {fresh, true};
        if (alignment <= huge_page && extend()) {
            if (void* const fresh = cut(size, alignment)) return {fresh, true};
        }
        return {map(size, alignment), true};
    }

    // Effects: keeps the pages for a while. Returns: pages to give back to the system.
    [[nodiscard]] page_range put(page_range freed) noexcept {
        if (freed.bytes > largest_idle || !idle_.add(freed)) return freed;
        return take_surplus();
    }

    // Returns: the bytes of the pages that are kept for reuse.
    [[nodiscard]] std::size_t idle_bytes() const noexcept { return idle_.bytes(); }

    static void give_back(page_range old) noexcept {
        if (old.bytes != 0) give_back_pages(old.begin, old.bytes);
    }

private:
    static constexpr std::size_t most_idle = std::size_t{256} * 1024 * 1024;
    static constexpr std::size_t largest_idle = std::size_t{32} * 1024 * 1024;  // what is larger goes back at once
    static constexpr std::size_t step = std::size_t{4} * 1024 * 1024;

    // A small process does not get a whole huge page.
    static constexpr std::size_t first_region = std::size_t{1024} * 1024;
    static constexpr std::size_t largest_region = std::size_t{32} * 1024 * 1024;

    // Returns: fresh pages; before the system has none, all that is idle was given back.
    [[nodiscard]] void* map(std::size_t size, std::size_t alignment) noexcept {
        void* mapped = take_pages(size, alignment);
        if (mapped == nullptr) {
            while (idle_.bytes() != 0) give_back(idle_.take_oldest(step));
            mapped = take_pages(size, alignment);
        }
        if (mapped != nullptr && size >= huge_page) prefer_huge_pages(mapped, size);
        return mapped;
    }

    // Returns: pages of the region, or null.
    [[nodiscard]] void* cut(std::size_t size, std::size_t alignment) noexcept {
        const std::size_t gap = (0 - reinterpret_cast<std::uintptr_t>(fresh_.begin)) & (alignment - 1);
        if (gap > fresh_.bytes || size > fresh_.bytes - gap) return nullptr;
        if (gap != 0 && !idle_.add({fresh_.begin, gap})) return nullptr;
        std::byte* const begin = fresh_.begin + gap;
        fresh_ = {begin + size, fresh_.bytes - gap - size};
        return begin;
    }

    // Effects: takes another region. Returns: whether there is one.
    [[nodiscard]] bool extend() noexcept {
        const bool is_first = cut_from_ == 0;
        const std::size_t wanted = detail::clamp(cut_from_ / 4 / huge_page * huge_page, huge_page, largest_region);
        const std::size_t size = is_first ? first_region : wanted;
        void* const region = take_pages(size, is_first ? std::size_t{64} * 1024 : huge_page);
        if (region == nullptr) return false;
        if (!is_first) prefer_huge_pages(region, size);
        if (fresh_.bytes != 0 && !idle_.add(fresh_)) give_back(fresh_);
        fresh_ = {static_cast<std::byte*>(region), size};
        cut_from_ += size;
        return true;
    }

    // Returns: some of the pages that were idle for a second, or are too many.
    [[nodiscard]] page_range take_surplus() noexcept {
        std::timespec now{};
        ::clock_gettime(coarse_clock, &now);
        if (now.tv_sec != second_) {
            second_ = now.tv_sec;
            surplus_ = detail::min(least_idle_, idle_.bytes());
            least_idle_ = idle_.bytes();
        }
        const std::size_t beyond = idle_.bytes() - detail::min(idle_.bytes(), most_idle);
        const std::size_t due = round_up(detail::max(surplus_, beyond), page_granule);
        const page_range old = idle_.take_oldest(detail::min(due, step));
        surplus_ -= detail::min(surplus_, old.bytes);
        least_idle_ = detail::min(least_idle_, idle_.bytes());
        return old;
    }

#ifdef CLOCK_MONOTONIC_COARSE
    static constexpr clockid_t coarse_clock = CLOCK_MONOTONIC_COARSE;
#else
    static constexpr clockid_t coarse_clock = CLOCK_MONOTONIC;
#endif

    idle_pages idle_;
    page_range fresh_;          // the rest of the region
    std::size_t cut_from_ = 0;  // the bytes of all regions
    std::time_t second_ = 0;
    std::size_t least_idle_ = 0;  // since the second began
    std::size_t surplus_ = 0;     // of what was idle all through the one before
};

}  // namespace freehold::detail
