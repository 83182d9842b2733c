#pragma once
// process_large: the large blocks of the process's allocator, and the pages for its slabs; both from process_pages.
//
// A freed block waits in the thread for a request of its size. A table has most sizes; records have all.
//
// Thread safety: any thread may call any function, also before main and in its last destructors. Exceptions: none.
// Cost: a hashed record of 40 bytes a block. A lock, unless the thread has freed a block of the same size.

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/block_arithmetic.hpp"
#include "../../core/config.hpp"
#include "../../core/platform/errors.hpp"
#include "../../core/platform/page_changes.hpp"
#include "../../core/platform/pages.hpp"
#include "../../core/platform/sleep.hpp"
#include "../../core/thread_end.hpp"
#include "../pool_statistics.hpp"
#include "hardening.hpp"
#include "large_blocks.hpp"
#include "large_end.hpp"
#include "process_pages.hpp"
#include "process_pool.hpp"
#include "recent_blocks.hpp"
#include "static_mutex.hpp"

namespace freehold::inline v0_2::detail {

// Keeps errno in its scope: free() does not change it (POSIX.1-2024), and giving memory back may.
class kept_errno {
public:
    kept_errno() noexcept = default;
    kept_errno(const kept_errno&) = delete;
    kept_errno& operator=(const kept_errno&) = delete;
    ~kept_errno() { errno = error_; }

private:
    const int error_ = errno;
};

class process_large {
public:
    using taken = process_pages::taken;
    using records = basic_large_blocks<false>;

    static constexpr std::size_t most = process_pages::most;

    // Returns: a block that the thread has freed, or null.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static void* take_recent(std::size_t bytes) noexcept {
        if (bytes > recent_blocks::largest - least_large_end) return nullptr;
        const std::size_t room = room_for(bytes);
        void* const block = blocks_of_thread.take(room);
        if (block != nullptr) {
            sizes_.note(block, room, false);
            note_end(block, bytes, room);
            count(block, bytes);
        }
        return block;
    }

    // Returns: a block of whole pages, or null. Requires: bytes and alignment are at most `most`.
    [[nodiscard]] FREEHOLD_NOINLINE static taken allocate(std::size_t bytes, std::size_t alignment) noexcept {
        const taken found = find(bytes, alignment);
        if (found.begin != nullptr) count(found.begin, bytes);  // not while the mutex is locked
        return found;
    }

