#pragma once
// page_cache: pages from the operating system, kept for reuse.
//
// An upstream for pools and arenas: each fresh page costs a fault, and the faults are most of the cost of a pool or an
// arena that is filled once. Freed pages stay idle, neighbors as one range, and serve requests of any size. Memory that
// was idle through a whole decay time goes back to the system, a step of at most 256 KiB in one call, so that no call
// takes long. Requests of at most 40 KiB come from operator new, so that a small resource takes no pages.
//
// What stays: without calls, everything that is idle; there is no thread. That is at most max_idle, and more only after
// blocks of more than 256 KiB were freed one after the other: each call takes back one step. page_cache_thread.hpp
// gives idle memory back without calls; trim() does so at once.
//
// Thread safety: any thread may call any function. Exceptions: allocate throws std::bad_alloc when the system has no
// memory and nothing is idle.
// Complexity: constant on average, plus what is given back. Cost: a lock in each call, and the clock in deallocate. A
// request is rounded up to whole pages and by at most a sixteenth; a power of two takes just its own size.
// AddressSanitizer and Valgrind report a use of idle pages, and of the first byte past a block.

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <mutex>  // brings the durations and the clock, for a tenth of what <chrono> costs
#include <new>
#include <utility>

#include "../core/alignment.hpp"
#include "../core/annotate.hpp"
#include "../core/assert.hpp"
#include "../core/config.hpp"
#include "../core/exceptions.hpp"
#include "../core/memcheck.hpp"
#include "../core/platform/page_changes.hpp"
#include "../core/platform/pages.hpp"
#include "detail/chained_resource.hpp"
#include "detail/idle_pages.hpp"
#include "detail/pages.hpp"
#include "detail/static_mutex.hpp"
#include "new_delete_resource.hpp"

namespace freehold::inline v0_2::detail {

// Set in a forked child where the parent had a page_cache_thread, until the child frees pages.
inline constinit std::atomic<void (*)() noexcept> restart_page_threads = nullptr;

}  // namespace freehold::detail

namespace freehold::inline v0_2 {

struct page_cache_options {
    // What was idle for this long, and at most for twice as long, is given back by later calls. With 0 nothing is kept.
    std::chrono::nanoseconds decay = std::chrono::seconds(1);

    // When more bytes are idle, each deallocate gives back a step. With 0 nothing is kept.
    std::size_t max_idle = std::size_t{64} * 1024 * 1024;

    // At most this many bytes are given back in one call. Unmapping 256 KiB takes 20 to 40 microseconds.
    std::size_t step = std::size_t{256} * 1024;

    // The system may use huge pages for requests of 2 MiB and more, which are aligned to them.
    bool huge_pages = false;

    // Fresh pages are touched in allocate, so that their first use does not fault.
    bool prefault = false;
};

// The bytes of a page_cache, in whole pages. Requests that operator new serves are not among them.
struct page_cache_statistics {
    std::size_t in_use;
    std::size_t idle;
    std::size_t mapped;  // both together
};

class page_cache final : public detail::basic_resource<page_cache> {
public:
    // Requests up to this size and alignment come from operator new: whole pages would take over a tenth more.
    static constexpr std::size_t largest_small = std::size_t{40} * 1024;

    // Returns: the cache of the process, with the default options. It is never destroyed.
    [[nodiscard]] static page_cache& shared() noexcept {
        alignas(page_cache) static std::byte memory[sizeof(page_cache)];
        static page_cache* const cache = ::new (memory) page_cache(page_cache_options(), unregistered());
        // relaxed, here and below: whoever finds it unset registers the handlers
        if (!is_registered_.load(std::memory_order_relaxed)) [[unlikely]]
            register_shared();
        return *cache;
    }

    page_cache() noexcept : page_cache(page_cache_options()) {}

    explicit page_cache(const page_cache_options& options) noexcept : page_cache(options, unregistered()) {
        detail::survive_fork();
    }

    page_cache(const page_cache&) = delete;
    page_cache& operator=(const page_cache&) = delete;

