#pragma once
// typed_pool: in a hardened program, the memory of the objects of one type that make_shared makes. It never serves
// another type: a pointer to a destroyed object points to another object of its type at most.
//
// Empty pages go back to the system, but their addresses stay the type's. Guarded pages serve any type, and no block
// here.
//
// Thread safety: any thread may call any function. Exceptions: allocate throws std::bad_alloc. Cost: a warm call is
// that of small_block_pool. A type takes 256 KiB of addresses at a time, of which 8 KiB are touched at first, and 64
// KiB for each thread at the same time, of which 8 KiB are touched. Objects of more than 8 KiB come from operator new.

#ifdef FREEHOLD_HARDENED  // elsewhere make_shared would bring the slow paths of the pool

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include "../../core/config.hpp"
#include "../../core/exceptions.hpp"
#include "../../core/memcheck.hpp"
#include "../../core/platform/pages.hpp"
#include "../../core/platform/thread_local.hpp"
#include "../small_block_allocator.hpp"
#include "end_of_use.hpp"
#include "pages.hpp"
#include "pool_thread.hpp"
#include "slab_cache.hpp"
#include "slab_pool.hpp"
#include "static_mutex.hpp"
#include "thread_heap.hpp"

namespace freehold::inline v0_2::detail {

// Keeps the calling module loaded until the calling thread ends: the thread's heaps of its types are the module's.
struct FREEHOLD_HIDDEN kept_module{
    ~kept_module(){}  // NOLINT(modernize-use-equals-default): what the system counts are thread_local destructors

    static void keep() noexcept {static thread_local kept_module kept;
FREEHOLD_PRETEND_USE(&kept);
}  // namespace freehold::detail
}
;

class typed_pool {
public:
    constexpr typed_pool() noexcept
        : pool_(no_resource_id, mutex_of_all(), slab_cache(slab_bytes, slab_bytes, slab_cache::usually_kept)) {}

    // Returns: a block when the list of `mine` is empty; null without memory. Requires: bytes <= slab_class::largest.
    [[nodiscard]] FREEHOLD_COLD FREEHOLD_NOINLINE void* find(typed_heap& mine, std::size_t bytes) noexcept {
        const std::size_t block_class = slab_class::of(bytes);
        if (mine.heap != &no_blocks) {
            auto* const heap = static_cast<thread_heap*>(mine.heap);
            if (void* const block = pool_.find_in(upstream_, *heap, block_class)) return block;
        }
        survive_fork();
        void* const block = pool_.find(upstream_, block_class, bytes, true, true);
        if (mine.heap == &no_blocks) {
            // Not where the thread has ended.
            if (thread_heap* const heap = pool_.heap_in_table()) this_pool_thread.typed.remember(mine, heap);
        }
        return block;
    }

    // Requires: find() or the list of a heap returned the block, for as many bytes, and it was not freed since.
    void deallocate(const typed_heap& mine, void* block, std::size_t bytes) noexcept {
        if (!detail::end_use<slab_class>(block)) return;
        slab* const origin = slab::of(block);
        FREEHOLD_HEAP_EXPECTS(origin->block_class == slab_class::of(bytes),
                              "a block is freed with another size than it was allocated with, or comes from elsewhere");
        if (origin->is_current_of(mine.heap)) [[likely]]
            return mine.heap->push(block, origin->block_class);
        if (origin->home != mine.heap || origin->push(block)) [[unlikely]]
            free_slowly(mine, block, origin);
    }

private:
    [[nodiscard]] static constexpr static_mutex& mutex_of_all() noexcept { return pool_mutexes[2]; }

    // Its memory comes from pages of the system, and does not go back: its addresses wait for the next request.
    class upstream {
    public:
        [[nodiscard]] void* allocate(std::size_t bytes, std::size_t /*alignment*/) noexcept {
            {
                const static_lock held(mutex_of_all());
                for (range** place = &kept_; *place != nullptr; place = &(*place)->next) {
                    if ((*place)->bytes != bytes) continue;
                    range* const found = *place;
                    *place = found->next;
                    return found;
                }
            }
            return map_pages(round_up(bytes, slab_bytes), slab_bytes);
        }

