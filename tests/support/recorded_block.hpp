#pragma once
// A block that is never really freed, and what has happened to it and to its object: so a fault is seen, not suffered.
// The end of the object is a write to it, and the end of the block to all that is in it: what races with them fails.

#include <gtest/gtest.h>

#include <cstddef>
#include <source_location>

#include "checked_atomic.hpp"

namespace support {

struct history {
    int ended = 0;
    int freed = 0;
    alignas(16) unsigned char block[64] = {};
};

// A deleter that writes down the end of the object.
struct record_end {
    void operator()(int* object) const {
        ++past->ended;
        EXPECT_EQ(past->freed, 0);
        wrote(object);
    }
    history* past;
};

// Allocates the block of its history.
template <class T>
struct recording_allocator {
    using value_type = T;

    explicit recording_allocator(history& target) : past(&target) {}

    template <class U>
    recording_allocator(const recording_allocator<U>& other) : past(other.past) {}

    T* allocate(std::size_t) {
        static_assert(sizeof(T) <= sizeof(history::block));
        return reinterpret_cast<T*>(past->block);
    }

    void deallocate(T*, std::size_t) {
        ++past->freed;
        EXPECT_EQ(past->ended, 1);
        if (execution* const run = execution::mine()) {
            run->end_lifetime(past->block, sizeof(past->block), std::source_location::current());
        }
    }

    template <class U>
    friend bool operator==(const recording_allocator& a, const recording_allocator<U>& b) {
        return a.past == b.past;
    }

    history* past;
};

}  // namespace support
