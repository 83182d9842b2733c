#pragma once
// slab_pool: the heaps and slabs of one pool for many threads, and its slow paths. The order of calls:
//
//   allocate     process_heap.hpp, concurrent_pool_resource.hpp    pop a block of the thread's heap
//     find       pool_thread.hpp     leases the thread's heap, which may be an abandoned one
//                slab_heap.hpp       makes an available or empty slab current,
//                thread_heap.hpp     receives what other threads have freed,
//                slab_cache.hpp      or takes a spare slab, or a chunk from the upstream
//     find_counted   sample_countdown.hpp    one block in 512 KiB comes from a heap that no thread holds
//   deallocate   process_heap.hpp, concurrent_pool_resource.hpp    push a block whose slab is current
//     finish_free    slab_heap.hpp       lists a slab as available or empty, when slab.hpp has counted its frees down;
//                                        an empty one becomes spare
//     free_remote    remote_frees.hpp    collects blocks of other heaps, and sends each batch (block_batch.hpp) to the
//                                        inbox of its heap
//
// The callers inline the fast paths; what is here works for any block in any thread. Upstream has `allocate(bytes,
// alignment)`, which throws or returns null if it has no memory, and `deallocate(memory, bytes, alignment)`; it may use
// the pool in turn. No mutex is held while it is called. One that keeps freed pages has a member `has_slabs`: it is
// asked for single slabs.

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "../../core/block_arithmetic.hpp"
#include "../../core/config.hpp"
#include "../../core/exceptions.hpp"
#include "../../core/memcheck.hpp"
#include "../../core/platform/pages.hpp"
#include "../../core/platform/sleep.hpp"
#include "../pool_statistics.hpp"
#include "block_batch.hpp"
#include "heap_samples.hpp"
#include "pool_thread.hpp"
#include "resource_id.hpp"
#include "slab.hpp"
#include "slab_cache.hpp"
#include "slab_walk.hpp"
#include "static_mutex.hpp"
#include "thread_heap.hpp"
#include "watched_blocks.hpp"

namespace freehold::inline v0_2::detail {

class slab_pool {
public:
    // The mutex belongs to the module that makes the pool; other modules find it here.
    constexpr slab_pool(std::uint64_t id, static_mutex& mutex, const slab_cache& cache) noexcept
        : id_(id), mutex_(mutex), cache_(cache) {}

    // Returns: the heap of the calling thread if its table has it, or null.
    [[nodiscard]] thread_heap* heap_in_table() const noexcept { return detail::heap_in_table(id()); }

    [[nodiscard]] static_mutex& mutex() const noexcept { return mutex_; }

    // Returns: the size of the largest request to the upstream.
    [[nodiscard]] std::size_t largest_chunk() const noexcept { return cache_.largest(); }

    // Returns: a block of the class for `bytes` bytes, or null if the upstream returns null or there is no memory for
    // the thread's record. `upstream_is_pages`: whether the upstream's memory is pages of the system. `is_counted`:
    // whether find_counted() has found nothing.
    // Throws: what the upstream throws; then nothing has changed.
    template <class Upstream>
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE void* find(Upstream& upstream, std::size_t block_class, std::size_t bytes,
                                                    bool upstream_is_pages, bool is_counted) {
        if (is_memcheck()) [[unlikely]]
            return find_watched(upstream, block_class, bytes, upstream_is_pages);
        learn_heap_secret();
        if (!id_.take()) return nullptr;
        heap_lease heap(id(), heaps_, mutex());
        if (!heap.is_possible()) return nullptr;
        while (heap.get() == nullptr) {
            void* const memory = upstream.allocate(sizeof(thread_heap), alignof(thread_heap));
            if (memory == nullptr) return nullptr;
            add_heap(memory, heap);
        }
        if (!is_counted) {
            if (void* const block = find_counted(upstream, *heap.get(), block_class, bytes)) return block;
        }
        // The upstream may use this pool in turn, so no state is kept across a call of it.
        while (true) {
            if (void* const block = find_in(upstream, *heap.get(), block_class)) return block;
            heap->flush();
            discard_unneeded(upstream);
            if (is_served_by_others(upstream, *heap.get(), block_class)) continue;
            // Before the pool grows, the slabs are looked through that the heap used last.
            if (heap.get()->is_worth_sorting() && reclaim(upstream, *heap.get())) continue;
            if (!grow(upstream, heap.get())) return nullptr;
        }
    }

