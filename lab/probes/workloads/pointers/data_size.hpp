#pragma once
// data size: what a handle takes, and what the heap gives for an object and its count.

#include <malloc.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

#include "harness/harness.hpp"
#include "harness/resident_memory.hpp"
#include "pointer_strategy.hpp"

namespace lab::sizes {

template <std::size_t Bytes>
struct plain {
    std::byte content[Bytes];
};

template <class Strategy, std::size_t Bytes>
struct owned : Strategy::template base<owned<Strategy, Bytes>> {
    std::byte content[Bytes];
};

inline double heap_in_use() {
    const auto heap = mallinfo2();
    return static_cast<double>(heap.uordblks + heap.hblkhd);
}

// What pools take from the system without malloc is seen by its pages alone.
inline double pages_in_use() { return static_cast<double>(read_resident_memory().anonymous); }

// Makes enough objects that the chunks of a pool do not show. Returns the heap's bytes for each of them.
template <class Handle>
double heap_for_each(std::vector<Handle>& handles, Handle (*make)()) {
    constexpr int objects = 100'000;
    handles.reserve(objects);
    std::memset(static_cast<void*>(handles.data()), 0, objects * sizeof(Handle));  // or its pages would be counted
    const double pages_before = pages_in_use();
    const double heap_before = heap_in_use();
    for (int i = 0; i < objects; ++i) {
        handles.push_back(make());
    }
    const double by_heap = (heap_in_use() - heap_before) / objects;
    const double by_pages = (pages_in_use() - pages_before) / objects;
    // Malloc's own figure is the exact one, where there is nothing else: pages are touched for other reasons, too.
    constexpr double other_reasons = 4;
    return by_pages > by_heap + other_reasons ? std::round(by_pages) : by_heap;
}

// Objects of one size. They stay alive as long as this, so that nothing is measured in memory that was freed before.
template <class Strategy, std::size_t Bytes>
class population {
    using object = owned<Strategy, Bytes>;
    using raw = plain<Bytes>*;
    using handle = typename Strategy::template pointer<object>;

public:
    population() {
        plain_bytes = heap_for_each<raw>(raws_, [] { return new plain<Bytes>; });
        owned_bytes = heap_for_each<handle>(handles_, [] { return make_owner<Strategy, object>(); });
    }

    ~population() {
        for (const raw object : raws_) {
            delete object;
        }
        for (handle& last : handles_) {
            Strategy::release(last);
        }
    }

    double plain_bytes;
    double owned_bytes;

private:
    std::vector<raw> raws_;
    std::vector<handle> handles_;
};

// The mean of two sizes of object, because malloc rounds to 16 bytes: what one wastes, the other uses.
template <class Strategy>
data_size measure() {
    const population<Strategy, 24> smaller;
    const population<Strategy, 32> larger;
    const double plain_bytes = (smaller.plain_bytes + larger.plain_bytes) / 2;
    const double owned_bytes = (smaller.owned_bytes + larger.owned_bytes) / 2;
    const auto handle = sizeof(typename Strategy::template pointer<owned<Strategy, 24>>);
    return {static_cast<int>(handle), owned_bytes - plain_bytes, handle + owned_bytes};
}

}  // namespace lab::sizes
