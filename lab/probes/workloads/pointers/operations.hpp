#pragma once
// operations: an object is made, shared by `x` handles, and released. Half of the handles are copy constructed, half
// default constructed and then assigned to, so the time of a set is initialization + x * (one amortized copy), where
// initialization is to make and delete the object and to acquire and release its first handle.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "../keep.hpp"
#include "harness/workload.hpp"
#include "pointer_strategy.hpp"

namespace lab::operations {

inline constexpr int set_sizes[] = {2, 4, 8, 12, 16, 24, 32};
inline constexpr int largest_set = 32;

// Trivial but for the count that an intrusive pointer needs.
template <class Strategy>
struct pointee : Strategy::template base<pointee<Strategy>> {};

// Raw storage, so that handles are constructed and destroyed where the workload says, and nowhere else.
template <class Handle>
struct slots {
    alignas(Handle) std::byte storage[largest_set * sizeof(Handle)];

    Handle* operator[](int index) { return reinterpret_cast<Handle*>(storage) + index; }
};

template <class Handle>
void share(const Handle& owner, slots<Handle>& handles, int size) {
    for (int i = 0; i < size; i += 2) {
        Handle* copied = std::construct_at(handles[i], owner);
        keep(*copied);
        Handle* assigned = std::construct_at(handles[i + 1]);
        keep(*assigned);  // or the compiler would know that it is empty, and an assignment be a construction
        *assigned = owner;
        keep(*assigned);
    }
}

template <class Handle>
void unshare(slots<Handle>& handles, int size) {
    for (int i = 0; i < size; ++i) {
        std::destroy_at(handles[i]);
    }
}

template <class Strategy>
void run_sets(int size, long iterations) {
    using object = pointee<Strategy>;
    static slots<typename Strategy::template pointer<object>> handles;
    for (; iterations > 0; --iterations) {
        auto owner = make_owner<Strategy, object>();
        keep(owner);
        share(owner, handles, size);
        unshare(handles, size);
        Strategy::release(owner);
    }
}

// An object that records whether every handle led to it and whether it was destroyed.
template <class Strategy>
struct witness : Strategy::template base<witness<Strategy>> {
    static inline std::uint64_t destroyed = 0;
    std::uint64_t reached = 0;

    ~witness() { ++destroyed; }

    void trace(auto&) const {}  // holds no pointers
};

// Runs every set once more, on witnesses.
template <class Strategy>
std::uint64_t checksum() {
    using object = witness<Strategy>;
    slots<typename Strategy::template pointer<object>> handles;
    std::uint64_t reached = 0;
    for (const int size : set_sizes) {
        auto owner = make_owner<Strategy, object>();
        share(owner, handles, size);
        for (int i = 0; i < size; ++i) {
            ++(**handles[i]).reached;
        }
        reached += (*owner).reached;
        unshare(handles, size);
        Strategy::release(owner);
    }
    return reached * 1000 + object::destroyed;
}

template <class Strategy>
inline constexpr series plot[] = {{"set", set_sizes, run_sets<Strategy>}};

template <class Strategy>
    requires copies<Strategy, pointee>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::operations