    // Returns: a block of the class from the heap, which the calling thread holds, or null.
    template <class Upstream>
    [[nodiscard]] void* find_in(Upstream& upstream, thread_heap& heap, std::size_t block_class) noexcept {
        void* const block = heap.find(block_class);
        if (heap.has_empty()) [[unlikely]]
            give_back(upstream, heap);
        return block;
    }

    // Effects: counts an allocation of the thread that holds the heap, after pop() has returned null. Returns: a block,
    // which is a sampled one if that is due; or null if the heap has none.
    template <class Upstream>
    [[nodiscard]] void* find_counted(Upstream& upstream, thread_heap& heap, std::size_t block_class,
                                     std::size_t bytes) noexcept {
        if (heap.is_sample_due(bytes, heap_samples::of_module() != nullptr)) [[unlikely]] {
            if (void* const block = find_sampled(upstream, block_class, bytes)) return block;
        }
        return find_in(upstream, heap, block_class);
    }

    // Effects: the block, which is in no slab and is sampled, counts as allocated here.
    void add_sampled(const void* block, std::size_t bytes) noexcept {
        if (heap_samples* const samples = heap_samples::of_module()) {
            if (sample_sums* const site = samples->find_site()) samples->add(block, bytes, this, *site);
        }
    }

    // Effects: counts an allocation of a block that is in no slab.
    FREEHOLD_NOINLINE void count_large(const void* block, std::size_t bytes) noexcept {
        const bool has_profile = heap_samples::of_module() != nullptr;
        if (block != nullptr && large_until_sample.is_due(bytes, has_profile)) add_sampled(block, bytes);
    }

    // Effects: the block, which is in no slab, counts as freed if it is sampled.
    static void remove_sampled(const void* block) noexcept {
        if (heap_samples* const samples = heap_samples::of_module()) samples->remove(block);
    }

    // Effects: sends the block home, or keeps it if it belongs to the thread's heap. Out of line: it is rare.
    template <class Upstream>
    FREEHOLD_NOINLINE void send_home(Upstream& upstream, void* block) noexcept {
        if (is_memcheck()) [[unlikely]]
            return free_watched(block);
        learn_heap_secret();
        slab* const origin = slab::of(block);
        origin->expect_genuine();
        heap_lease heap(id(), heaps_, mutex());
        if (heap.get() == nullptr && heap.is_possible()) {
            void* const memory = detail::try_allocate(upstream, sizeof(thread_heap), alignof(thread_heap));
            if (memory != nullptr) add_heap(memory, heap);
        }
        if (heap.get() == nullptr) {
            auto* const home = static_cast<thread_heap*>(origin->home);
            if (origin->is_sampled != 0) home->end_sampled(block);
            block_batch* const alone = block_batch::write(block, {}, {}, 1);
            home->inbox().put(alone, alone);
        } else if (heap.get() == origin->home) {
            if (heap->push_any(block, origin)) finish_free(upstream, origin);
        } else {
            free_remote(upstream, *heap.get(), block, origin);
        }
    }

    // Effects: sends the block of another heap's slab home eventually. Once for all that are sent, one of the heaps
    // that are abandoned takes in what has come back: nobody else may need it, and then its slabs would never be empty.
    template <class Upstream>
    void free_remote(Upstream& upstream, thread_heap& mine, void* block, slab* origin) noexcept {
        origin->expect_genuine();
        if (!mine.free_remote(block, origin)) [[likely]]
            return;
        if (thread_heap* const other = heaps_.has_abandoned() ? adopt() : nullptr) {
            reclaim(upstream, *other);
            heaps_.abandon(other);
        }
    }

    // Effects: does what is due when slab::push() has returned true. Requires: the calling thread holds its heap.
    template <class Upstream>
    FREEHOLD_NOINLINE void finish_free(Upstream& upstream, slab* counted) noexcept {
        auto* const heap = static_cast<thread_heap*>(counted->home);
        heap->requeue(counted);
        give_back(upstream, *heap);
    }

    // Effects: the heap, which the calling thread holds, serves blocks in rounds from now on, or no longer.
    template <class Upstream>
    void take_in_rounds(Upstream& upstream, thread_heap& heap, bool are_rounds) noexcept {
        if (heap.is_in_rounds() == are_rounds) [[likely]]
            return;
        heap.take_in_rounds(are_rounds);
        if (are_rounds) reclaim(upstream, heap);
    }

