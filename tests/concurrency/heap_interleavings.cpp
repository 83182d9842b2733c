// The protocol by which threads send each other blocks home, leave their heaps and adopt them, in every order of its
// steps: no block is lost or found twice, and no heap is held by two threads. What the steps make visible to each
// other is tested in concurrent_pool_resource.cpp, under ThreadSanitizer.

#include <gtest/gtest.h>
#include <freehold/memory/detail/block_lists.hpp>
#include <freehold/memory/detail/thread_heap.hpp>

#include <array>
#include <cstddef>
#include <set>
#include <vector>

#include "support/stepping_atomic.hpp"

namespace {

using support::for_every_interleaving;

using heap = freehold::detail::basic_thread_heap<support::stepping_atomic>;
using slab = freehold::detail::slab;
using heap_list = freehold::detail::heap_list<heap>;

// Few blocks to a slab, and two to a batch.
constexpr std::size_t block_class = freehold::detail::slab_class::of(4096);

struct alignas(freehold::detail::slab_bytes) slab_memory {
    std::byte bytes[freehold::detail::slab_bytes];
};

slab_memory memory[2];

constexpr heap::thread_id id_of(std::size_t thread) { return thread + 1; }

// Two heaps in one resource, each with a slab, held by the first two threads of a scenario.
struct two_heaps {
    two_heaps() {
        for (std::size_t i = 0; i < heaps.size(); ++i) {
            heaps[i].open(slab_in(i), block_class);
            all.add(&heaps[i]);
        }
    }

    static slab* slab_in(std::size_t i) { return slab::of(&memory[i]); }

    // Effects: takes blocks out of the heap, which has them in its slab.
    [[nodiscard]] std::vector<void*> take(std::size_t i, std::size_t blocks) {
        std::vector<void*> taken;
        while (taken.size() != blocks) taken.push_back(heaps[i].find(block_class));
        return taken;
    }

    // Effects: frees a block of the other heap.
    void free_remote(std::size_t i, void* block) { heaps[i].free_remote(block, slab::of(block)); }

    // Effects: notes that the thread has the heap, which nobody else may have at that time.
    void enter(const heap* held) { EXPECT_TRUE(entered.insert(held).second) << "two threads hold one heap"; }

    // Effects: leaves the heap, whose blocks another thread may have from then on.
    void leave(heap* held) {
        entered.erase(held);
        held->abandon();
    }

    // Effects: expects that every block of the two slabs is kept or found, once.
    void expect_all_blocks() {
        for (heap& each : heaps) each.abandon();
        for (heap& each : heaps) {
            EXPECT_TRUE(each.adopt(99));
            // A batch that was sent twice would be found for ever.
            while (void* const block = kept.size() < 1000 ? each.find(block_class) : nullptr) kept.push_back(block);
        }
        const std::set<void*> found(kept.begin(), kept.end());
        EXPECT_EQ(found.size(), kept.size()) << "a block was found twice";
        std::size_t blocks = 0;
        for (std::size_t i = 0; i < heaps.size(); ++i) {
            blocks += static_cast<std::size_t>(slab_in(i)->end() - slab_in(i)->begin()) / slab_in(i)->block_bytes();
        }
        EXPECT_EQ(found.size(), blocks) << "a block was lost";
    }

    std::array<heap, 2> heaps{heap(id_of(0)), heap(id_of(1))};
    heap_list all;
    std::vector<void*> kept;  // blocks that are in use to the end
    std::set<const heap*> entered;
};

// The owner allocates while another thread sends it blocks, one batch after the other.
struct batches_come_while_the_owner_looks : two_heaps {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 0) {
            for (int i = 0; i < 4; ++i) mine.push_back(heaps[0].find(block_class));
            return;
        }
        for (void* const block : sent) free_remote(1, block);
        heaps[1].flush();
    }

    void check() {
        kept.insert(kept.end(), mine.begin(), mine.end());
        expect_all_blocks();
    }

    std::vector<void*> sent = take(0, 6);
    std::vector<void*> mine;
};

// Two threads send blocks to one that receives them.
struct two_threads_send_to_one : two_heaps {
    static constexpr std::size_t threads = 3;

    void run(std::size_t thread) {
        if (thread == 0) {
            kept.push_back(heaps[0].find(block_class));
            return;
        }
        heap& sender = thread == 1 ? heaps[1] : third;
        for (int i = 0; i < 2; ++i) {
            sender.free_remote(sent[2 * (thread - 1) + static_cast<std::size_t>(i)], slab_in(0));
        }
    }

    void check() { expect_all_blocks(); }

    std::vector<void*> sent = take(0, 4);
    heap third{id_of(2)};
};

// Two threads end, each with a block of the other that it has not sent home yet.
struct two_threads_end_with_blocks_of_each_other : two_heaps {
    static constexpr std::size_t threads = 2;

    two_threads_end_with_blocks_of_each_other() {
        free_remote(0, take(1, 1).front());
        free_remote(1, take(0, 1).front());
    }

    void run(std::size_t thread) { heaps[thread].abandon(); }

