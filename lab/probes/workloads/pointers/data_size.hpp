#pragma once
// data size: what a handle takes, what the heap gives for an object and its count, and in how many blocks.

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

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

    void trace(auto&) const {}  // holds no pointers
};

inline double heap_in_use() {
    const auto heap = mallinfo2();
    return static_cast<double>(heap.uordblks + heap.hblkhd);
}

// What pools take from the system without malloc is seen by its pages alone.
inline double pages_in_use() { return static_cast<double>(read_resident_memory().anonymous); }

constexpr int objects = 100'000;  // enough that the chunks of a pool do not show

// Pages are touched for other reasons, too: so many bytes an object.
constexpr double other_reasons = 4;

// Room for a handle to each object. Handles are made in their place, for not all of them can be moved.
template <class Handle>
class handles {
public:
    handles() { std::memset(room_.get(), 0, bytes); }  // or its pages would be counted as those of the objects
    Handle* begin() const { return reinterpret_cast<Handle*>(room_.get()); }
    Handle* end() const { return begin() + objects; }

private:
    static constexpr std::size_t bytes = objects * sizeof(Handle);
    std::unique_ptr<std::byte[]> room_{new std::byte[bytes]};
};

// Makes all handles. Returns the heap's bytes for each object.
template <class Handle>
double heap_for_each(const handles<Handle>& empty, Handle (*make)()) {
    const double pages_before = pages_in_use();
    const double heap_before = heap_in_use();
    for (Handle& place : empty) {
        ::new (&place) Handle(make());
    }
    const double by_heap = (heap_in_use() - heap_before) / objects;
    const double by_pages = (pages_in_use() - pages_before) / objects;
    // Malloc's own figure is the exact one, where there is nothing else.
    return by_pages > by_heap + other_reasons ? std::round(by_pages) : by_heap;
}

// Takes over an object from new.
template <class Strategy, class Object>
concept adopts = requires(Object* object) { Strategy::adopt(object); };

// Objects of one size. They stay alive as long as this, so that nothing is measured in memory that was freed before.
template <class Strategy, std::size_t Bytes>
class population {
    using object = owned<Strategy, Bytes>;
    using handle = typename Strategy::template pointer<object>;

public:
    population() {
        plain_bytes = heap_for_each<plain<Bytes>*>(plain_, [] { return new plain<Bytes>; });
        owned_bytes = heap_for_each<handle>(handles_, [] { return make_owner<Strategy, object>(); });
        if constexpr (adopts<Strategy, object>) {
            const double bare_bytes = heap_for_each<object*>(bare_, [] { return new object; });
            blocks = owned_bytes > bare_bytes + other_reasons ? 2 : 1;
        }
    }

    ~population() {
        std::ranges::for_each(plain_, std::default_delete<plain<Bytes>>());
        std::ranges::for_each(bare_, std::default_delete<object>());
        for (handle& last : handles_) {
            Strategy::release(last);
            std::destroy_at(&last);
        }
    }

    double plain_bytes;
    double owned_bytes;
    int blocks = 1;  // of an object: two where the count takes more than the object that was adopted did

private:
    handles<plain<Bytes>*> plain_;
    handles<object*> bare_;  // as adopt takes them over; null where objects are made in another way
    handles<handle> handles_;
};

// Returns 0 where there is none.
template <class Strategy>
constexpr int size_of_weak() {
    if constexpr (has_weak<Strategy>) {
        return sizeof(typename Strategy::template weak<owned<Strategy, 24>>);
    } else {
        return 0;
    }
}

// The mean of two sizes of object, because malloc rounds to 16 bytes: what one wastes, the other uses.
template <class Strategy>
data_size measure() {
    const population<Strategy, 24> smaller;
    const population<Strategy, 32> larger;
    const double plain_bytes = (smaller.plain_bytes + larger.plain_bytes) / 2;
    const double owned_bytes = (smaller.owned_bytes + larger.owned_bytes) / 2;
    const auto handle = sizeof(typename Strategy::template pointer<owned<Strategy, 24>>);
    return {static_cast<int>(handle), owned_bytes - plain_bytes, handle + owned_bytes, larger.blocks,
            size_of_weak<Strategy>()};
}

}  // namespace lab::sizes