    // Effects: a step towards giving back what the heap, which the calling thread holds, did not need for a second.
    template <class Upstream>
    FREEHOLD_COLD FREEHOLD_NOINLINE void discard_idle(Upstream& upstream, thread_heap& heap,
                                                      std::uint16_t second) noexcept {
        if constexpr (discards_pages<Upstream>) {
            heap.discard_idle(second, &Upstream::discard);
            give_back(upstream, heap);
        }
    }

    // Effects: sends home the blocks of other threads that the calling thread has freed.
    void flush() noexcept {
        if (thread_heap* const heap = heap_of_thread()) heap->flush();
    }

    // Effects: gives the upstream what neither the calling thread nor an ended one has in use.
    template <class Upstream>
    void trim(Upstream& upstream) noexcept {
        thread_heap* const mine = heap_of_thread();
        reclaim_all(upstream, mine);
        if constexpr (discards_pages<Upstream>) {
            visit_heaps(mine, [](thread_heap& heap) { heap.discard_pages(&Upstream::discard); });
        }
        slab_cache::give_all(upstream,
                             [this] { return detail::locked(mutex(), [this] { return cache_.take_idle(); }); });
        if constexpr (discards_slabs<Upstream>) {
            for (int ends = 0; ends != 2;) {  // of the chunks: it may begin in the middle
                slab* const warm = detail::locked(mutex(), [this] { return cache_.take_warm(SIZE_MAX); });
                discard_spare(upstream, warm);
                ends = warm != nullptr ? 0 : ends + 1;
            }
        }
    }

    // Effects: calls visit(block, bytes) for each block in use, and sorts the free ones into their slabs.
    // Requires: no other thread uses the pool meanwhile. Under memcheck nothing is visited.
    template <class Visit>
    void walk(Visit& visit) {
        if (is_memcheck()) return;
        sort_blocks();
        cache_.visit_taken([&](slab& each) { slab_walk<slab_class>(each).visit_blocks_in_use(visit); });
    }

    // Returns: where the memory is; the blocks in slabs are not counted. Complexity: linear in the slabs; a lock.
    [[nodiscard]] pool_statistics statistics() const noexcept {
        const static_lock held(mutex());
        pool_statistics found = totals();
        if (is_memcheck()) return found;
        cache_.visit_taken([&](const slab& each) {
            // relaxed: pairs with slab_heap::open(), where a heap may give the slab another class
            const std::uint16_t block_class = __atomic_load_n(&each.block_class, __ATOMIC_RELAXED);
            if (block_class != slab_cache::no_class) found.add_slab(slab_class::bytes_of(block_class), 0, 0);
        });
        return found;
    }

    // Effects: sorts the free blocks into their slabs. Returns: the same, and the blocks are counted, except under
    // memcheck. Requires: no other thread uses the pool meanwhile.
    [[nodiscard]] pool_statistics quiet_statistics() noexcept {
        if (is_memcheck()) return statistics();
        sort_blocks();
        pool_statistics found = totals();
        found.is_counted = true;
        cache_.visit_taken([&](const slab& each) { static_cast<const thread_heap*>(each.home)->tally(each, found); });
        return found;
    }

    // Effects: gives all memory back; the pool gets a new id. Requires: no other thread uses the pool; threads may end.
    template <class Upstream>
    void release(Upstream& upstream) noexcept {
        leave_threads(heaps_);
        if (heap_samples* const samples = heap_samples::of_module()) samples->remove_all_of(this);
        static_cast<void>(sampled_heaps_.take_all());
        id_.release();
        thread_heap* heap = heaps_.take_all();
        while (heap != nullptr) {
            thread_heap* const next = heap->next_in_resource;
            upstream.deallocate(heap, sizeof(*heap), alignof(thread_heap));
            heap = next;
        }
        watched_blocks::destroy(std::exchange(watched_, nullptr));
        slab_cache::give_all(upstream, [this] { return cache_.take_any(); });
    }

private:
    using states = block_states<slab_class::granularity>;

    // Whether memory of the upstream may be given back in pages of a slab.
    template <class Upstream>
    static constexpr bool discards_pages = page_granule == smallest_page && requires { &Upstream::discard; };