    // Effects: trim(). Blocks that were not freed stay mapped.
    ~page_cache() override { trim(); }

    // As std::pmr::memory_resource::allocate; 0 bytes have an address of their own.
    // Throws: std::bad_alloc when the system has no memory. Before that, everything that is idle was given back.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
        FREEHOLD_EXPECTS(std::has_single_bit(alignment), "the alignment is not a power of two", "freehold::page_cache");
        // Not try_allocate: memcheck shows only some of the callers.
        const bool is_new = is_small(bytes, alignment);
        void* const block =
            is_new ? new_delete_resource::try_allocate(bytes, alignment) : try_allocate_pages(bytes, alignment);
        if (block != nullptr) [[likely]]
            return block;
        if (!is_new) detail::raise<std::bad_alloc>();
        trim();                                                  // what is idle may be all that the process has left
        return new_delete_resource::allocate(bytes, alignment);  // throws what the program's new-handler throws
    }

    // Returns: as allocate, but null when the system has no memory.
    [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        FREEHOLD_EXPECTS(std::has_single_bit(alignment), "the alignment is not a power of two", "freehold::page_cache");
        if (!is_small(bytes, alignment)) return try_allocate_pages(bytes, alignment);
        void* const block = new_delete_resource::try_allocate(bytes, alignment);
        if (block != nullptr) [[likely]]
            return block;
        trim();  // as above
        return new_delete_resource::try_allocate(bytes, alignment);
    }

    // Effects: keeps the memory for later requests, for a while.
    // Requires: allocate(bytes, alignment) returned `block`, and it was not freed since.
    void deallocate(void* block, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        FREEHOLD_EXPECTS(block != nullptr && std::has_single_bit(alignment),
                         "a null pointer is freed, or the alignment is not a power of two", "freehold::page_cache");
        if (is_small(bytes, alignment)) return new_delete_resource::deallocate(block, bytes, alignment);
        deallocate_pages(block, bytes);
    }

    // Returns: as try_allocate, but whole pages also for a small request: operator new may be made of them.
    [[nodiscard]] void* try_allocate_pages(std::size_t bytes, std::size_t alignment) noexcept {
        constexpr std::size_t most = (std::numeric_limits<std::size_t>::max)() / 16;
        if (bytes > most || alignment > most) return nullptr;
        alignment = detail::larger(alignment, detail::page_granule);
        if (detail::is_memcheck()) [[unlikely]]
            return detail::take_tracked(detail::larger(bytes, std::size_t{1}), alignment);
        if (options_.huge_pages && bytes >= detail::huge_page) alignment = detail::larger(alignment, detail::huge_page);
        const std::size_t size = size_of(bytes);
        void* block = take_idle(size, alignment);
        if (block == nullptr) block = map(size, alignment);
        if (block == nullptr) return nullptr;
        detail::annotate_free(block, size);
        detail::annotate_allocated(block, bytes);
        detail::register_pages(block, size);
        return block;
    }

    // Effects: as deallocate. Requires: try_allocate_pages(bytes, …) returned `block`, and it was not freed since.
    void deallocate_pages(void* block, std::size_t bytes) noexcept {
        if (detail::is_memcheck()) [[unlikely]]
            return std::free(block);
        const detail::page_range freed{static_cast<std::byte*>(block), size_of(bytes)};
        detail::unregister_pages(freed.begin, freed.bytes);
        detail::annotate_free(freed.begin, freed.bytes);
        detail::page_range old = freed;
        {
            const detail::static_lock held(mutex_);
            in_use_ -= freed.bytes;
            if (keeps_) {
                // Read under the lock, so that times do not decrease.
                const auto now = std::chrono::steady_clock::now();
                if (idle_.bytes() == 0) restart(now);
                if (idle_.add(freed)) old = take_surplus(now, options_.decay);
            }
        }
        give_back(old);
        if (auto* const restart = detail::restart_page_threads.load(std::memory_order_relaxed)) [[unlikely]] {
            // relaxed, both: the thread that forked has stored it
            detail::restart_page_threads.store(nullptr, std::memory_order_relaxed);
            restart();
        }
    }

