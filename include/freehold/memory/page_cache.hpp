#pragma once
// page_cache: pages from the operating system, kept for reuse.
//
// An upstream for short-lived resources: each fresh page costs a fault, and the faults are most of the cost of a pool
// or an arena that is filled once. Slabs have 64 KiB to 4 MiB, in powers of two, each aligned to its size. A freed slab
// is kept idle, and goes back to the system when it was not reused for a while. Requests of at most half a slab come
// from operator new, so that a small resource does not take a whole slab.
//
// Thread safety: any thread may call any function. Exceptions: allocate throws std::bad_alloc when the system has no
// memory and no slab is idle.
// Complexity: constant, plus what is given back. Cost: a lock for each slab, and reading the clock for each freed slab.
// A request is rounded up to a slab, or above 4 MiB to a multiple of 64 KiB, which comes from the system and goes back
// at once. AddressSanitizer and Valgrind report a use of an idle slab.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory_resource>
#include <mutex>  // brings the durations and the clock, for a tenth of what <chrono> costs
#include <new>

#include "../core/alignment.hpp"
#include "../core/annotate.hpp"
#include "../core/assert.hpp"
#include "../core/exceptions.hpp"
#include "../core/memcheck.hpp"
#include "detail/pages.hpp"
#include "detail/static_mutex.hpp"
#include "new_delete_resource.hpp"

namespace freehold::detail {

// The idle slabs of one size, in the order in which they became idle.
//
// Invariant: a slab's first bytes hold its links and the time; all of it is marked as free except while they are used.
class idle_slabs {
public:
    using time = std::chrono::steady_clock::time_point;

    // Effects: adds the slab. Requires: no other became idle later than `now`.
    void push(void* memory, std::size_t bytes, time now) noexcept {
        auto* const added = ::new (memory) idle{newest_, nullptr, now};
        annotate_free(memory, bytes);
        (newest_ != nullptr ? opened(newest_)->newer : oldest_) = added;
        newest_ = added;
    }

    // Returns: the slab that became idle last, whose cache lines are warm, or null.
    [[nodiscard]] void* pop(std::size_t bytes) noexcept {
        if (newest_ == nullptr) return nullptr;
        idle* const taken = newest_;
        newest_ = opened(taken)->older;
        (newest_ != nullptr ? opened(newest_)->newer : oldest_) = nullptr;
        annotate_allocated(taken, bytes);
        return taken;
    }

    // Returns: the slab that became idle first if that was not later than `latest`, or null.
    [[nodiscard]] void* pop_oldest(std::size_t bytes, time latest) noexcept {
        if (oldest_ == nullptr || opened(oldest_)->since > latest) return nullptr;
        idle* const taken = oldest_;
        oldest_ = opened(taken)->newer;
        (oldest_ != nullptr ? opened(oldest_)->older : newest_) = nullptr;
        annotate_allocated(taken, bytes);
        return taken;
    }

private:
    struct idle {
        idle* older;
        idle* newer;
        time since;
    };

    // The links of a slab, which may be read and written during the lifetime of this object.
    class opened {
    public:
        explicit opened(idle* slab) noexcept : slab_(slab) { annotate_allocated(slab, sizeof(idle)); }
        opened(const opened&) = delete;
        opened& operator=(const opened&) = delete;
        ~opened() { annotate_free(slab_, sizeof(idle)); }

        idle* operator->() const noexcept { return slab_; }

    private:
        idle* slab_;
    };

    idle* newest_ = nullptr;
    idle* oldest_ = nullptr;
};

}  // namespace freehold::detail

namespace freehold {

struct page_cache_options {
    // A slab that was idle for this long is given back when another slab is freed.
    std::chrono::nanoseconds decay = std::chrono::seconds(1);

    // At most this many bytes are idle; beyond that a freed slab goes to the system at once.
    std::size_t max_idle = std::size_t{64} * 1024 * 1024;

    // The system may use huge pages for slabs of 2 MiB and more.
    bool huge_pages = false;

    // The pages of a fresh slab are touched in allocate, so that their first use does not fault.
    bool prefault = false;
};

class page_cache final : public std::pmr::memory_resource {
public:
    static constexpr std::size_t smallest_slab = std::size_t{64} * 1024;
    static constexpr std::size_t largest_slab = std::size_t{4} * 1024 * 1024;

    // Returns: the cache of the process, with the default options. It is never destroyed.
    [[nodiscard]] static page_cache& shared() noexcept {
        alignas(page_cache) static std::byte memory[sizeof(page_cache)];
        static page_cache* const cache = make_shared_cache(memory);
        return *cache;
    }

    page_cache() noexcept : page_cache(page_cache_options()) {}

    explicit page_cache(const page_cache_options& options) noexcept : options_(options) {
        if (detail::is_memcheck()) options_.max_idle = 0;  // it delays the reuse of freed memory itself
        detail::survive_fork();
    }

    page_cache(const page_cache&) = delete;
    page_cache& operator=(const page_cache&) = delete;

    // Effects: trim(). Slabs that were not freed stay mapped.
    ~page_cache() override { trim(); }