    // Whether slabs go back in chunks, and before that without their pages.
    template <class Upstream>
    static constexpr bool discards_slabs = !requires { Upstream::has_slabs; } && requires { &Upstream::discard; };

    // Requires: the mutex is locked, or no other thread uses the pool.
    [[nodiscard]] pool_statistics totals() const noexcept {
        pool_statistics found;
        found.mapped = cache_.bytes();
        found.spare = cache_.spare_bytes();
        return found;
    }

    // Effects: sorts all free blocks into their slabs. Requires: no other thread uses the pool meanwhile.
    void sort_blocks() noexcept {
        for (thread_heap* heap = heaps_.first(); heap != nullptr; heap = heap->next_in_resource) heap->put_all_aside();
        // What they have sent each other has arrived by now.
        for (thread_heap* heap = heaps_.first(); heap != nullptr; heap = heap->next_in_resource) heap->receive();
    }

    // Returns: the heap that the calling thread holds, or null.
    [[nodiscard]] thread_heap* heap_of_thread() noexcept {
        pool_thread& thread = this_pool_thread;
        return thread.registry == nullptr || thread.ended ? nullptr : find_in_thread(id(), thread);
    }

    [[nodiscard]] std::uint64_t id() const noexcept { return id_.get(); }

    [[nodiscard]] slab* take() noexcept {
        return detail::locked(mutex(), [this] { return cache_.take(); });
    }

    [[nodiscard]] thread_heap* adopt() noexcept { return adopt(heaps_); }

    // Out of line, as add_chunk(): it locks, and several functions call it. g++ inlines no more than a part of what a
    // file is long, and then leaves out fast paths.
    [[nodiscard]] FREEHOLD_NOINLINE thread_heap* adopt(heap_list<thread_heap>& list) const noexcept {
        return detail::locked(mutex(), [&list] { return list.adopt_in_turn(); });
    }

    // Returns: a sampled block for `bytes` bytes, or null if there is no profile or no memory. It is in a slab that no
    // thread's heap owns: so whoever frees it takes the slow path, which looks at the sample.
    template <class Upstream>
    [[nodiscard]] FREEHOLD_COLD FREEHOLD_NOINLINE void* find_sampled(Upstream& upstream, std::size_t block_class,
                                                                     std::size_t bytes) noexcept {
        heap_samples* const samples = heap_samples::of_module();
        sample_sums* const site = samples != nullptr ? samples->find_site() : nullptr;  // no lock is held here
        if (site == nullptr) return nullptr;
        thread_heap* heap = adopt(sampled_heaps_);
        if (heap == nullptr) {
            void* const memory = detail::try_allocate(upstream, sizeof(thread_heap), alignof(thread_heap));
            if (memory == nullptr) return nullptr;
            heap = ::new (memory) thread_heap(id(), heaps_);
            heap->samples = samples;
            heaps_.add(heap);
        }
        void* block = find_in(upstream, *heap, block_class);
        while (block == nullptr) {
            slab* const fresh = take();
            if (fresh != nullptr) {
                heap->open(fresh, block_class);
                block = find_in(upstream, *heap, block_class);
            } else if (!try_grow(upstream, next_chunk<Upstream>())) {
                break;
            }
        }
        sampled_heaps_.abandon(heap);
        if (block != nullptr) samples->add(block, bytes, this, *site);
        return block;
    }

    // Effects: serves the class of the heap with blocks of an abandoned heap, or with a spare slab. Of these heaps it
    // asks only some in one call, which bounds its time, and all in turn. Returns: whether there was one.
    template <class Upstream>
    [[nodiscard]] bool is_served_by_others(Upstream& upstream, thread_heap& heap, std::size_t block_class) noexcept {
        constexpr int most_asked = 8;
        for (int asked = 0; asked < most_asked; ++asked) {
            const bool has_others = heaps_.has_abandoned();
            if (has_others && borrow(upstream, heap, block_class)) return true;
            if (slab* const fresh = take()) {
                heap.open(fresh, block_class);
                return true;
            }
            if (!has_others) break;
        }
        return false;
    }

