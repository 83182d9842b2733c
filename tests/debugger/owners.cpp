// One of each owner, of an object whose value names it, at a call of at_this_point(): a debugger looks at them there.

#include <atomic>
#include <cstdio>
#include <memory_resource>
#include <thread>
#include <vector>

#include <freehold/diagnosis/gdb.hpp>
#include <freehold/freehold.hpp>

struct node : freehold::ref_counted<node> {
    explicit node(int v) : value(v) {}
    virtual ~node() { value = 0; }

    int value;
    freehold::shared_ptr<node> next;
};

struct cyclic_node {
    explicit cyclic_node(int v) : value(v) {}

    template <class Visitor>
    void trace(Visitor& visit) const {
        visit(next);
    }

    int value;
    freehold::cyclic_ptr<cyclic_node> next;
};

struct shared_cyclic_node {
    explicit shared_cyclic_node(int v) : value(v) {}

    template <class Visitor>
    void trace(Visitor& visit) const {
        visit(next);
    }

    int value;
    freehold::concurrent_cyclic_ptr<shared_cyclic_node> next;
};

struct traced_node {
    explicit traced_node(int v) : value(v) {}

    template <class Visitor>
    void trace(Visitor& visit) const {
        visit(next);
    }

    int value;
    freehold::traced_ptr<traced_node> next;
};

struct alignas(64) wide {
    int value = 7;
};

extern "C" [[gnu::noinline]] void at_this_point() { asm volatile("" : : : "memory"); }

// The variables stay in memory where the program is optimized.
std::atomic<const void*> kept;

template <class... T>
[[gnu::noinline]] void look_at(T&... variables) {
    (kept.store(&variables), ...);
    at_this_point();
    (kept.store(&variables), ...);
}

// What the library says, which the debugger is to say, too.
template <class Owner>
void print_owners(const char* name, const Owner& owner) {
    std::printf("%s %ld\n", name, owner.use_count());
}

template <class T>
std::vector<T> twice(const T& owner) {
    return {owner, owner};
}

int value_of(const freehold::shared_ptr<node>& p) { return p->value; }

// For what follows a step: the constructor of a node, a function that is given an owner, the destructor.
int step_through() {
    auto p = freehold::make_shared<node>(20);
    const int value = value_of(p);
    p.reset();
    return value;
}