    // Returns: at least `bytes` bytes aligned to `alignment`. The address is unique even if `bytes` is 0.
    // Requires: `alignment` is a power of two.
    // Throws: std::bad_alloc when the system has no memory.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
        FREEHOLD_EXPECTS(std::has_single_bit(alignment), "the alignment is not a power of two", "freehold::page_cache");
        if (is_small(bytes, alignment)) return new_delete_resource::allocate(bytes, alignment);
        constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / 4;
        if (bytes > most || alignment > most) detail::raise<std::bad_alloc>();
        if (!is_slab(bytes, alignment)) {
            return map(detail::round_up(bytes, smallest_slab), detail::max(alignment, smallest_slab));
        }
        const std::size_t slab = slab_size(bytes, alignment);
        {
            const detail::static_lock held(mutex_);
            if (void* const warm = idle_[index_of(slab)].pop(slab)) {
                idle_bytes_ -= slab;
                return warm;
            }
        }
        return map(slab, slab);
    }

    // Effects: keeps the memory for another request of its size, for a while.
    // Requires: allocate(bytes, alignment) returned `block`, and it was not freed since.
    void deallocate(void* block, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        FREEHOLD_EXPECTS(block != nullptr && std::has_single_bit(alignment),
                         "a null pointer is freed, or the alignment is not a power of two", "freehold::page_cache");
        if (is_small(bytes, alignment)) return new_delete_resource::deallocate(block, bytes, alignment);
        if (!is_slab(bytes, alignment)) return detail::unmap_pages(block, detail::round_up(bytes, smallest_slab));
        const std::size_t slab = slab_size(bytes, alignment);
        bool kept = false;
        {
            const detail::static_lock held(mutex_);
            // Read under the lock, so that the slabs are in the order of time.
            const auto now = std::chrono::steady_clock::now();
            kept = slab <= options_.max_idle && idle_bytes_ <= options_.max_idle - slab;
            if (kept) {
                idle_[index_of(slab)].push(block, slab, now);
                idle_bytes_ += slab;
            }
        }
        if (!kept) detail::unmap_pages(block, slab);
        trim(options_.decay);
    }

    // Effects: gives the slabs that were idle for at least `idle_for` back to the system.
    void trim(std::chrono::nanoseconds idle_for = std::chrono::nanoseconds(0)) noexcept {
        const auto latest = std::chrono::steady_clock::now() - idle_for;
        for (std::size_t slab = smallest_slab; slab <= largest_slab; slab *= 2) {
            while (void* const old = take_oldest(slab, latest)) detail::unmap_pages(old, slab);
        }
    }

    // Returns: the number of bytes that are kept idle.
    [[nodiscard]] std::size_t idle_bytes() const noexcept {
        const detail::static_lock held(mutex_);
        return idle_bytes_;
    }

private:
    static constexpr std::size_t sizes = std::bit_width(largest_slab / smallest_slab);

    [[nodiscard]] static page_cache* make_shared_cache(void* memory) noexcept {
#if defined(__PIC__) && !defined(__PIE__)
        // A library with hidden symbols would leak its idle slabs when it is unloaded.
        std::atexit([] { shared().trim(); });
#endif
        return ::new (memory) page_cache();
    }

    [[nodiscard]] static bool is_small(std::size_t bytes, std::size_t alignment) noexcept {
        return bytes <= smallest_slab / 2 && alignment <= smallest_slab / 2;
    }

    [[nodiscard]] static bool is_slab(std::size_t bytes, std::size_t alignment) noexcept {
        return bytes <= largest_slab && alignment <= largest_slab;
    }

    [[nodiscard]] static std::size_t slab_size(std::size_t bytes, std::size_t alignment) noexcept {
        return std::bit_ceil(detail::max(detail::max(bytes, alignment), smallest_slab));
    }

    [[nodiscard]] static std::size_t index_of(std::size_t slab) noexcept {
        return static_cast<std::size_t>(std::countr_zero(slab / smallest_slab));
    }

    [[nodiscard]] void* map(std::size_t bytes, std::size_t alignment) {
        void* pages = detail::map_pages(bytes, alignment);
        if (pages == nullptr) {
            trim();
            pages = detail::map_pages(bytes, alignment);
            if (pages == nullptr) detail::raise<std::bad_alloc>();
        }
        if (options_.huge_pages && bytes >= detail::huge_page) detail::prefer_huge_pages(pages, bytes);
        if (options_.prefault) detail::populate_pages(pages, bytes);
        return pages;
    }

    [[nodiscard]] void* take_oldest(std::size_t slab, detail::idle_slabs::time latest) noexcept {
        const detail::static_lock held(mutex_);
        void* const old = idle_[index_of(slab)].pop_oldest(slab, latest);
        if (old != nullptr) idle_bytes_ -= slab;
        return old;
    }

    void* do_allocate(std::size_t bytes, std::size_t alignment) override { return allocate(bytes, alignment); }

    void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
        deallocate(block, bytes, alignment);
    }

    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

    page_cache_options options_;
    detail::static_mutex& mutex_ = detail::mutex_for(this);
    detail::idle_slabs idle_[sizes];
    std::size_t idle_bytes_ = 0;
};

namespace detail {

// Returns: the default resource if the program has set one, else the shared page cache: fresh pages from operator new
// would be most of the cost of a short-lived resource.
[[nodiscard]] inline std::pmr::memory_resource* default_upstream() noexcept {
    std::pmr::memory_resource* const chosen = std::pmr::get_default_resource();
    return chosen != std::pmr::new_delete_resource() ? chosen : &page_cache::shared();
}

}  // namespace detail

}  // namespace freehold
