#pragma once
// inbox: where other threads leave the blocks of a heap, block_inbox of memory/detail/remote_frees.hpp, the header
// itself.

#include "../program.hpp"

#include <freehold/memory/detail/remote_frees.hpp>

struct blocks_come_home : program {
    using batch = freehold::detail::block_batch;

    static constexpr int threads = 3;

    // Two threads free a block each, the third takes them home.
    void run(int thread) {
        if (thread == 2) return take();
        contents[thread].set(1);
        inbox.put(&blocks[thread], &blocks[thread]);
    }

    void take() {
        int length = 0;
        for (batch* each = inbox.take(); each != nullptr; each = each->next.from(each)) {
            plain<int>& its = contents[each - blocks];
            expect(its.get() == 1);
            its.set(2);
            if (++length == 2) break;
        }
    }

    void finish() {
        take();
        for (plain<int>& each : contents) expect(each.get() == 2);
    }

    freehold::detail::block_inbox<threading> inbox;
    batch blocks[2];
    plain<int> contents[2];  // what was in the blocks
};