    // Effects: frees the block. Returns: false, with no effect, if it is not a large one.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static bool deallocate(void* block) noexcept {
        if (counts_.of(block) == 0) return false;
        const known_sizes::known known = sizes_.of(block);
        if constexpr (has_canaries) return deallocate_slowly(block, known);
        if (known.bytes != 0 && !known.is_free && blocks_of_thread.put(block, known.bytes)) [[likely]] {
            sizes_.note(block, known.bytes, true);
            return true;
        }
        return deallocate_slowly(block, known);
    }

    // Returns: the bytes that the block has room for, or 0 if it is in a slab or null.
    [[nodiscard]] static std::size_t bytes_of(const void* block) noexcept {
        if (reinterpret_cast<std::uintptr_t>(block) % page_granule != 0 || counts_.of(block) == 0) return 0;
        const known_sizes::known known = sizes_.of(block);
        if (known.is_free) [[unlikely]]
            abort_with("what is resized is not the beginning of a block in use");
        return known.bytes != 0 ? known.bytes : recorded(block);
    }

    // Returns: how many of them may be used: in a hardened program what was asked for. Aborts if its end was written
    // to.
    [[nodiscard]] static std::size_t usable_bytes(const void* block, std::size_t room) noexcept {
        if constexpr (has_canaries) {
            room = large_end::read(block, room);
            if (room == large_end::of_free) abort_with("what is resized is not the beginning of a block in use");
        }
        return room;
    }

    // Effects: notes that `bytes` bytes of the block were asked for. Requires: bytes + least_large_end <= room.
    static void note_end(void* block, std::size_t bytes, std::size_t room) noexcept {
        if constexpr (has_canaries) large_end::write(block, bytes, room);
    }

    // Effects: aborts if a block was written to behind its end. Requires: no other thread uses the blocks meanwhile.
    static void check_ends() noexcept {
        const auto check = [](const void* block, std::size_t room) { static_cast<void>(large_end::read(block, room)); };
        const static_lock held(mutex());
        large().visit(check);
    }

    // Returns: the block with another size, perhaps at another address; or null, and then nothing has changed.
    // Requires: bytes_of(block) == usable, and bytes <= most.
    [[nodiscard]] static void* resize(void* block, std::size_t usable, std::size_t bytes) noexcept {
        const std::size_t after = room_for(bytes);
        if (after <= usable) {
            set_bytes(block, after);
            note_end(block, bytes, after);
            count_resized(block, bytes);
            if (after < usable) put({static_cast<std::byte*>(block) + after, usable - after});
            return block;
        }
        if (usable >= smallest_remapped) return remap(block, usable, bytes);
        return nullptr;
    }

    // Pages for slabs.

    // Returns: pages, or null.
    [[nodiscard]] static void* allocate_pages(std::size_t bytes, std::size_t alignment) noexcept {
        return detail::locked(mutex(), [=] { return pages_.take(bytes, alignment, pages_for::slabs).begin; });
    }

    // Effects: takes the pages back. Only where that `is_step`, gives others back to the system, if it is time.
    static void deallocate_pages(void* memory, std::size_t bytes, bool is_step) noexcept {
        const page_range freed{static_cast<std::byte*>(memory), idle_pages::rounded(bytes)};
        if (is_step || !detail::locked(mutex(), [&] { return pages_.keep(freed); })) put(freed);
    }

    // Returns: whether so much is idle that it is worth some time to give it back.
    [[nodiscard]] static bool has_much_idle() noexcept { return pages_.has_much_idle(); }

    // Effects: gives some idle pages back to the system, if it is time. Returns: whether it was.
    static bool purge() noexcept {
        // relaxed: a hint, as what is_step_due() reads
        const bool shares = shares_.load(std::memory_order_relaxed);
        const bool is_due = pages_.is_step_due(shares);
        if (is_due) [[unlikely]] {
            if (shares) put_shared(2);
            give_back_from([] { return pages_.take_step(); });
        }
        return is_due;
    }

    // Effects: gives back what is idle. Returns: whether anything was.
    static bool trim() noexcept {
        bool was_idle = false;
        blocks_of_thread.take_all(give_back);
        put_shared(0);
        while (give_back_from([] { return pages_.take_any(); })) was_idle = true;
        return was_idle;
    }