    void check() { expect_all_blocks(); }
};

// A thread ends, with a block of another, while that one sends it blocks and a third adopts its heap, if it comes late
// enough, and sends home what it finds there.
struct a_thread_ends_while_blocks_come_and_another_adopts : two_heaps {
    static constexpr std::size_t threads = 3;

    a_thread_ends_while_blocks_come_and_another_adopts() {
        enter(heaps.data());
        free_remote(0, take(1, 1).front());
    }

    void run(std::size_t thread) {
        if (thread == 0) return leave(heaps.data());
        if (thread == 1) {
            for (void* const block : sent) free_remote(1, block);
            return;
        }
        if (heap* const adopted = all.adopt(id_of(2))) {
            EXPECT_EQ(adopted, heaps.data());
            enter(adopted);
            adopted->flush();
            kept.push_back(adopted->find(block_class));
        }
    }

    void check() { expect_all_blocks(); }

    std::vector<void*> sent = take(0, 2);
};

// Two threads want a heap that was abandoned, and leave it again.
struct two_threads_adopt_one_heap : two_heaps {
    static constexpr std::size_t threads = 2;

    two_threads_adopt_one_heap() { heaps[0].abandon(); }

    void run(std::size_t thread) {
        if (!heaps[0].adopt(id_of(thread + 2))) return;
        ++adoptions;
        enter(heaps.data());
        support::interleaving::step();
        leave(heaps.data());
    }

    void check() {
        EXPECT_GE(adoptions, 1);
        expect_all_blocks();
    }

    int adoptions = 0;
};

// A thread borrows blocks of an abandoned heap while another adopts it and a batch arrives there.
struct blocks_are_borrowed_from_a_heap_that_another_adopts : two_heaps {
    static constexpr std::size_t threads = 2;

    blocks_are_borrowed_from_a_heap_that_another_adopts() {
        while (void* const block = heaps[1].find(block_class)) kept.push_back(block);
        heaps[0].abandon();
    }

    void run(std::size_t thread) {
        if (thread == 1) {
            if (all.borrow(&heaps[1], id_of(1), block_class)) kept.push_back(heaps[1].find(block_class));
            free_remote(1, sent.front());
            return heaps[1].flush();
        }
        if (heap* const adopted = all.adopt(id_of(2))) {
            enter(adopted);
            if (void* const block = adopted->find(block_class)) kept.push_back(block);
            leave(adopted);
        }
    }

    void check() { expect_all_blocks(); }

    std::vector<void*> sent = take(0, 1);
};

// Two threads come, add a heap each where they find none, and use one each.
struct two_threads_come : two_heaps {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        heap* mine = nullptr;
        while ((mine = news.adopt(id_of(thread))) == nullptr) {
            ASSERT_LT(added, fresh.size()) << "more heaps than threads";
            news.add(&fresh[added++]);
        }
        enter(mine);
    }

    void check() {
        EXPECT_EQ(entered.size(), 2);
        expect_all_blocks();
    }

    heap_list news;
    std::size_t added = 0;
    std::array<heap, 2> fresh{heap(heap::nobody), heap(heap::nobody)};
};

}  // namespace

TEST(heap_interleavings, batches_come_while_the_owner_looks_for_blocks) {
    EXPECT_GT(for_every_interleaving<batches_come_while_the_owner_looks>(), 10);
}

TEST(heap_interleavings, two_threads_send_blocks_to_one) {
    EXPECT_GT(for_every_interleaving<two_threads_send_to_one>(), 10);
}

TEST(heap_interleavings, two_threads_end_with_blocks_of_each_other) {
    EXPECT_GT(for_every_interleaving<two_threads_end_with_blocks_of_each_other>(), 10);
}

TEST(heap_interleavings, a_thread_ends_while_blocks_come_and_another_adopts_its_heap) {
    EXPECT_GT(for_every_interleaving<a_thread_ends_while_blocks_come_and_another_adopts>(), 10);
}

TEST(heap_interleavings, two_threads_adopt_one_heap_one_after_the_other) {
    EXPECT_GT(for_every_interleaving<two_threads_adopt_one_heap>(), 10);
}

TEST(heap_interleavings, blocks_are_borrowed_from_a_heap_that_another_thread_adopts) {
    EXPECT_GT(for_every_interleaving<blocks_are_borrowed_from_a_heap_that_another_adopts>(), 10);
}

TEST(heap_interleavings, two_threads_come_and_have_a_heap_each) {
    EXPECT_GT(for_every_interleaving<two_threads_come>(), 10);
}

TEST(heap_interleavings, an_abandoned_heap_is_held_by_no_thread_not_even_by_one_without_an_id) {
    heap abandoned(heap::nobody);
    heap_list heaps;
    heaps.add(&abandoned);
    EXPECT_EQ(heaps.held_by(heap::nobody), nullptr);
    EXPECT_EQ(heaps.adopt(id_of(0)), &abandoned);
    EXPECT_EQ(heaps.held_by(id_of(0)), &abandoned);
}