    // Effects: gives back what is idle, except memory that may have been used within the last `idle_for`. Not bounded.
    void trim(std::chrono::nanoseconds idle_for = std::chrono::nanoseconds(0)) noexcept {
        if (idle_for.count() > 0) {
            const auto then = std::chrono::steady_clock::now() - idle_for;
            return give_back_oldest(detail::locked(mutex_, [&] { return idle_since(then); }));
        }
        give_back_oldest((std::numeric_limits<std::size_t>::max)());
        const detail::static_lock held(mutex_);
        if (idle_.bytes() == 0) idle_.give_back_records();
    }

    // Effects: gives back one step, if it was idle for `decay` or is beyond max_idle. Returns: whether more is due.
    bool trim_step() noexcept { return trim_step(options_.decay); }

    bool trim_step(std::chrono::nanoseconds decay) noexcept {
        bool is_more = false;
        give_back(detail::locked(mutex_, [&] {
            const detail::page_range old = take_surplus(std::chrono::steady_clock::now(), decay);
            is_more = surplus_ != 0 || idle_.bytes() > options_.max_idle;
            return old;
        }));
        return is_more;
    }

    [[nodiscard]] page_cache_options options() const noexcept { return options_; }

    // Returns: the number of bytes that are kept idle.
    [[nodiscard]] std::size_t idle_bytes() const noexcept { return statistics().idle; }

    // Complexity: constant; a lock.
    [[nodiscard]] page_cache_statistics statistics() const noexcept {
        const detail::static_lock held(mutex_);
        return {in_use_, idle_.bytes(), in_use_ + idle_.bytes()};
    }

private:
    using time = std::chrono::steady_clock::time_point;

#ifdef FREEHOLD_ADDRESS_SANITIZER
    static constexpr std::size_t gap = 1;  // behind a block, so that the first byte past it is one that is marked
#else
    static constexpr std::size_t gap = 0;
#endif

    static constexpr std::size_t large = std::size_t{4} * 1024 * 1024;

    struct unregistered {};

    page_cache(const page_cache_options& options, unregistered) noexcept : options_(options) {
        options_.step = detail::larger(options_.step / detail::page_granule, std::size_t{1}) * detail::page_granule;
        // memcheck delays the reuse of freed memory itself
        keeps_ = options_.max_idle != 0 && options_.decay.count() > 0 && !detail::is_memcheck();
    }

    // Not while the cache is initialized: to register a handler may allocate, and malloc may be made of this cache.
    FREEHOLD_COLD FREEHOLD_NOINLINE static void register_shared() noexcept {
        if (is_registered_.exchange(true, std::memory_order_relaxed)) return;
        detail::survive_fork();
        const auto give_back_all = []() noexcept {
            const bool is_any = shared().idle_bytes() != 0;
            shared().trim();
            return is_any;
        };
        // relaxed: as where map_pages() loads it
        detail::give_back_idle_pages.store(give_back_all, std::memory_order_relaxed);
#if defined(__PIC__) && !defined(__PIE__)
        // A library with hidden symbols would leak its idle pages when it is unloaded.
        std::atexit([] { shared().trim(); });
#endif
    }

    [[nodiscard]] static bool is_small(std::size_t bytes, std::size_t alignment) noexcept {
        return bytes <= largest_small && alignment <= largest_small;
    }

    // Returns: the bytes of the pages of a block of `bytes` bytes.
    [[nodiscard]] static std::size_t size_of(std::size_t bytes) noexcept {
        return detail::idle_pages::rounded(detail::larger(bytes + gap, std::size_t{1}));
    }

    [[nodiscard]] void* take_idle(std::size_t size, std::size_t alignment) noexcept {
        const detail::static_lock held(mutex_);
        in_use_ += size;
        void* const warm = idle_.take(size, alignment);
        least_idle_ = detail::smaller(least_idle_, idle_.bytes());
        return warm;
    }