    // Effects: takes a chunk from the upstream; if it has none, what the abandoned heaps and the thread's, if any, do
    // not use, or a smaller chunk. Returns: whether there was any. Throws: what the upstream throws, without effects.
    template <class Upstream>
    [[nodiscard]] bool grow(Upstream& upstream, thread_heap* mine) {
        const std::size_t bytes = next_chunk<Upstream>();
        if (try_grow(upstream, bytes) || reclaim_all(upstream, mine)) return true;
        slab_cache::memory found = slab_cache::ask(upstream, bytes);
        // If there is no memory, the exception is the upstream's.
        if (found.begin == nullptr) found.begin = static_cast<std::byte*>(upstream.allocate(slab_bytes, slab_bytes));
        if (found.begin == nullptr) return false;
        add_chunk(upstream, found);
        return true;
    }

    // Returns: the size of the next request to the upstream.
    template <class Upstream>
    [[nodiscard]] std::size_t next_chunk() noexcept {
        if constexpr (!requires { Upstream::has_slabs; }) {
            if (!is_memcheck()) return detail::locked(mutex(), [this] { return cache_.next_bytes(); });
        }
        return slab_bytes;  // under memcheck a chunk is cut down to the header of its slab, which is the first
    }

    // Effects: takes a chunk from the upstream. Returns: whether it had one.
    template <class Upstream>
    [[nodiscard]] bool try_grow(Upstream& upstream, std::size_t bytes) noexcept {
        void* const memory = detail::try_allocate(upstream, bytes, slab_bytes);
        if (memory == nullptr) return false;
        add_chunk(upstream, {static_cast<std::byte*>(memory), bytes});
        return true;
    }

    template <class Upstream>
    FREEHOLD_NOINLINE void add_chunk(Upstream& upstream, slab_cache::memory found) noexcept {
        slab_cache::give(upstream, detail::locked(mutex(), [&] { return cache_.add(found); }));
    }

    // Effects: finds blocks of the class, or an empty slab for it, for the heap in one that was abandoned. The other
    // empty slabs of that become spare. Returns: whether there were any; if not, the upstream was not called.
    template <class Upstream>
    [[nodiscard]] bool borrow(Upstream& upstream, thread_heap& heap, std::size_t block_class) noexcept {
        thread_heap* const other = adopt();
        if (other == nullptr) return false;
        bool is_found = heap.take_from(*other, block_class);
        slab* const empty = is_found ? nullptr : other->pop_empty();
        if (empty != nullptr) {
            heap.open(empty, block_class);
            is_found = true;
        }
        give_back(upstream, *other);
        heaps_.abandon(other);
        return is_found;
    }

    // Effects: makes empty slabs of the thread's heap, if any, and of abandoned ones spare. Returns: whether any was.
    template <class Upstream>
    bool reclaim_all(Upstream& upstream, thread_heap* mine) noexcept {
        bool is_found = false;
        const auto reclaim_one = [&](thread_heap& heap) { is_found = reclaim(upstream, heap) || is_found; };
        visit_heaps(mine, reclaim_one);
        visit_heaps(mine, reclaim_one);  // what they have sent each other has arrived
        return is_found;
    }

    // Effects: calls visit(heap) for the thread's heap, if any, and for those that no thread holds. It holds one of
    // these at a time, so that a thread that begins meanwhile adopts another one, and adds none.
    template <class Visit>
    void visit_heaps(thread_heap* mine, Visit visit) noexcept {
        if (mine != nullptr) visit(*mine);
        visit_heaps(heaps_, visit);
        visit_heaps(sampled_heaps_, visit);
    }

    template <class Visit>
    void visit_heaps(heap_list<thread_heap>& list, Visit& visit) noexcept {
        std::size_t left = detail::locked(mutex(), [&list] { return list.begin_turn(); });
        for (; left != 0; --left) {
            thread_heap* const heap = adopt(list);
            if (heap == nullptr) return;
            visit(*heap);
            list.abandon(heap);
        }
    }

    // Effects: the same in this heap, which the caller holds.
    template <class Upstream>
    bool reclaim(Upstream& upstream, thread_heap& heap) noexcept {
        heap.receive();
        heap.put_all_aside();
        const bool is_found = heap.has_empty();
        give_back(upstream, heap);
        return is_found;
    }

    // Effects: makes the heap's empty slabs spare.
    template <class Upstream>
    FREEHOLD_NOINLINE void give_back(Upstream& upstream, thread_heap& heap) noexcept {
        while (slab* const empty = heap.pop_empty()) {
            slab_cache::give(upstream, detail::locked(mutex(), [&] { return cache_.give_back(empty); }));
            discard_unneeded(upstream);
        }
    }

