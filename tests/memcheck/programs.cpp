// What Valgrind is to find in the pointers and heaps, and in resources that have others for their upstream: run as
// `programs PROGRAM...`. It must find nothing in a program whose name begins with "clean".

#include <freehold/freehold.hpp>

#include "cases.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <functional>
#include <map>
#include <memory_resource>
#include <string>
#include <thread>
#include <vector>

namespace {

struct widget {
    int value = 0;
    freehold::shared_ptr<widget> next;
};

struct ring {
    int value = 0;
    freehold::cyclic_ptr<ring> next;
};

struct shared_ring {
    int value = 0;
    freehold::concurrent_cyclic_ptr<shared_ring> next;
};

struct traced_node {
    int value = 0;
    freehold::traced_ptr<traced_node> next;

    void trace(auto& visit) const { visit(next); }
};

[[gnu::noinline]] freehold::shared_ptr<widget> make_a_widget() { return freehold::make_shared<widget>(); }

[[gnu::noinline]] freehold::shared_ptr<widget> adopt_a_widget() { return freehold::shared_ptr<widget>(new widget); }

[[gnu::noinline]] void make_a_circle() {
    auto first = make_a_widget();
    first->next = make_a_widget();
    first->next->next = first;
}

void use_the_stack() {
    for (int i = 0; i < 100; ++i) static_cast<void>(make_a_widget());
}

[[gnu::noinline]] void print(const int& value) { std::printf("%d\n", value); }

void read_after_release() {
    auto owner = make_a_widget();
    const widget* const stale = owner.get();
    owner.reset();
    use_the_stack();
    print(stale->value);
}

void write_after_release() {
    auto owner = make_a_widget();
    volatile int& stale = owner->value;
    owner.reset();
    stale = 1;
}

void read_after_release_elsewhere() {
    auto owner = make_a_widget();
    const widget* const stale = owner.get();
    std::thread([&owner] { owner.reset(); }).join();
    print(stale->value);
}

void read_after_the_end_of_a_cyclic_object() {
    auto owner = freehold::make_cyclic<ring>();
    const ring* const stale = owner.get();
    owner.reset();
    print(stale->value);
}

void read_after_a_collection() {
    freehold::traced_heap heap;
    freehold::traced_local<traced_node> kept = heap.make<traced_node>();
    const traced_node* stale = nullptr;
    {
        freehold::traced_local<traced_node> dead = heap.make<traced_node>();
        stale = dead.get();
    }
    heap.collect();
    print(stale->value);
    kept->value = 1;
}

void read_after_a_rewind() {
    freehold::monotonic_resource arena;
    const auto* const stale = ::new (arena.allocate(sizeof(int))) int(1);
    arena.rewind();
    print(*stale);
}

void read_of_an_idle_slab() {
    auto& cache = freehold::page_cache::shared();
    auto* const stale = ::new (cache.allocate(std::size_t{1} << 20)) int(1);
    cache.deallocate(stale, std::size_t{1} << 20);
    print(*stale);
}

void use_of_what_has_no_value() {
    freehold::pool_resource pool;
    auto* const block = static_cast<int*>(pool.allocate(sizeof(int)));
    if (*block == 7) std::printf("7\n");
    pool.deallocate(block, sizeof(int));
}

void clean_pointers() {
    std::vector<freehold::shared_ptr<widget>> owners;
    for (int i = 0; i < 3000; ++i) owners.push_back(i % 2 == 0 ? make_a_widget() : adopt_a_widget());
    const freehold::weak_ptr<widget> weak = owners[0];
    const auto array = freehold::make_shared<std::string[]>(100, "a string that is too long to be short");
    const auto biased = freehold::make_biased_shared<widget>();
    const auto thin = freehold::make_thin<widget>();
    std::thread([&] {
        owners.clear();
        const auto copy = biased;
    }).join();
    use_the_stack();
}

void clean_static_owner() {
    static const auto owner = make_a_widget();
    static auto* const never_destroyed = new freehold::shared_ptr<widget>(make_a_widget());
    print(owner->value + (*never_destroyed)->value);
}

// Each gives what it serves from another resource's memory.
void clean_stack_of_resources() {
    freehold::concurrent_pool_resource outer;
    freehold::pool_resource pool(&outer);
    freehold::run_length_resource runs(&pool);
    freehold::region_resource region(&runs);
    freehold::concurrent_pool_resource inner(&region);
    freehold::monotonic_resource arena(&inner);
    freehold::stack_resource stack(&arena);
    std::vector<std::pmr::memory_resource*> all{&outer, &pool, &runs, &region, &inner, &arena};
    for (std::pmr::memory_resource* const each : all) {
        std::pmr::map<int, std::pmr::string> map(each);
        for (int i = 0; i < 500; ++i) map[i] = "a string that is too long to be short";
        for (int i = 0; i < 500; i += 2) map.erase(i);
        for (int i = 0; i < 500; i += 2) map[i] = "once more";
    }
    void* const aligned = stack.allocate(100, 256);
    stack.deallocate(aligned, 100, 256);
    void* const large = outer.allocate(100000);
    outer.deallocate(large, 100000);
}

void clean_buffers() {
    std::byte buffer[1024];
    for (int round = 0; round < 3; ++round) {
        freehold::monotonic_resource arena(buffer, sizeof(buffer));
        for (int i = 0; i < 3; ++i) {
            std::pmr::vector<int> numbers(100, 1, &arena);
            numbers.push_back(2);
            print(numbers.back());
            arena.rewind();
        }
    }
    freehold::stack_resource stack(buffer, sizeof(buffer));
    for (int i = 0; i < 3; ++i) {
        std::pmr::vector<int> numbers(100, 1, &stack);
        print(numbers[0]);
    }
}

void clean_sweeps() {
    freehold::region_resource region;
    std::vector<void*> blocks;
    for (int round = 0; round < 4; ++round) {
        const auto begin = region.mark();
        for (int i = 0; i < 3000; ++i) blocks.push_back(::new (region.allocate(24)) int(i));
        for (std::size_t i = 0; i < blocks.size(); i += 2) region.deallocate(blocks[i], 24);
        for (std::size_t i = 1; i < blocks.size(); i += 2) print(*static_cast<int*>(blocks[i]));
        for (std::size_t i = 1; i < blocks.size(); i += 2) region.deallocate(blocks[i], 24);
        blocks.clear();
        round % 2 == 0 ? region.sweep() : region.sweep_to(begin);
    }
}

void clean_cycles() {
    const auto work = [] {
        for (int i = 0; i < 3000; ++i) {
            auto first = freehold::make_cyclic<ring>();
            first->next = freehold::make_cyclic<ring>();
            if (i % 2 == 0) first->next->next = first;
        }
        freehold::cycle_collector::collect();
        print(static_cast<int>(freehold::cycle_collector::roots().size()));
    };
    work();
    std::thread(work).join();
    freehold::cyclic_heap heap;
    const auto share = [&heap] {
        const freehold::cyclic_heap::session session(heap);
        for (int i = 0; i < 3000; ++i) {
            auto first = heap.make<shared_ring>();
            first->next = heap.make<shared_ring>();
            if (i % 2 == 0) first->next->next = first;
        }
    };
    std::thread(share).join();
    share();
}

void clean_traced_heap() {
    freehold::traced_heap heap;
    freehold::traced_local<traced_node> list = nullptr;
    for (int i = 0; i < 20000; ++i) {
        freehold::traced_local<traced_node> node = heap.make<traced_node>();
        node->next = i % 100 == 0 ? nullptr : list;
        list = node;
    }
    heap.collect();
    print(list->value);
}

void clean_fork() {
    const auto owner = make_a_widget();
    const pid_t child = ::fork();
    if (child == 0) {
        use_the_stack();
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
}

}  // namespace

int main(int argument_count, char** arguments) {
    const std::map<std::string, std::function<void()>> programs{
        {"read_after_release", read_after_release},
        {"write_after_release", write_after_release},
        {"read_after_release_elsewhere", read_after_release_elsewhere},
        {"read_after_the_end_of_a_cyclic_object", read_after_the_end_of_a_cyclic_object},
        {"read_after_a_collection", read_after_a_collection},
        {"read_after_a_rewind", read_after_a_rewind},
        {"read_of_an_idle_slab", read_of_an_idle_slab},
        {"use_of_what_has_no_value", use_of_what_has_no_value},
        {"circle", make_a_circle},
        {"clean_pointers", clean_pointers},
        {"clean_static_owner", clean_static_owner},
        {"clean_stack_of_resources", clean_stack_of_resources},
        {"clean_buffers", clean_buffers},
        {"clean_sweeps", clean_sweeps},
        {"clean_cycles", clean_cycles},
        {"clean_traced_heap", clean_traced_heap},
        {"clean_fork", clean_fork},
    };
    return run_each(argument_count, arguments, [&programs](const char* program) {
        programs.at(program)();
        use_the_stack();
        return 0;
    });
}