    // Returns: fresh pages, or null.
    [[nodiscard]] FREEHOLD_NOINLINE void* map(std::size_t size, std::size_t alignment) noexcept {
        // Nothing idle fits. Where much is idle, as much as is mapped now goes back first, so that a vector which grows
        // to gigabytes does not leave all its former selves idle. The faults of the fresh pages take 8 times as long.
        const std::size_t together = idle_bytes() + size;
        if (size > large && together > options_.max_idle) {
            give_back_oldest(detail::smaller(size, together - options_.max_idle));
        }
        void* pages = detail::take_pages(size, alignment);
        if (pages == nullptr) {
            trim();
            pages = detail::take_pages(size, alignment);
        }
        if (pages == nullptr) {
            const detail::static_lock held(mutex_);
            in_use_ -= size;
            return nullptr;
        }
        if (options_.huge_pages && size >= detail::huge_page) detail::prefer_huge_pages(pages, size);
        if (options_.prefault) detail::populate_pages(pages, size);
        return pages;
    }

    static void give_back(detail::page_range old) noexcept {
        if (old.bytes == 0) return;
        detail::annotate_allocated(old.begin, old.bytes);
        detail::give_back_pages(old.begin, old.bytes);
    }

    // Effects: gives back the oldest idle memory, at most `most` bytes, in steps that hold no lock for long.
    void give_back_oldest(std::size_t most) noexcept {
        most = most / detail::page_granule * detail::page_granule;
        while (most != 0) {
            const auto old = detail::locked(mutex_, [&] { return take_oldest(detail::smaller(most, large)); });
            if (old.bytes == 0) return;
            most -= old.bytes;
            give_back(old);
        }
    }

    // The following require that the mutex is locked.

    // So many bytes are not needed: the least that were idle at any time of an interval of `decay`. It does not matter
    // which pages were.

    // Effects: forgets what was idle earlier.
    void restart(time now) noexcept {
        interval_ = previous_interval_ = now;
        surplus_ = 0;
        least_idle_ = (std::numeric_limits<std::size_t>::max)();
    }

    // Returns: pages that the caller is to give back, a step at most.
    [[nodiscard]] detail::page_range take_surplus(time now, std::chrono::nanoseconds decay) noexcept {
        least_idle_ = detail::smaller(least_idle_, idle_.bytes());
        surplus_ = detail::smaller(surplus_, least_idle_);
        if (now - interval_ >= decay) {
            surplus_ = std::exchange(least_idle_, idle_.bytes());
            previous_interval_ = std::exchange(interval_, now);
        }
        const std::size_t beyond = idle_.bytes() - detail::smaller(idle_.bytes(), options_.max_idle);
        const std::size_t due = detail::round_up(detail::larger(surplus_, beyond), detail::page_granule);
        return take_oldest(detail::smaller(due, options_.step));
    }

    [[nodiscard]] detail::page_range take_oldest(std::size_t most) noexcept {
        const detail::page_range old = idle_.take_oldest(most);
        surplus_ -= detail::smaller(surplus_, old.bytes);
        least_idle_ = detail::smaller(least_idle_, idle_.bytes());
        return old;
    }

    // Returns: at least how much has been idle since then.
    [[nodiscard]] std::size_t idle_since(time then) const noexcept {
        if (interval_ <= then) return least_idle_;
        return previous_interval_ <= then ? detail::smaller(surplus_, least_idle_) : 0;
    }

    static inline constinit std::atomic<bool> is_registered_ = false;

    page_cache_options options_;
    bool keeps_;
    detail::static_mutex& mutex_ = detail::mutex_for(this);
    detail::idle_pages idle_;
    std::size_t in_use_ = 0;
    time interval_;
    time previous_interval_;
    std::size_t least_idle_ = 0;  // since the interval began
    std::size_t surplus_ = 0;     // of what was idle all through the previous interval, what is still to be given back
};

}  // namespace freehold
