// What the resources and the pool of small blocks take for blocks that live, and keep of those that do not.

#include <freehold/memory.hpp>
#include <freehold/pointers.hpp>

#include <array>
#include <cstddef>
#include <memory_resource>
#include <thread>
#include <vector>

#include "workload.hpp"

using watch::workload;

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

// Blocks of one size, linked through themselves.
template <class Resource>
class blocks {
public:
    blocks(Resource& resource, std::size_t bytes) : resource_(resource), bytes_(bytes) {}

    void allocate(std::size_t together) {
        for (std::size_t done = 0; done < together; done += bytes_) {
            void* const block = resource_.allocate(bytes_);
            std::memset(block, 1, bytes_);
            first_ = ::new (block) link{first_};
        }
    }

    // Frees all but one of each `kept`.
    void free_but(std::size_t kept) {
        link* rest = nullptr;
        for (std::size_t i = 1; first_ != nullptr; ++i) {
            link* const block = first_;
            first_ = block->next;
            if (i % kept == 0) {
                block->next = rest;
                rest = block;
            } else {
                resource_.deallocate(block, bytes_);
            }
        }
        first_ = rest;
    }

    void free_all() { free_but(~std::size_t{0}); }

private:
    struct link {
        link* next;
    };

    Resource& resource_;
    std::size_t bytes_;
    link* first_ = nullptr;
};

// 16 MiB of one size are freed before those of the next are allocated.
template <class Resource>
void phases(const watch::moments& now) {
    Resource resource;
    for (int size = 0; size < 8; ++size) {
        blocks<Resource> all(resource, std::size_t{32} << size);
        all.allocate(16 * mebibyte);
        if (size == 0) now("16 MiB of 32-byte blocks");
        if (size == 7) now("16 MiB of 4 KiB blocks after 7 other sizes");
        all.free_all();
    }
    now("all freed");
    freehold::page_cache::shared().trim();
    now("trimmed");
}

// One block in each MiB survives, then other sizes are used.
template <class Resource>
void survivors(const watch::moments& now) {
    Resource resource;
    blocks<Resource> all(resource, 208);
    all.allocate(32 * mebibyte);
    now("32 MiB of 208-byte blocks");
    all.free_but(mebibyte / 208);
    freehold::page_cache::shared().trim();
    now("one in each MiB survives");
    blocks<Resource> others(resource, 1024);
    others.allocate(32 * mebibyte);
    now("and 32 MiB of 1 KiB blocks");
}

struct node {
    std::array<char, 40> payload;
    freehold::shared_ptr<node> next;
};

void shared_objects(const watch::moments& now) {
    std::vector<freehold::shared_ptr<node>> owners(100'000);
    now("the vector");
    for (auto& owner : owners) owner = freehold::make_shared<node>();
    now("100,000 objects of 56 bytes");
    for (std::size_t i = 0; i < owners.size(); ++i) {
        if (i % 1000 != 0) owners[i].reset();
    }
    freehold::page_cache::shared().trim();
    now("one in 1000 survives");
}

// Blocks of a thread that has ended are freed by another.
void ended_threads(const watch::moments& now) {
    freehold::concurrent_pool_resource pool;
    for (int i = 0; i < 20; ++i) {
        blocks<freehold::concurrent_pool_resource> all(pool, 64);
        std::thread([&] { all.allocate(4 * mebibyte); }).join();
        if (i == 0) now("4 MiB of one thread");
        all.free_all();
    }
    now("4 MiB of each of 20 threads, freed");
}

void many_pools(const watch::moments& now) {
    std::vector<freehold::pool_resource> pools(1000);
    for (auto& pool : pools) static_cast<void>(pool.allocate(64));
    now("1000 pools with a block each");
}

}  // namespace

int main() {
    workload("phases, pool_resource", phases<freehold::pool_resource>);
    workload("phases, concurrent_pool_resource", phases<freehold::concurrent_pool_resource>);
    workload("phases, run_length_resource", phases<freehold::run_length_resource>);
    workload("survivors, pool_resource", survivors<freehold::pool_resource>);
    workload("survivors, concurrent_pool_resource", survivors<freehold::concurrent_pool_resource>);
    workload("make_shared", shared_objects);
    workload("ended threads, concurrent_pool_resource", ended_threads);
    workload("many pools, pool_resource", many_pools);
}