private:
    // Less is copied in the time that the system takes to move pages.
    static constexpr std::size_t smallest_remapped = std::size_t{256} * 1024;

    static_assert(recent_blocks::largest <= known_sizes::largest);
    static constexpr std::size_t most_in_thread = 4 * recent_blocks::largest;
    static constexpr std::size_t most_shared = 16 * recent_blocks::largest;

    // Guards the records and the pages.
    [[nodiscard]] static static_mutex& mutex() noexcept { return pool_mutexes[1]; }

    // Where blocks and their records come from. Locks the mutex; after that gives pages back to the system.
    class upstream {
    public:
        upstream() noexcept { mutex().lock(); }
        upstream(const upstream&) = delete;
        upstream& operator=(const upstream&) = delete;
        ~upstream() {
            mutex().unlock();
            process_pages::give_back(old_);
        }

        [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
            const taken found = pages_.take(bytes, alignment, pages_for::blocks);
            is_zero = found.is_zero;
            return found.begin;
        }

        void deallocate(void* memory, std::size_t bytes, std::size_t /*alignment*/) noexcept {
            const page_range freed{static_cast<std::byte*>(memory), idle_pages::rounded(bytes)};
            // The records follow the last block: one step is enough.
            if (old_.bytes == 0 || !pages_.keep(freed)) {
                process_pages::give_back(std::exchange(old_, pages_.put(freed)));
            }
        }

        bool is_zero = false;  // what was allocated last

    private:
        page_range old_;
    };

    // For a block whose pages have moved.
    struct no_upstream {
        static void deallocate(void* /*memory*/, std::size_t /*bytes*/, std::size_t /*alignment*/) noexcept {}
    };

    // Effects: counts an allocation for the heap profile. The size of a sampled block is not known without a lock, so
    // that its free looks at the sample.
    FREEHOLD_ALWAYS_INLINE static void count(void* block, std::size_t bytes) noexcept {
        if (large_until_sample.count(bytes)) [[unlikely]]
            sample(block, bytes);
    }

    FREEHOLD_COLD FREEHOLD_NOINLINE static void sample(void* block, std::size_t bytes) noexcept {
        if (!large_until_sample.is_due(bytes, heap_samples::of_module() != nullptr)) return;
        sizes_.forget(block);
        process_pool.add_sampled(block, bytes);
    }

    // Effects: the same where a block has got another size: as if it had been freed and allocated.
    static void count_resized(void* block, std::size_t bytes) noexcept {
        slab_pool::remove_sampled(block);
        count(block, bytes);
    }

    // Returns: the records, made when they are first asked for, since that may be before any constructor runs. They are
    // never destroyed. Requires: the mutex is locked.
    [[nodiscard]] static records& large() noexcept {
        alignas(records) static constinit std::byte memory[sizeof(records)] = {};
        static constinit records* made = nullptr;
        if (made == nullptr) {
            made = ::new (memory) records;
            // relaxed, both: what the functions read, the mutex guards
            add_process_heap.store(add_statistics, std::memory_order_relaxed);
            if constexpr (has_canaries) check_process_heap.store(check_ends, std::memory_order_relaxed);
        }
        return *made;
    }

    // Returns: the block of allocate(), which is not counted yet.
    [[nodiscard]] static taken find(std::size_t bytes, std::size_t alignment) noexcept {
        const std::size_t room = room_for(bytes);
        survive_fork();
        upstream upstream;
        if (alignment <= page_granule && room <= recent_blocks::largest) {
            if (void* const shared = take_shared(room)) {
                note_end(shared, bytes, room);
                return {shared, false};
            }
        }
        void* const block = large().allocate(room, detail::larger(alignment, page_granule), upstream);
        if (block == nullptr) return {};
        counts_.add(block, 1);
        note_size(block, room);
        note_end(block, bytes, room);
        return {block, upstream.is_zero};
    }

    // What other threads keep counts as in use.
    static void add_statistics(pool_statistics& found) noexcept {
        const static_lock held(mutex());
        const std::size_t waiting = blocks_of_thread.bytes() + blocks_of_threads_.bytes();
        found.large = large().bytes() - waiting;
        found.large_blocks = large().count() - blocks_of_thread.count() - blocks_of_threads_.count();
        found.idle = pages_.idle_bytes() + waiting;
    }

    // Returns: what a large block for `bytes` bytes has room for.
    [[nodiscard]] static std::size_t room_for(std::size_t bytes) noexcept {
        return idle_pages::rounded(detail::larger(bytes + least_large_end, std::size_t{1}));
    }

    [[nodiscard]] FREEHOLD_NOINLINE static std::size_t recorded(const void* block) noexcept {
        return detail::locked(mutex(), [block] { return large().find(block); });
    }

    static void note_size(const void* block, std::size_t bytes) noexcept {
        if (bytes <= recent_blocks::largest) {
            sizes_.note(block, bytes, false);
        } else {
            sizes_.forget(block);
        }
    }

    [[nodiscard]] FREEHOLD_NOINLINE static bool deallocate_slowly(void* block, known_sizes::known known) noexcept {
        if (known.is_free) abort_with("a block is freed twice");
        const std::size_t bytes = known.bytes != 0 ? known.bytes : recorded(block);
        if (bytes == 0) return false;
        if (known.bytes == 0) slab_pool::remove_sampled(block);
        if constexpr (has_canaries) {
            if (large_end::read(block, bytes) == large_end::of_free) abort_with("a block is freed twice");
            large_end::write_freed(block, bytes);
        }
        const kept_errno kept;
        if (blocks_of_thread.is_fresh()) begin_thread();
        if (bytes <= recent_blocks::largest && blocks_of_thread.put(block, bytes)) {
            sizes_.note(block, bytes, true);
        } else {
            share(block, bytes);
        }
        return true;
    }

    FREEHOLD_COLD FREEHOLD_NOINLINE static void begin_thread() noexcept {
        detail::learn_heap_secret();
        blocks_of_thread.begin(0);  // the system may allocate
        if (thread_end<end_thread>::arm()) blocks_of_thread.begin(most_in_thread);
    }

    static void end_thread() noexcept {
        blocks_of_thread.take_all(give_back);
        blocks_of_thread.begin(0);
    }

    // One thread may allocate what another frees. Several blocks of a size move at once: else each would need the lock.
    static constexpr int most_moved = 8;

    // Requires: the mutex is locked.
    [[nodiscard]] static void* take_shared(std::size_t bytes) noexcept {
        void* const taken = blocks_of_threads_.take(bytes);
        if (taken == nullptr) return nullptr;
        shared_in_ = pages_.second();
        sizes_.note(taken, bytes, false);
        move_some(blocks_of_threads_, blocks_of_thread, bytes);
        return taken;
    }

    // Effects: leaves the block, for which the thread has no room, to the others; or gives it back to the pages.
    FREEHOLD_NOINLINE static void share(void* block, std::size_t bytes) noexcept {
        upstream upstream;
        if (bytes > recent_blocks::largest || !blocks_of_threads_.put(block, bytes)) {
            return forget(upstream, block, bytes);
        }
        sizes_.note(block, bytes, true);
        shares_.store(true, std::memory_order_relaxed);
        move_some(blocks_of_thread, blocks_of_threads_, bytes);
    }

    // Effects: gives the blocks for all threads back to the pages if none was taken within the last `seconds`.
    static void put_shared(std::uint64_t seconds) noexcept {
        upstream upstream;
        if (coarse_seconds() - shared_in_ < seconds) return;
        shares_.store(false, std::memory_order_relaxed);
        blocks_of_threads_.take_all([&](void* block) { forget(upstream, block, large().find(block)); });
    }

    // Effects: moves most_moved - 1 blocks of the size, as far as there are any, and room for them.
    static void move_some(recent_blocks& from, recent_blocks& to, std::size_t bytes) noexcept {
        for (int i = 1; i < most_moved && to.has_room(bytes); ++i) {
            void* const moved = from.take(bytes);
            if (moved == nullptr) return;
            static_cast<void>(to.put(moved, bytes));
        }
    }

    // Effects: gives the block back to the pages.
    FREEHOLD_NOINLINE static void give_back(void* block) noexcept {
        upstream upstream;
        forget(upstream, block, large().find(block));
    }

    // Requires: the mutex is locked.
    template <class Upstream>
    static void forget(Upstream& upstream, void* block, std::size_t bytes) noexcept {
        sizes_.forget(block);
        counts_.add(block, -1);
        large().deallocate(block, bytes, upstream);
    }

    static void put(page_range freed) noexcept {
        give_back_from([=] { return pages_.put(freed); });
    }

    // Effects: gives the system what take() returns, while the mutex is locked. Returns: whether that is anything.
    template <class Take>
    FREEHOLD_COLD FREEHOLD_NOINLINE static bool give_back_from(Take take) noexcept {
        const page_range old = detail::locked(mutex(), take);
        process_pages::give_back(old);
        return old.bytes != 0;
    }

    static void set_bytes(void* block, std::size_t bytes) noexcept {
        note_size(block, bytes);
        const static_lock held(mutex());
        large().resize(block, bytes);
    }

    [[nodiscard]] static void* remap(void* block, std::size_t usable, std::size_t bytes) noexcept {
        const std::size_t after = room_for(bytes);
        const page_growth grown = grow_pages(block, usable, after);
        if (grown == page_growth::done) {
            set_bytes(block, after);
            note_end(block, bytes, after);
            count_resized(block, bytes);
            return block;
        }
        if (grown == page_growth::must_be_copied) return nullptr;
        void* const moved = allocate(bytes, 1).begin;
        if (moved == nullptr) return nullptr;
        // As many pages as there are: more would count twice against a limit of the process.
        const bool has_moved = move_pages(block, moved, usable);
        slab_pool::remove_sampled(has_moved ? block : moved);
        // If the system has failed, nobody knows whether the pages at the new address are still there: they are lost.
        void* const lost = has_moved ? block : moved;
        no_upstream upstream;
        const static_lock held(mutex());
        forget(upstream, lost, has_moved ? usable : after);
        if (has_moved) note_end(moved, bytes, after);
        return has_moved ? moved : nullptr;
    }

    static inline constinit process_pages pages_;
    static inline constinit large_block_counts counts_;
    static inline constinit known_sizes sizes_;
    // The mutex guards both.
    static inline constinit recent_blocks blocks_of_threads_{most_shared};
    static inline constinit std::uint64_t shared_in_ = 0;       // the second in which one was taken last
    static inline constinit std::atomic<bool> shares_ = false;  // whether there may be any
};

}  // namespace freehold::detail
