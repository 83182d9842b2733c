// A program that uses each product once, with a second thread: whether a platform works at all.

#include <freehold/freehold.hpp>

#include <cstdio>
#include <cstdlib>
#include <list>
#include <thread>

#include <freehold/reclamation/hazard_pointer.hpp>
#include <freehold/reclamation/rcu_domain.hpp>

namespace {

struct node {
    freehold::cyclic_ptr<node> next;
};

struct vertex {
    freehold::traced_ptr<vertex> next;
};

void expect(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "not so: %s\n", what);
    std::exit(EXIT_FAILURE);
}

void use_pointers() {
    freehold::atomic_shared_ptr<int> current(freehold::make_shared<int>(1));
    std::thread([&] { current.store(freehold::make_shared<int>(2)); }).join();
    const freehold::shared_ptr<int> read = current.load();
    const freehold::weak_ptr<int> observer = read;
    expect(*read == 2 && observer.lock() == read, "an atomic pointer has what another thread stored");
}

void use_resources() {
    freehold::concurrent_pool_resource pool;
    std::pmr::list<int> numbers(&pool);
    std::thread([&] { numbers.assign(1000, 7); }).join();
    numbers.clear();
    expect(pool.statistics().live == 0, "all blocks are freed");
}

void use_collectors() {
    auto ring = freehold::make_cyclic<node>();
    ring->next = ring;
    ring.reset();
    freehold::cycle_collector::collect();
    expect(freehold::cycle_collector::objects() == 0, "a ring is collected");

    freehold::traced_heap heap;
    freehold::traced_local<vertex> kept = heap.make<vertex>();
    for (int i = 0; i < 1000; ++i) kept->next = heap.make<vertex>();
    const freehold::traced_weak_ptr<vertex> observer(kept->next);
    kept->next = nullptr;
    heap.collect();
    expect(observer.expired(), "what no root reaches is collected");
}

}  // namespace

int main() {
    use_pointers();
    use_resources();
    use_collectors();
}
