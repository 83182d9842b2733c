#pragma once
// What is known of owners, and what becomes of a copy that dies.

#include <atomic>
#include <cstdint>

#include "copies_owners.hpp"
#include "copies_sites.hpp"
#include "copies_types.hpp"

namespace copies {

struct state {
    sites places;
    owners known;
    types kinds;
};

inline state& all() {
    static auto* const only = new state;  // threads may copy until the end
    return *only;
}

inline std::uint32_t thread() noexcept {
    static std::atomic<std::uint32_t> next = 0;
    thread_local const std::uint32_t mine = next.fetch_add(1, std::memory_order_relaxed);  // relaxed: need only differ
    return mine;
}

inline figure kind(const copy& made, const void* place, address frame) noexcept {
    if (made.is_converted) return converted;
    if (!stack::holds(reinterpret_cast<address>(place), frame)) return kept;
    return made.is_changed ? changed : needless;
}

inline void judge_source(const copy& made) noexcept {
    made.place->count(source_first);
    // relaxed: a copy of a local owner is made by its thread
    if (made.is_of_local && made.number == made.source->copies.load(std::memory_order_relaxed))
        made.place->count(movable);
}

inline void judge(const copy& made, const void* place, address frame) noexcept {
    if (made.place == nullptr) return;
    const life::state source =
        made.source->now.load(std::memory_order_relaxed);  // relaxed: of this thread, else unused
    if (source == life::died) judge_source(made);
    if (made.thread != thread())
        made.place->count(crossed);
    else if (source == life::going_on)
        made.place->count(kind(made, place, frame));
    made.source->release();
}

inline void add(const void* place, const void* source, address frame, bool is_assigned) {
    copy made;
    made.place = &all().places.at(frame);
    made.place->count(copied);
    made.source = all().known.life_of(source);
    made.number = made.source->copies.fetch_add(1, std::memory_order_relaxed) + 1;  // relaxed: as in judge_source
    made.thread = thread();
    made.is_of_local = stack::holds(reinterpret_cast<address>(source), frame);
    made.is_changed = is_assigned;
    all().known.insert(place, {nullptr, made});
}

inline void remove(const void* place, address frame, life::state how) {
    auto found = all().known.take(place);
    if (!found) return;
    found->made.is_changed |= how == life::changed;
    judge(found->made, place, frame);
    found->end(how);
}

// The owners at two places change their places.
inline void exchange(const void* one, const void* other) {
    auto first = all().known.take(one);
    auto second = all().known.take(other);
    for (auto* const each : {&first, &second}) {
        if (!*each) continue;
        (*each)->end(life::changed);
        (*each)->made.is_changed = true;
    }
    if (first && first->made.place != nullptr) all().known.insert(other, *first);
    if (second && second->made.place != nullptr) all().known.insert(one, *second);
}

inline void touch(const void* block, bool is_copy) { all().kinds.touch(block, thread(), is_copy); }

}  // namespace copies
