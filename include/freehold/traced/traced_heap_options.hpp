#pragma once
// How a traced heap is set up, and what it tells of its collections.

#include <chrono>
#include <cstddef>
#include <functional>

namespace freehold {

// What a collection did.
struct traced_collection {
    bool is_full;  // or young
    std::chrono::steady_clock::time_point started;
    std::chrono::nanoseconds pause;  // without the finalizers
    std::size_t surviving_objects;   // that this collection found: in a young one, the young
    std::size_t surviving_bytes;
    std::size_t live_bytes;  // of all objects that are left
    std::size_t heap_bytes;  // of chunks
};

struct traced_heap_options {
    // A young collection comes after so many bytes of allocation. Of fewer bytes more survive, and what exceeds the
    // processor's caches is slow to write.
    std::size_t nursery_bytes = std::size_t{4} * 1024 * 1024;

    // Where nearly all young objects survive, looking for the others is hardly worth it: then the next collection comes
    // after more bytes, up to so many. It takes longer for that.
    std::size_t max_nursery_bytes = std::size_t{32} * 1024 * 1024;

    // A collection is a full one when live objects are so many times as large as after the last full one, and at least
    // this large.
    double growth = 2;
    std::size_t min_full_bytes = std::size_t{8} * 1024 * 1024;

    // An object is also kept alive by what looks like an address in it on the stack of the thread or in a register. So
    // variables may be raw pointers and traced_views. What is dead may live longer for a number that looks like its
    // address. Stacks of coroutines and fibres are not looked at.
    bool conservative_stack = false;

    // For tests: there is a full collection before every allocation, so that a root that was forgotten shows.
    bool collect_at_every_allocation = false;

    // Is called at the end of each collection. It must not use the heap, nor throw.
    std::function<void(const traced_collection&)> observer = nullptr;
};

}  // namespace freehold
