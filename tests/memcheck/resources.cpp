// What Valgrind is to find in our resources: run as `resources RESOURCE:FAULT...`. With the fault `none` it must find
// nothing.

#include <freehold/memory/concurrent_monotonic_resource.hpp>
#include <freehold/memory/concurrent_pool_resource.hpp>
#include <freehold/memory/guard_resource.hpp>
#include <freehold/memory/monotonic_resource.hpp>
#include <freehold/memory/pool_resource.hpp>
#include <freehold/memory/region_resource.hpp>
#include <freehold/memory/run_length_resource.hpp>
#include <freehold/memory/small_block_pool.hpp>
#include <freehold/memory/stack_resource.hpp>

#include "cases.hpp"

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory_resource>
#include <string_view>
#include <vector>

namespace {

class small_blocks final : public std::pmr::memory_resource {
    void* do_allocate(std::size_t bytes, std::size_t) override { return freehold::small_block_pool::allocate(bytes); }

    void do_deallocate(void* block, std::size_t bytes, std::size_t) override {
        freehold::small_block_pool::deallocate(block, bytes);
    }

    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource&) const noexcept override { return true; }
};

// Effects: allocates and frees, with nothing wrong, through lists and chunks.
void use(std::pmr::memory_resource& resource) {
    for (int round = 0; round < 3; ++round) {
        std::vector<void*> blocks;
        for (std::size_t i = 0; i < 2000; ++i) {
            blocks.push_back(resource.allocate(64, 8));
            std::memset(blocks.back(), 1, 64);
        }
        for (; !blocks.empty(); blocks.pop_back()) resource.deallocate(blocks.back(), 64, 8);
    }
}

[[gnu::noinline]] void forget_a_block(std::pmr::memory_resource& resource, std::size_t bytes) {
    std::memset(resource.allocate(bytes, 8), 1, bytes);
}

// A fault that begins with "large-" is that of a block of 100,000 bytes.
void commit(std::string_view fault, std::pmr::memory_resource& resource) {
    std::size_t bytes = 60;
    if (fault.starts_with("large-")) {
        bytes = 100'000;
        fault.remove_prefix(6);
    }
    if (fault == "leak") {
        forget_a_block(resource, bytes);
        use(resource);  // whatever still lies in a register or on the stack
        return;
    }
    auto* const block = static_cast<volatile char*>(resource.allocate(bytes, 8));
    std::memset(const_cast<char*>(block), 1, bytes);
    if (fault == "beyond") block[bytes] = 1;
    resource.deallocate(const_cast<char*>(block), bytes, 8);
    if (fault == "write") block[30] = 1;
    if (fault == "read") std::printf("%d\n", block[30]);
    if (fault == "twice") resource.deallocate(const_cast<char*>(block), bytes, 8);
}

// It is never destroyed where that would free what was forgotten.
std::pmr::memory_resource* leaked;

template <class Resource>
int run(std::string_view fault) {
    leaked = new Resource();
    if (!fault.starts_with("large-")) use(*leaked);
    commit(fault, *leaked);
    if (!fault.ends_with("leak")) {
        delete leaked;
        leaked = nullptr;
    }
    return 0;
}

int run_case(std::string_view name) {
    const std::string_view resource = name.substr(0, name.find(':'));
    const std::string_view fault = name.substr(name.find(':') + 1);
    if (resource == "concurrent_monotonic_resource") return run<freehold::concurrent_monotonic_resource>(fault);
    if (resource == "concurrent_pool_resource") return run<freehold::concurrent_pool_resource>(fault);
    if (resource == "guard_resource") return run<freehold::guard_resource>(fault);
    if (resource == "monotonic_resource") return run<freehold::monotonic_resource>(fault);
    if (resource == "pool_resource") return run<freehold::pool_resource>(fault);
    if (resource == "region_resource") return run<freehold::region_resource>(fault);
    if (resource == "run_length_resource") return run<freehold::run_length_resource>(fault);
    if (resource == "small_block_pool") return run<small_blocks>(fault);
    if (resource == "stack_resource") return run<freehold::stack_resource>(fault);
    return 2;
}

}  // namespace

int main(int argument_count, char** arguments) { return run_each(argument_count, arguments, run_case); }
