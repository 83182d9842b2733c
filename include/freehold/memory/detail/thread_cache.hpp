#pragma once
// The lists of small blocks that one thread holds, and their exchange with the depot.

#include <cstddef>

#include "../../core/static_tls.hpp"
#include "block_depot.hpp"
#include "free_block.hpp"

namespace freehold::detail {

struct cached_list {
    free_block* head;
    int room;  // blocks that may still be freed into the list: counted down, so that the sign tells that it is full
};

enum class cache_state : unsigned char {
    unused,  // no room, so that the first block that is freed opens the cache
    open,
    ended  // the thread's blocks were handed over; no room, so that whatever is freed now goes to the depot at once
};

// Trivially destructible, so that it can be used until the last instruction of its thread, and constant-initialised,
// so that a use is an address computation with no check.
struct block_cache {
    cached_list lists[block_classes];
    cache_state state;
};

FREEHOLD_STATIC_TLS inline constinit thread_local block_cache thread_cache{};

inline constexpr int capacity = 2 * batch_length;

// Effects: gives the first `length` blocks of the list to the depot. Requires: it has at least as many, and length > 0.
inline void hand_over(std::size_t block_class, int length) noexcept {
    cached_list& list = thread_cache.lists[block_class];
    free_block* const batch = list.head;
    free_block* last = batch;
    for (int i = 1; i < length; ++i) last = link_of(last).next;
    list.head = link_of(last).next;
    list.room += length;
    make_free(last, block_class, nullptr);
    depot.give(block_class, batch, link_of(batch).next);
}

// Hands the thread's blocks over at its end.
struct cache_owner {
    cache_owner() noexcept {
        for (cached_list& list : thread_cache.lists) list.room += capacity;
        thread_cache.state = cache_state::open;
    }

    cache_owner(const cache_owner&) = delete;
    cache_owner& operator=(const cache_owner&) = delete;

    ~cache_owner() {
        thread_cache.state = cache_state::ended;
        for (std::size_t block_class = 0; block_class < block_classes; ++block_class) {
            cached_list& list = thread_cache.lists[block_class];
            while (list.room < capacity) {
                const int length = capacity - list.room;
                hand_over(block_class, length < batch_length ? length : batch_length);
            }
            list.room = 0;
        }
    }
};

// Effects: arranges that the thread's blocks are handed over at its end, once.
inline void open_cache() noexcept {
    if (thread_cache.state == cache_state::unused) static thread_local cache_owner owner;
}

// Effects: fills the empty list of the class. Returns: its first block, or a null pointer if there is no memory.
[[gnu::noinline]] inline free_block* refill(std::size_t block_class) noexcept {
    open_cache();
    cached_list& list = thread_cache.lists[block_class];
    list.head = depot.take(block_class);
    for (const free_block* block = list.head; block != nullptr; block = link_of(block).next) --list.room;
    // A thread that has ended must not hoard: it keeps the one block that is asked for.
    if (thread_cache.state == cache_state::ended && list.room < -1) {
        free_block* const wanted = list.head;
        list.head = link_of(wanted).next;
        ++list.room;
        hand_over(block_class, -list.room);
        list.head = make_free(wanted, block_class, nullptr);
        --list.room;
    }
    return list.head;
}

// Effects: makes room in the full list of the class, or opens the cache of a new thread.
[[gnu::noinline]] inline void trim(std::size_t block_class) noexcept {
    open_cache();
    const cached_list& list = thread_cache.lists[block_class];
    if (list.room < 0) hand_over(block_class, thread_cache.state == cache_state::ended ? -list.room : batch_length);
}

}  // namespace freehold::detail