int main() {
    if (step_through() != 20) return 1;

    auto shared = freehold::make_shared<node>(1);
    shared->next = freehold::make_shared<node>(100);
    freehold::weak_ptr<node> weak = shared;
    freehold::weak_ptr<node> expired = freehold::make_shared<node>(0);
    freehold::shared_ptr<node> empty;
    freehold::shared_ptr<int> alias(shared, &shared->value);
    freehold::shared_ptr<node> adopted(new node(2));
    freehold::shared_ptr<int[]> array = freehold::make_shared<int[]>(3, 30);
    freehold::shared_ptr<wide> aligned = freehold::make_shared<wide>();
    static freehold::immortal<node> forever(8);
    freehold::shared_ptr<node> immortal = forever.share();
    auto shareds = twice(adopted);

    auto local = freehold::make_local_shared<node>(3);
    freehold::local_weak_ptr<node> local_weak = local;
    auto locals = twice(local);

    auto biased = freehold::make_biased_shared<node>(4);
    auto biaseds = twice(biased);
    freehold::biased_shared_ptr<node> biased_elsewhere;
    std::thread([&] { biased_elsewhere = biased; }).join();

    auto sharded = freehold::make_sharded_shared<node>(5);
    freehold::open_shards(sharded);
    auto shardeds = twice(sharded);

    auto thin = freehold::make_thin<node>(6);
    auto thins = twice(thin);
    auto thin_wide = freehold::make_thin<wide>();
    auto local_thin = freehold::make_thin<node, freehold::plain_counting>(9);

    auto intrusive = freehold::make_intrusive<node>(10);
    auto intrusives = twice(intrusive);

    freehold::linked_ptr<node> linked(new node(11));
    auto linkeds = twice(linked);

    freehold::managed_ptr<node> managed(new node(12));
    freehold::managed_ptr<node> managed_share(shared);
    std::vector<freehold::managed_ptr<node>> manageds(2);
    manageds[1] = freehold::managed_ptr<node>(new node(13));

    auto cyclic = freehold::make_cyclic<cyclic_node>(14);
    auto cyclics = twice(cyclic);
    freehold::cyclic_weak_ptr<cyclic_node> cyclic_weak = cyclic;
    freehold::cyclic_weak_ptr<cyclic_node> cyclic_expired = freehold::make_cyclic<cyclic_node>(0);
    freehold::parent_ptr<cyclic_node> parent = cyclic;
    std::vector<freehold::parent_ptr<cyclic_node>> parents(2, parent);

    freehold::parent_ptr<cyclic_node> gone = freehold::make_cyclic<cyclic_node>(0);

    freehold::cyclic_heap cyclic_heap;
    freehold::cyclic_heap::session session(cyclic_heap);
    auto concurrent = cyclic_heap.make<shared_cyclic_node>(15);
    auto concurrents = twice(concurrent);
    freehold::concurrent_cyclic_weak_ptr<shared_cyclic_node> concurrent_weak = concurrent;

    freehold::shared_traced_heap heap_of_threads;
    freehold::traced_heap heap;
    freehold::traced_local<traced_node> traced_local = heap.make<traced_node>(16);
    traced_local->next = heap.make<traced_node>(17);
    freehold::traced_root<traced_node> traced_root = traced_local;
    auto traced_roots = twice(traced_root);
    freehold::traced_weak_ptr<traced_node> traced_weak = traced_local;

    freehold::borrowed_ptr<node> borrowed = shared;
    auto borroweds = twice(borrowed);
    freehold::borrowed_ptr<node> dangling;
    {
        auto gone = freehold::make_shared<node>(0);
        dangling = gone;
    }

    freehold::atomic_shared_ptr<node> atomic(shared);
    auto snapshot = atomic.snapshot();
    std::vector<freehold::snapshot_ptr<node>> snapshots(1);
    snapshots[0] = atomic.snapshot();

    freehold::shared_ptr<node> made_mutable = freehold::make_shared<node>(18);
    freehold::make_mutable(made_mutable).value = 19;

    freehold::pool_resource pool;
    std::pmr::vector<int> numbers(1000, &pool);
    std::pmr::vector<int> many(10000, &pool);
    freehold::monotonic_resource monotonic(&pool);
    std::pmr::vector<int> few(10, &monotonic);
    freehold::counting_resource counting(&monotonic);
    std::pmr::vector<int> counted(25, &counting);
    freehold::limiting_resource limiting(4096, &counting);
    std::pmr::vector<char> limited(96, &limiting);
    freehold::stack_resource stack;
    freehold::concurrent_pool_resource concurrent_pool;
    freehold::page_cache pages;
    freehold::region_resource region;
    freehold::run_length_resource run_length;
    std::pmr::memory_resource* abstract = &limiting;

    print_owners("shared", shared);
    print_owners("weak", weak);
    print_owners("alias", alias);
    print_owners("array", array);
    print_owners("aligned", aligned);
    print_owners("local", local);
    print_owners("local_weak", local_weak);
    print_owners("biased", biased);
    print_owners("biased_elsewhere", biased_elsewhere);
    print_owners("sharded", sharded);
    print_owners("thin", thin);
    print_owners("thin_wide", thin_wide);
    print_owners("local_thin", local_thin);
    print_owners("intrusive", *intrusive);
    print_owners("linked", linked);
    print_owners("cyclic", cyclic);
    print_owners("cyclic_weak", cyclic_weak);
    print_owners("concurrent", concurrent);
    print_owners("concurrent_weak", concurrent_weak);
    std::fflush(stdout);
    look_at(shared, weak, expired, empty, alias, adopted, array, aligned, immortal, shareds, local, local_weak, locals,
            biased, biaseds, biased_elsewhere, sharded, shardeds, thin, thins, thin_wide, local_thin, intrusive,
            intrusives, linked, linkeds, managed, managed_share, manageds, cyclic, cyclics, cyclic_weak, cyclic_expired,
            parent, parents, gone, concurrent, concurrents, concurrent_weak, traced_local, traced_root, traced_roots,
            traced_weak, borrowed, borroweds, dangling, atomic, snapshot, snapshots, made_mutable, pool, monotonic,
            counting, limiting, stack, concurrent_pool, pages, region, run_length, heap, heap_of_threads, abstract);
}
