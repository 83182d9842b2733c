#pragma once
// A cache in a traced heap: an object that holds the map, the list and the weak pointers.

#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_weak_ptr.hpp>

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "plot.hpp"

namespace lab::cache {

struct traced_entry {
    int key;
    bool is_cached = true;
    freehold::traced_ptr<traced_entry> next = nullptr;
    freehold::traced_ptr<traced_entry> previous = nullptr;
};

struct traced_state {
    std::unordered_map<int, freehold::traced_ptr<traced_entry>> places;
    freehold::traced_ptr<traced_entry> newest;
    freehold::traced_ptr<traced_entry> oldest;
    std::vector<freehold::traced_weak_ptr<traced_entry>> clients;
};

template <class Strategy>
class traced : public collecting<Strategy> {
public:
    using owner = typename Strategy::template local<traced_entry>;

    static std::uint64_t run(int entries) {
        traced form;
        return look_up(form, entries);
    }

    static void prepare(int) {
        Strategy::fill_nursery([] { run(1'000); });
    }
    static void clear() { Strategy::give_back(); }

    owner make(int key) { return heap_.template make_unrooted<traced_entry>(key); }
    static owner previous(const owner& of) { return of->previous; }
    traced_state& state() { return *state_; }

private:
    freehold::traced_heap& heap_ = Strategy::heap();
    freehold::traced_local<traced_state> state_ = heap_.template make_unrooted<traced_state>();
};

template <class Strategy>
using of = looked_up<traced<Strategy>>;

}  // namespace lab::cache
