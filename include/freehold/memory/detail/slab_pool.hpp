#pragma once
// slab_pool: the heaps and slabs of one pool for many threads, and its slow paths.
//
// The owner of the pool has the fast paths: they find the thread's heap, pop its blocks, and push blocks that belong to
// it. The slow paths work for any block in any thread. Upstream has `allocate(bytes, alignment)`, which throws or
// returns null if it has no memory, and may use the pool in turn. No mutex is held while it is called.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "../../core/exceptions.hpp"
#include "../../core/memcheck.hpp"
#include "../../core/unique_id.hpp"
#include "block_lists.hpp"
#include "remote_frees.hpp"
#include "slab_cache.hpp"
#include "static_mutex.hpp"
#include "thread_heap.hpp"
#include "thread_heaps.hpp"
#include "watched_blocks.hpp"

namespace freehold::detail {

class slab_pool {
public:
    // The mutex belongs to the module that makes the pool; other modules find it here.
    constexpr slab_pool(std::uint64_t id, static_mutex& mutex, const slab_cache& cache) noexcept
        : id_(id), mutex_(mutex), cache_(cache) {}

    // relaxed: a thread only compares it with the ids in its own table
    [[nodiscard]] std::uint64_t id() const noexcept { return id_.load(std::memory_order_relaxed); }

    [[nodiscard]] static_mutex& mutex() const noexcept { return mutex_; }

    // Returns: the size of the largest request to the upstream.
    [[nodiscard]] std::size_t largest_chunk() const noexcept { return cache_.largest(); }

    // Returns: a block of the class for `bytes` bytes, or null if the upstream returns null or there is no memory for
    // the thread's record. `is_page_cache`: whether the upstream's memory is pages of the system.
    // Throws: what the upstream throws; then nothing has changed.
    template <class Upstream>
    [[nodiscard, gnu::always_inline]] void* find(Upstream& upstream, std::size_t block_class, std::size_t bytes,
                                                 bool is_page_cache) {
        if (is_memcheck()) [[unlikely]]
            return find_watched(upstream, block_class, bytes, is_page_cache);
        if (!has_id()) return nullptr;
        heap_lease heap(id(), heaps_);
        if (!heap.is_possible()) return nullptr;
        while (heap.get() == nullptr) {
            void* const memory = upstream.allocate(sizeof(thread_heap), alignof(thread_heap));
            if (memory == nullptr) return nullptr;
            add_heap(memory);
            static_cast<void>(heap.try_again());
        }
        // The upstream may use this pool in turn, so no state is kept across a call of it.
        while (true) {
            if (void* const block = heap->find(block_class)) return block;
            heap->flush();
            if (heaps_.borrow(heap.get(), this_pool_thread.id, block_class)) continue;
            if (slab* const fresh = cache_.take(mutex())) {
                heap->open(fresh, block_class);
            } else if (!cache_.grow(mutex(), upstream)) {
                return nullptr;
            }
        }
    }

    // Effects: sends the block home, or keeps it if it belongs to the thread's heap. Out of line, so that callers are
    // short where the thread has a heap.
    template <class Upstream>
    [[gnu::noinline]] void send_home(Upstream& upstream, void* block) noexcept {
        if (is_memcheck()) [[unlikely]]
            return free_watched(block);
        slab* const origin = slab::of(block);
        heap_lease heap(id(), heaps_);
        if (heap.get() == nullptr && heap.is_possible()) {
            if (void* const memory = detail::try_allocate(upstream, sizeof(thread_heap), alignof(thread_heap))) {
                add_heap(memory);
                static_cast<void>(heap.try_again());
            }
        }
        if (heap.get() == nullptr) {
            block_batch* const alone = block_batch::write(block, {}, {});
            static_cast<thread_heap*>(origin->home)->inbox().put(alone, alone);
        } else if (heap.get() == origin->home) {
            heap->push(block, origin->block_class);
        } else {
            heap->free_remote(block, origin);
        }
    }

