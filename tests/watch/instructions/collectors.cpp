// The collectors: objects that are made, copied and collected.

#include <freehold/cyclic.hpp>
#include <freehold/traced.hpp>

#include <utility>

#include "row.hpp"

using watch::keep;
using watch::row;

namespace {

struct cyclic_node {
    int value = 0;
    freehold::cyclic_ptr<cyclic_node> next = {};
};

struct shared_node {
    int value = 0;
    freehold::concurrent_cyclic_ptr<shared_node> next = {};
};

struct traced_node {
    int value = 0;
    freehold::traced_ptr<traced_node> next = {};
};

// Returns a node of a ring of 1000.
template <class Make>
auto ring(Make make) {
    const auto last = make(nullptr);
    auto first = last;
    for (int i = 1; i < 1000; ++i) first = make(std::move(first));
    last->next = first;
    return first;
}

void cyclic() {
    const auto make = [](freehold::cyclic_ptr<cyclic_node> next) {
        return freehold::make_cyclic<cyclic_node>(0, std::move(next));
    };
    row("cyclic_ptr make, destroy", [] {
        auto made = freehold::make_cyclic<int>(1);
        keep(made);
    });
    auto owner = freehold::make_cyclic<cyclic_node>();
    row("cyclic_ptr copy, destroy", [&owner] {
        auto copy = owner;
        keep(copy);
    });
    freehold::cycle_collector::collect();
    row(
        "cyclic_ptr ring of 1000: make, collect",
        [make] {
            ring(make);
            freehold::cycle_collector::collect();
        },
        4);
    auto live = ring(make);
    row(
        "cyclic_ptr ring of 1000 that lives: collect",
        [&live] {
            auto candidate = live;
            candidate.reset();
            freehold::cycle_collector::collect();
        },
        4);
}

void shared_cyclic() {
    freehold::cyclic_heap heap;
    freehold::cyclic_heap::session session(heap);
    const auto make = [&heap](freehold::concurrent_cyclic_ptr<shared_node> next) {
        return heap.make<shared_node>(0, std::move(next));
    };
    row("concurrent_cyclic_ptr make, destroy", [&heap] {
        auto made = heap.make<int>(1);
        keep(made);
    });
    auto owner = heap.make<shared_node>();
    row("concurrent_cyclic_ptr copy, destroy", [&owner] {
        auto copy = owner;
        keep(copy);
    });
    heap.collect();
    row(
        "concurrent_cyclic_ptr ring of 1000: make, collect",
        [&heap, make] {
            ring(make);
            heap.collect();
        },
        4);
}

void traced() {
    freehold::traced_heap heap;
    row(
        "traced_heap 1000 objects: make",
        [&heap] {
            for (int i = 0; i < 1000; ++i) {
                auto made = heap.make_unrooted<traced_node>(i);
                keep(made);
            }
            watch::uncounted([&heap] { heap.collect_young(); });
        },
        4);
    freehold::traced_local<traced_node> list = heap.make<traced_node>();
    for (int i = 1; i < 1000; ++i) list = heap.make<traced_node>(i, list);
    heap.collect();
    row("traced_ptr store", [&list] {
        list->next = list->next;
        keep(*list.get());
    });
    row("traced_local make, destroy", [&list] {
        const freehold::traced_local<traced_node> other = list->next;
        int value = other->value;
        keep(value);
    });
}

// A collection scans the stack of its thread: that of the first has the environment.
void collections() {
    freehold::traced_heap heap;
    row(
        "traced_heap 1000 objects: make, collect young",
        [&heap] {
            for (int i = 0; i < 1000; ++i) {
                auto made = heap.make_unrooted<traced_node>(i);
                keep(made);
            }
            heap.collect_young();
        },
        4);
    freehold::traced_local<traced_node> list = heap.make<traced_node>();
    for (int i = 1; i < 1000; ++i) list = heap.make<traced_node>(i, list);
    row("traced_heap 1000 objects that live: collect", [&heap] { heap.collect(); }, 4);
}

}  // namespace

int main(int argc, char**) {
    return watch::in_state(argc, [argc] {
        cyclic();
        shared_cyclic();
        traced();
        if (argc > 1) collections();
    });
}
