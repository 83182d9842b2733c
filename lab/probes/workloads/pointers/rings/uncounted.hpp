#pragma once
// Rings of raw nodes without counts: the program frees each of them where it has to.

#include <cstdint>
#include <new>
#include <optional>
#include <type_traits>
#include <vector>

#include "memory_strategy.hpp"
#include "plot.hpp"

namespace lab::rings {

struct raw_node {
    int number;
    raw_node* next;
};

template <class Strategy>
class uncounted {
public:
    // In memory of the arena, where a collector sees them.
    auto places(int rings) {
        const auto allocator = arena_.template allocator<raw_node*>();
        return std::vector<raw_node*, std::remove_const_t<decltype(allocator)>>(rings, nullptr, allocator);
    }

    // Returns the first of `nodes` nodes, which are numbered from `number` on.
    raw_node* make(int nodes, int number) {
        raw_node* const last = ::new (allocator_.allocate(1)) raw_node{number + nodes - 1, nullptr};
        raw_node* first = last;
        for (int i = nodes - 2; i >= 0; --i) {
            first = ::new (allocator_.allocate(1)) raw_node{number + i, first};
        }
        last->next = first;
        return first;
    }

    void free(raw_node* first) {
        if constexpr (Strategy::frees) {
            for (raw_node* at = first->next; at != first;) {
                raw_node* const next = at->next;
                allocator_.deallocate(at, 1);
                at = next;
            }
            allocator_.deallocate(first, 1);
        }
    }

private:
    typename Strategy::arena arena_;
    allocator_of<typename Strategy::arena, raw_node> allocator_ = arena_.template allocator<raw_node>();
};

template <class Strategy, int (*Living)(int nodes)>
struct uncounted_churn : collecting<Strategy> {
    static std::uint64_t run(int nodes) {
        uncounted<Strategy> rings;
        auto living = rings.places(Living(nodes));
        std::uint64_t sum = 0;
        for (int made = 0; made < nodes; made += ring_size) {
            raw_node*& place = living[made / ring_size % living.size()];
            raw_node* const dying = place;
            place = rings.make(ring_size, made);
            if (dying) {
                rings.free(dying);
            }
            sum += static_cast<std::uint64_t>(place->number);
        }
        for (raw_node* const first : living) {
            if (first) {
                rings.free(first);
            }
        }
        return sum;
    }

    static void clear() { Strategy::give_back(); }
};

template <class Strategy>
struct uncounted_cursor : collecting<Strategy> {
    static void prepare(int steps) {
        rings.emplace();
        living = rings->make(nodes_around(steps), 0);
    }

    static std::uint64_t run(int steps) {
        const raw_node* at = living;
        std::uint64_t sum = 0;
        for (; steps > 0; --steps) {
            sum += static_cast<std::uint64_t>(at->number);
            at = at->next;
        }
        return sum;
    }

    static void finish() {
        rings->free(living);
        living = nullptr;
        rings.reset();
    }

    static void clear() { Strategy::give_back(); }

private:
    static inline std::optional<uncounted<Strategy>> rings;
    static inline raw_node* living = nullptr;
};

// Nodes die in any order.
template <class Strategy>
    requires(Strategy::in_any_order)
using of = turned<uncounted_churn<Strategy, few>, uncounted_churn<Strategy, a_tenth>, uncounted_cursor<Strategy>>;

}  // namespace lab::rings
