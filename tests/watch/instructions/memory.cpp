// The memory resources.

#include <freehold/memory.hpp>

#include <array>
#include <list>
#include <memory_resource>
#include <semaphore>
#include <stop_token>
#include <thread>

#include "row.hpp"

using watch::keep;
using watch::row;

namespace {

constexpr std::size_t block = 48;

template <class Resource>
void allocate(const char* name) {
    Resource resource;
    void* first = resource.allocate(block);
    keep(first);
    row(name, [&resource] {
        void* p = resource.allocate(block);
        keep(p);
        resource.deallocate(p, block);
    });
}

template <class Resource>
void fill_and_clear(const char* name) {
    Resource resource;
    std::pmr::list<int> list(&resource);
    row(
        name,
        [&list] {
            for (int i = 0; i < 1000; ++i) list.push_back(i);
            list.clear();
        },
        10);
}

// Blocks that another thread allocates, as those of a queue.
void hand_off() {
    freehold::concurrent_pool_resource pool;
    std::array<void*, 1000> blocks;
    std::binary_semaphore wanted(0), made(0);
    std::jthread maker([&](const std::stop_token& stop) {
        for (wanted.acquire(); !stop.stop_requested(); wanted.acquire()) {
            for (void*& p : blocks) p = pool.allocate(block);
            made.release();
        }
    });
    row(
        "concurrent_pool_resource 1000 blocks of another thread: deallocate",
        [&] {
            watch::uncounted([&] {
                wanted.release();
                made.acquire();
            });
            for (void* p : blocks) pool.deallocate(p, block);
        },
        4);
    maker.request_stop();
    wanted.release();
}

void rows() {
    allocate<freehold::pool_resource>("pool_resource allocate, deallocate");
    allocate<freehold::concurrent_pool_resource>("concurrent_pool_resource allocate, deallocate");
    allocate<freehold::stack_resource>("stack_resource allocate, deallocate");
    allocate<freehold::region_resource>("region_resource allocate, deallocate");
    allocate<freehold::run_length_resource>("run_length_resource allocate, deallocate");
    fill_and_clear<freehold::pool_resource>("pool_resource std::pmr::list of 1000: fill, clear");
    fill_and_clear<freehold::concurrent_pool_resource>("concurrent_pool_resource std::pmr::list of 1000: fill, clear");
    fill_and_clear<freehold::run_length_resource>("run_length_resource std::pmr::list of 1000: fill, clear");

    freehold::monotonic_resource arena;
    row(
        "monotonic_resource 1000 blocks: allocate, release",
        [&arena] {
            const freehold::monotonic_resource::scope scope(arena);
            for (int i = 0; i < 1000; ++i) {
                void* p = arena.allocate(block);
                keep(p);
            }
        },
        10);
    freehold::small_block_allocator<std::array<char, block>> small;
    row("small_block_allocator allocate, deallocate", [&small] {
        auto* p = small.allocate(1);
        keep(p);
        small.deallocate(p, 1);
    });
    row(
        "pool_resource make, destroy",
        [] {
            freehold::pool_resource pool;
            void* p = pool.allocate(block);
            keep(p);
            pool.deallocate(p, block);
        },
        100);
}

}  // namespace

int main(int argc, char**) {
    return watch::in_state(argc, [argc] {
        rows();
        if (argc > 1) hand_off();
    });
}