    // Effects: where slabs go back in chunks, gives the system the pages of one that is spare and was not needed for a
    // second.
    template <class Upstream>
    FREEHOLD_COLD FREEHOLD_NOINLINE void discard_unneeded(Upstream& upstream) noexcept {
        if constexpr (discards_slabs<Upstream>) {
            const std::uint64_t second = coarse_seconds();
            discard_spare(upstream, detail::locked(mutex(), [=, this] { return cache_.take_unneeded(second); }));
        }
    }

    // Effects: the same for this slab, which was taken from the cache, if it is not null.
    template <class Upstream>
    FREEHOLD_COLD FREEHOLD_NOINLINE void discard_spare(Upstream& upstream, slab* spare) noexcept {
        if (spare == nullptr) return;
        slab* const first = spare->first_of_chunk;
        const std::size_t kept = spare == first ? page_granule : 0;  // with the record of the chunk
        Upstream::discard(spare->memory() + kept, slab_bytes - kept);
        slab_cache::give(upstream,
                         detail::locked(mutex(), [=, this] { return cache_.give_back(spare, first, false); }));
    }

    // Under memcheck no thread has a heap: every call comes here. The pool's mutex guards the watched blocks.

    template <class Upstream>
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE void* find_watched(Upstream& upstream, std::size_t block_class,
                                                            std::size_t bytes, bool upstream_is_pages) {
        void* block = take_watched(block_class, false);
        while (block == nullptr && watched_ != nullptr) {
            slab* const fresh = take();
            if (fresh != nullptr) open_watched(fresh, block_class, upstream_is_pages);
            const bool is_urgent = fresh == nullptr && !grow(upstream, nullptr);
            block = take_watched(block_class, is_urgent);
            if (is_urgent) break;
        }
        if (block != nullptr) watched_->allocate(block, bytes);
        return block;
    }

    [[nodiscard]] FREEHOLD_COLD void* take_watched(std::size_t block_class, bool is_urgent) noexcept {
        const std::size_t bytes = slab_class::bytes_of(block_class);
        const static_lock held(mutex());
        if (watched_ == nullptr) watched_ = watched_blocks::make();
        if (watched_ == nullptr) return nullptr;
        return is_urgent ? watched_->take_freed(block_class, bytes) : watched_->take(block_class, bytes);
    }

    FREEHOLD_COLD void open_watched(slab* fresh, std::size_t block_class, bool is_one) noexcept {
        const static_lock held(mutex());
        constexpr std::size_t header = is_hardened ? states::bytes : sizeof(slab);
        if (fresh->first_of_chunk == fresh) {
            watched_->carve(fresh, fresh->chunk.slabs * slab_bytes, header, is_one);
        }
        if constexpr (is_hardened) states::clear(fresh, sizeof(slab));
        // Without a home, so that every free takes the slow path.
        fresh->home = nullptr;
        fresh->set_current_in(nullptr);
        fresh->block_class = static_cast<std::uint16_t>(block_class);
        const std::size_t bytes = slab_class::bytes_of(block_class);
        const block_layout layout = layout_of_class<slab_class>(block_class);
        std::byte* const begin = fresh->memory() + layout.first;
        watched_->open(block_class, bytes, begin, begin + layout.count * bytes);
    }

    FREEHOLD_ALWAYS_INLINE void free_watched(void* block) noexcept {
        const std::size_t block_class = slab::of(block)->block_class;
        const static_lock held(mutex());
        watched_->free(block, block_class, slab_class::bytes_of(block_class));
    }

    // Effects: makes a heap in the memory, which any thread may adopt: this one, unless another is faster.
    FREEHOLD_COLD void add_heap(void* memory, heap_lease& mine) noexcept {
        auto* const added = ::new (memory) thread_heap(id(), heaps_);
        heaps_.add(added);
        heaps_.abandon(added);
        mine.try_again();
    }

    resource_id id_;
    static_mutex& mutex_;
    heap_list<thread_heap> heaps_;
    heap_list<thread_heap> sampled_heaps_;  // all of them are in heaps_ as well; a thread takes one for an allocation
    slab_cache cache_;
    watched_blocks* watched_ = nullptr;  // null except under memcheck
};

static_assert(slab_class::count <= watched_blocks::max_classes);
static_assert(slab_class::count - 1 <= pool_statistics::most_classes, "classes 0 and 1 have one size");

}  // namespace freehold::detail
