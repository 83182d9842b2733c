#pragma once
// process_pages: where the slabs and the large blocks of the process's allocator come from, and where freed pages wait.
//
// Not a page_cache, which is a std::pmr::memory_resource: a C program that preloads malloc has no C++ library. Fresh
// pages are cut from regions that huge pages fit into, once the process has more than a few. Slabs, which are filled,
// get huge ones; a program may use little of a large block, so blocks get them where others were used all over. What
// goes back to the system, and when, is as in page_cache: in steps, and what was not needed for a second.
//
// Thread safety: one thread at a time, except where it says so. Exceptions: none.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/platform/page_changes.hpp"
#include "../../core/platform/pages.hpp"
#include "../../core/platform/sleep.hpp"
#include "dense_use.hpp"
#include "idle_pages.hpp"

namespace freehold::inline v0_2::detail {

enum class pages_for : unsigned char { slabs, blocks };

class process_pages {
public:
    static constexpr std::size_t most = (std::numeric_limits<std::size_t>::max)() / 16;

    // Whether the system is asked for huge pages from now on, or else for small ones. Any thread may change it; nothing
    // depends on the order.
    static inline constinit std::atomic<bool> prefers_huge_pages = true;

    struct taken {
        void* begin;   // or null
        bool is_zero;  // whether all bytes are
    };

    // Requires: the alignment is a power of two.
    [[nodiscard]] taken take(std::size_t bytes, std::size_t alignment, pages_for use) noexcept {
        if (bytes > most || alignment > most) return {};
        const std::size_t size = idle_pages::rounded(bytes);
        alignment = detail::larger(alignment, page_granule);
        std::byte* const warm = idle_.take(size, alignment);
        note_idle();
        if (warm != nullptr) return {warm, false};
        if (size >= huge_page) return {map_apart(size, detail::larger(alignment, huge_page), use), true};
        if (void* const fresh = cut(size, alignment, use)) return {fresh, true};
        if (alignment <= huge_page && extend(use)) {
            if (void* const fresh = cut(size, alignment, use)) return {fresh, true};
        }
        return {map(size, alignment), true};
    }

    // Effects: keeps the pages for a while. Returns: false, with no effect, if there is no memory for that.
    [[nodiscard]] bool keep(page_range freed) noexcept {
        of_blocks_apart_.learn_from(freed.begin);
        return idle_.add(freed);
    }

    // Effects: the same. Returns: pages to give back to the system.
    [[nodiscard]] page_range put(page_range freed) noexcept { return keep(freed) ? take_step() : freed; }

    // Returns: some of the pages that were idle for a second, or are too many.
    [[nodiscard]] page_range take_step() noexcept {
        const std::uint64_t now = coarse_seconds();
        if (now != second()) {
            second_.store(now, std::memory_order_relaxed);
            surplus_ = least_idle_;
            least_idle_ = idle_.bytes();
        }
        const page_range old = idle_.take_oldest(detail::smaller(due(), step));
        surplus_ -= detail::smaller(surplus_, old.bytes);
        note_idle();
        return old;
    }

    // Returns: whether take_step() may find pages, or, where `has_others`, a second has begun. Any thread may call it.
    [[nodiscard]] bool is_step_due(bool has_others) const noexcept {
        // relaxed, as all of these: a hint
        if (is_due_.load(std::memory_order_relaxed)) return true;
        return (has_others || idle_mebibytes_.load(std::memory_order_relaxed) != 0) && second() != coarse_seconds();
    }

    // Returns: the second of the last step. Any thread may call it.
    [[nodiscard]] std::uint64_t second() const noexcept { return second_.load(std::memory_order_relaxed); }

    // Returns: whether more than 8 MiB are idle. Any thread may call it.
    [[nodiscard]] bool has_much_idle() const noexcept {
        return idle_mebibytes_.load(std::memory_order_relaxed) >= 8;  // relaxed: a hint
    }

    // Returns: some of all that is idle; no bytes if nothing is.
    [[nodiscard]] page_range take_any() noexcept {
        if (idle_.bytes() == 0) {
            page_range& fresh = fresh_of(fresh_of(pages_for::slabs).bytes != 0 ? pages_for::slabs : pages_for::blocks);
            return std::exchange(fresh, {});
        }
        const page_range old = idle_.take_oldest(step);
        note_idle();
        return old;
    }

    [[nodiscard]] std::size_t idle_bytes() const noexcept { return idle_.bytes(); }

    // Any thread may call it.
    static void give_back(page_range old) noexcept {
        if (old.bytes != 0) give_back_pages(old.begin, old.bytes);
    }

private:
    static constexpr std::size_t most_idle = std::size_t{512} * 1024 * 1024;
    static constexpr std::size_t step = std::size_t{256} * 1024;

    // A request of more gives as much back as it maps: its page faults take 8 times as long.
    static constexpr std::size_t largest_kept_apart = std::size_t{4} * 1024 * 1024;

    // A small process gets no huge page: the last one, which is used in part, would be more than an eighth of it.
    static constexpr std::size_t first_region = std::size_t{16} * 1024 * 1024;
    static constexpr std::size_t largest_region = std::size_t{32} * 1024 * 1024;

