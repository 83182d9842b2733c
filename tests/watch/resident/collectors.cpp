// What the collectors take for objects that live, and keep of garbage.

#include <freehold/cyclic.hpp>
#include <freehold/traced.hpp>

#include <memory>
#include <utility>
#include <vector>

#include "workload.hpp"

using watch::workload;

namespace {

struct cyclic_node {
    long payload[4] = {};
    freehold::cyclic_ptr<cyclic_node> next = {};
};

struct traced_node {
    long payload[4] = {};
    freehold::traced_ptr<traced_node> next = {};
};

void rings(const watch::moments& now) {
    for (int ring = 0; ring < 100; ++ring) {
        const auto last = freehold::make_cyclic<cyclic_node>();
        auto first = last;
        for (int i = 1; i < 1000; ++i) {
            auto made = freehold::make_cyclic<cyclic_node>();
            made->next = std::move(first);
            first = std::move(made);
        }
        last->next = std::move(first);
    }
    now("100 rings of 1000 were dropped");
    freehold::cycle_collector::collect();
    freehold::page_cache::shared().trim();
    now("collected, trimmed");
}

void traced_list(const watch::moments& now) {
    freehold::traced_heap heap;
    {
        freehold::traced_local<traced_node> list = heap.make<traced_node>();
        for (int i = 1; i < 200'000; ++i) {
            const freehold::traced_local<traced_node> made = heap.make<traced_node>();
            made->next = list;
            list = made;
        }
        heap.collect();
        now("a list of 200,000 nodes, collected");
    }
    for (int i = 0; i < 2'000'000; ++i) static_cast<void>(heap.make_unrooted<traced_node>());
    heap.collect();
    now("the list and 2,000,000 nodes were dropped");
    heap.trim();
    now("trimmed");
}

void small_heaps(const watch::moments& now) {
    {
        std::vector<std::unique_ptr<freehold::traced_heap>> heaps(64);
        for (auto& heap : heaps) {
            heap = std::make_unique<freehold::traced_heap>();
            static_cast<void>(heap->make_unrooted<traced_node>());
        }
        now("64 heaps with an object");
    }
    now("destroyed");
}

}  // namespace

int main() {
    workload("cyclic_ptr", rings);
    workload("traced_heap", traced_list);
    workload("small traced_heaps", small_heaps);
}
