#pragma once
// Which calls are recorded: all, or those of blocks that are chosen.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "hooks.hpp"

namespace recorder {

inline bool is_sampled() { return __builtin_expect(sampled.load(std::memory_order_relaxed) != nullptr, 0); }

// Whether one of the bytes of a block is chosen.
inline bool is_chosen(thread_memory& me, std::size_t size) {
    const std::uint64_t mean = shared->sampled_bytes;
    if (me.unsampled == 0) {  // its first
        me.sampling.seed(now() ^ reinterpret_cast<std::uint64_t>(&me));
        me.unsampled = me.sampling.next(mean);
    }
    if (is_passed_over(size)) return pass_over(size), false;
    me.unsampled = me.sampling.next(mean);
    return true;
}

// Chooses a block, or not. One that there is no room for is lost.
[[gnu::noinline]] inline bool choose(thread_memory& me, const void* block, std::size_t size) {
    if (!is_chosen(me, size)) return false;
    if (process->sampled.insert(block)) return true;
    shared->lost.fetch_add(1, std::memory_order_relaxed);
    return false;
}

inline bool is_recorded(thread_memory& me, const void* block, std::size_t size) {
    return !is_sampled() || choose(me, block, size);
}

// Returns whether a block was recorded.
inline bool was_recorded(const void* block) { return !is_sampled() || process->sampled.remove(block); }

// Records a block that malloc, or an operator new by it, has made.
inline void tell(kind what, const void* block, std::size_t size, std::size_t alignment, std::uint64_t frame) {
    thread_memory& me = current;
    if (is_made(me.called_by)) {
        what = static_cast<kind>(me.called_by);
        frame = me.frame;
        me.called_by = 0;
    }
    if (block == nullptr) return;
    if (const recording on; on && is_recorded(me, block, size))
        write_allocation(me, what, block, size, site_of(me, frame), alignment);
}

inline void tell_free(const void* block) {
    thread_memory& me = current;
    kind what = freed;
    if (is_free(me.called_by)) what = static_cast<kind>(std::exchange(me.called_by, 0));
    if (const recording on; on && was_recorded(block)) write_free(me, what, block);
}

}
