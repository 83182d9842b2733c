// An arena that threads share. Apart from the other resources: a unit that includes one more is optimized otherwise.

#include <freehold/memory/concurrent_monotonic_resource.hpp>

#include "row.hpp"

int main(int argc, char**) {
    return watch::in_state(argc, [] {
        // It is not released meanwhile: how long it then looks for another id is chance.
        freehold::concurrent_monotonic_resource arena;
        const auto allocate = [&arena] {
            for (int i = 0; i < 1000; ++i) {
                void* block = arena.allocate(48);
                watch::keep(block);
            }
        };
        watch::row("concurrent_monotonic_resource 1000 blocks: allocate", allocate, 10);
    });
}