    // Effects: sends home the blocks of other threads that the calling thread has freed.
    void flush() noexcept {
        if (thread_heap* const heap = heaps_.held_by(this_pool_thread.id)) heap->flush();
    }

    // Effects: gives all memory back to the upstream; the pool gets a new id. Requires: no other thread uses the pool
    // meanwhile; threads may end.
    template <class Upstream>
    void release(Upstream& upstream) noexcept {
        leave_threads(heaps_);
        id_.store(no_resource_id, std::memory_order_relaxed);  // so that no thread finds its old heap
        thread_heap* heap = heaps_.take_all();
        while (heap != nullptr) {
            thread_heap* const next = heap->next_in_resource;
            upstream.deallocate(heap, sizeof(*heap), alignof(thread_heap));
            heap = next;
        }
        watched_blocks::destroy(std::exchange(watched_, nullptr));
        cache_.release(upstream);
    }

private:
    // Effects: gives the pool an id if it has none. Returns: false if the address space is exhausted.
    [[nodiscard]] bool has_id() noexcept {
        std::uint64_t seen = id();
        if (seen != no_resource_id) return true;
        const std::uint64_t fresh = unique_id();
        if (fresh == 0) return false;
        // relaxed: as id(). If another thread was first, its id is used.
        static_cast<void>(id_.compare_exchange_strong(seen, fresh, std::memory_order_relaxed));
        return true;
    }

    // Under memcheck no thread has a heap, so that every call takes these slow paths. The pool's mutex guards the
    // watched blocks.

    template <class Upstream>
    [[nodiscard, gnu::always_inline]] void* find_watched(Upstream& upstream, std::size_t block_class, std::size_t bytes,
                                                         bool is_page_cache) {
        while (true) {
            if (void* const block = take_watched(block_class, false)) {
                watched_->allocate(block, bytes);
                return block;
            }
            if (watched_ == nullptr) return nullptr;
            if (slab* const fresh = cache_.take(mutex())) {
                open_watched(fresh, block_class, is_page_cache);
            } else if (!cache_.grow(mutex(), upstream)) {
                void* const block = take_watched(block_class, true);
                if (block != nullptr) watched_->allocate(block, bytes);
                return block;
            }
        }
    }

    [[nodiscard, gnu::cold]] void* take_watched(std::size_t block_class, bool is_urgent) noexcept {
        const std::size_t bytes = slab_class::bytes_of(block_class);
        const static_lock held(mutex());
        if (watched_ == nullptr) watched_ = watched_blocks::make();
        if (watched_ == nullptr) return nullptr;
        return is_urgent ? watched_->take_freed(block_class, bytes) : watched_->take(block_class, bytes);
    }

    [[gnu::cold]] void open_watched(slab* fresh, std::size_t block_class, bool is_one) noexcept {
        const static_lock held(mutex());
        if (cache_.is_first_of_chunk(fresh)) {
            const auto bytes = static_cast<std::size_t>(fresh->chunk.end - fresh->memory());
            watched_->carve(fresh, bytes, sizeof(slab), is_one);
        } else {
            tell_allocated(fresh, sizeof(slab));
        }
        fresh->open(nullptr, block_class);  // so that every free takes the slow path
        watched_->open(block_class, fresh->block_bytes(), fresh->begin(), fresh->end());
    }

    [[gnu::always_inline]] void free_watched(void* block) noexcept {
        const std::size_t block_class = slab::of(block)->block_class;
        const static_lock held(mutex());
        watched_->free(block, block_class, slab_class::bytes_of(block_class));
    }

    // Effects: makes an abandoned heap in the memory.
    [[gnu::cold]] void add_heap(void* memory) noexcept { heaps_.add(::new (memory) thread_heap(thread_heap::nobody)); }

    std::atomic<std::uint64_t> id_;
    static_mutex& mutex_;
    heap_list<thread_heap> heaps_;
    slab_cache cache_;
    watched_blocks* watched_ = nullptr;  // null except under memcheck
};

static_assert(slab_class::count <= watched_blocks::max_classes);

}  // namespace freehold::detail