        void deallocate(void* memory, std::size_t bytes, std::size_t /*alignment*/) noexcept {
            if (!is_memcheck()) discard_pages(memory, bytes);
            auto* const added = ::new (memory) range{nullptr, bytes};
            const static_lock held(mutex_of_all());
            added->next = kept_;
            kept_ = added;
        }

    private:
        struct range {
            range* next;
            std::size_t bytes;
        };

        range* kept_ = nullptr;
    };

    // Effects: goes on where deallocate() has stopped: the block is another heap's, or the last one in use of the slab.
    FREEHOLD_COLD FREEHOLD_NOINLINE void free_slowly(const typed_heap& mine, void* block, slab* origin) noexcept {
        if (origin->home == mine.heap) return pool_.finish_free(upstream_, origin);
        if (mine.heap != &no_blocks) {
            return pool_.free_remote(upstream_, *static_cast<thread_heap*>(mine.heap), block, origin);
        }
        survive_fork();
        pool_.send_home(upstream_, block);
    }

    slab_pool pool_;
    upstream upstream_;
};

template <class T>
inline constinit typed_pool pool_of_type;

template <class T>
inline constinit thread_local typed_heap heap_of_type;

// The typed pool of Type as a standard allocator, also of what contains a Type.
template <class T, class Type = T>
class typed_allocator {
public:
    using value_type = T;
    using is_always_equal = std::true_type;
    using propagate_on_container_move_assignment = std::true_type;

    constexpr typed_allocator() noexcept = default;

    template <class U>
    constexpr typed_allocator(const typed_allocator<U, Type>&) noexcept {}

    [[nodiscard]] T* allocate(std::size_t n) {
        if (n > SIZE_MAX / sizeof(T)) raise<std::bad_array_new_length>();
        if (!is_pooled(n)) return small_block_allocator<T>().allocate(n);
        void* const block = try_allocate_pooled(n);
        if (block == nullptr) raise<std::bad_alloc>();
        return static_cast<T*>(block);
    }

    // Returns: memory for one object, or null.
    [[nodiscard]] T* try_allocate() noexcept {
        if (!is_pooled(1)) return small_block_allocator<T>().try_allocate();
        return static_cast<T*>(try_allocate_pooled(1));
    }

    FREEHOLD_PER_THREAD void deallocate(T* memory, std::size_t n) noexcept {
        if (!is_pooled(n)) return small_block_allocator<T>().deallocate(memory, n);
        if (heap_of_type<Type>.heap == &no_blocks) [[unlikely]]
            kept_module::keep();
        pool_of_type<Type>.deallocate(heap_of_type<Type>, memory, padded(n));
    }

private:
    FREEHOLD_PER_THREAD [[nodiscard]] static void* try_allocate_pooled(std::size_t n) noexcept {
        void* block = heap_of_type<Type>.heap->pop(slab_class::of(padded(n)));
        if (block == nullptr) block = find(padded(n));
        if (block != nullptr) detail::begin_use<slab_class>(block, n * sizeof(T));
        return block;
    }

    // Here and not in typed_pool, whose functions may be another module's.
    [[nodiscard]] FREEHOLD_COLD FREEHOLD_NOINLINE static void* find(std::size_t bytes) noexcept {
        kept_module::keep();
        return pool_of_type<Type>.find(heap_of_type<Type>, bytes);
    }

    // A size that is a multiple of an alignment has a class with that alignment.
    [[nodiscard]] static constexpr std::size_t padded(std::size_t n) noexcept {
        const std::size_t bytes = with_canary(n * sizeof(T));
        return alignof(T) <= slab_class::granularity ? bytes : round_up(bytes, alignof(T));
    }

    [[nodiscard]] static constexpr bool is_pooled(std::size_t n) noexcept {
        return n <= slab_class::largest / sizeof(T) && padded(n) <= slab_class::largest;
    }
};

template <class T, class U, class Type>
[[nodiscard]] constexpr bool operator==(typed_allocator<T, Type>, typed_allocator<U, Type>) noexcept {
    return true;
}

}  // namespace freehold::detail

#endif