    // Returns: fresh pages; before the system has none, all that is idle was given back.
    [[nodiscard]] void* map(std::size_t size, std::size_t alignment) noexcept {
        // So that a block which grows by being copied does not leave all its former selves idle.
        if (size > largest_kept_apart) give_back_idle(size);
        void* mapped = take_pages(size, alignment);
        if (mapped == nullptr) {
            give_back_idle(idle_.bytes());
            for (page_range& fresh : fresh_) give_back(std::exchange(fresh, {}));
            mapped = take_pages(size, alignment);
        }
        return mapped;
    }

    // Effects: gives back at most `bytes` idle bytes.
    void give_back_idle(std::size_t bytes) noexcept {
        while (bytes != 0 && idle_.bytes() != 0) {
            const page_range old = idle_.take_oldest(detail::smaller(bytes, huge_page));
            bytes -= old.bytes;
            give_back(old);
        }
        note_idle();
    }

    // Returns: the same, for one request.
    [[nodiscard]] void* map_apart(std::size_t size, std::size_t alignment, pages_for use) noexcept {
        const bool is_dense = may_be_huge() && (use == pages_for::slabs || of_blocks_apart_.expects(size));
        void* const mapped = map(size, alignment);
        if (mapped == nullptr) return nullptr;
        choose_pages({static_cast<std::byte*>(mapped), size}, is_dense);
        if (!is_dense && use == pages_for::blocks) of_blocks_apart_.watch({static_cast<std::byte*>(mapped), size});
        return mapped;
    }

    [[nodiscard]] static bool may_be_huge() noexcept {
        return prefers_huge_pages.load(std::memory_order_relaxed);  // relaxed: see there
    }

    // Effects: asks the system for huge pages, or else for small ones.
    static void choose_pages(page_range fresh, bool is_dense) noexcept {
        (is_dense ? prefer_huge_pages : prefer_small_pages)(fresh.begin, fresh.bytes);
    }

    [[nodiscard]] page_range& fresh_of(pages_for use) noexcept { return fresh_[static_cast<std::size_t>(use)]; }

    // Returns: pages of the region, or null.
    [[nodiscard]] void* cut(std::size_t size, std::size_t alignment, pages_for use) noexcept {
        page_range& fresh = fresh_of(use);
        const std::size_t gap = (0 - reinterpret_cast<std::uintptr_t>(fresh.begin)) & (alignment - 1);
        if (gap > fresh.bytes || size > fresh.bytes - gap) return nullptr;
        if (gap != 0 && !idle_.add({fresh.begin, gap})) return nullptr;
        std::byte* const begin = fresh.begin + gap;
        fresh = {begin + size, fresh.bytes - gap - size};
        return begin;
    }

    // Effects: takes another region. Returns: whether there is one.
    [[nodiscard]] bool extend(pages_for use) noexcept {
        page_range& fresh = fresh_of(use);
        std::size_t& cut_from = cut_from_[static_cast<std::size_t>(use)];
        const bool is_first = use == pages_for::slabs && cut_from == 0;
        std::size_t size = detail::clamp(cut_from / 4 / huge_page * huge_page, huge_page, largest_region);
        bool is_dense = may_be_huge();
        if (is_first) {
            size = first_region;
        } else if (use == pages_for::blocks && is_dense) {
            of_regions_.leave_out(fresh.bytes);
            is_dense = of_regions_.expects(size);
            if (!is_dense && of_regions_.has_seen(size)) size = huge_page;  // a sample, of what is dense so far
        }
        auto* const region = static_cast<std::byte*>(take_pages(size, is_first ? std::size_t{64} * 1024 : huge_page));
        if (region == nullptr) return false;
        choose_pages({region, size}, is_dense && !is_first);
        if (!is_dense && use == pages_for::blocks) of_regions_.watch({region, size});
        if (fresh.bytes != 0 && !idle_.add(fresh)) give_back(fresh);
        fresh = {region, size};
        cut_from += size;
        return true;
    }

    // How much memory is not needed: the least that was idle at any time of a second, whichever pages these are.

    // Effects: takes note of how much is idle now.
    void note_idle() noexcept {
        least_idle_ = detail::smaller(least_idle_, idle_.bytes());
        surplus_ = detail::smaller(surplus_, least_idle_);
        is_due_.store(due() != 0, std::memory_order_relaxed);
        idle_mebibytes_.store(idle_.bytes() >> 20, std::memory_order_relaxed);
    }

    // Returns: how much is to go back now.
    [[nodiscard]] std::size_t due() const noexcept {
        const std::size_t beyond = idle_.bytes() - detail::smaller(idle_.bytes(), most_idle);
        return detail::larger(surplus_, beyond) / page_granule * page_granule;
    }

    idle_pages idle_;
    page_range fresh_[2];           // the rest of the region for each use
    std::size_t cut_from_[2] = {};  // the bytes of all its regions
    dense_use of_regions_;          // for blocks
    dense_use of_blocks_apart_;
    std::atomic<std::uint64_t> second_ = 0;
    std::size_t least_idle_ = 0;  // since the second began
    std::size_t surplus_ = 0;     // of what was idle all through the one before, what is still to go back
    std::atomic<bool> is_due_ = false;
    std::atomic<std::size_t> idle_mebibytes_ = 0;  // less than one need not go back soon
};

}  // namespace freehold::detail
