// How threads send each other blocks home, leave their heaps and adopt them, under the checker: no block is lost or
// found twice, no heap is held by two threads, a slab is empty when all its blocks are free, and what one thread did
// with a block or a heap happens before what the next one does.

#include <gtest/gtest.h>

#include "support/checked_counting.hpp"
// After the names of the builtins.
#include <freehold/memory/detail/slab.hpp>
#include <freehold/memory/detail/slab_cache.hpp>
#include <freehold/memory/detail/thread_heap.hpp>

#include <array>
#include <cstddef>
#include <mutex>
#include <set>
#include <vector>

#include "support/checked_mutex.hpp"
#include "support/checked_threading.hpp"
#include "support/checker.hpp"

namespace {

using support::for_every_execution;

using heap = freehold::detail::basic_thread_heap<support::checked_threading>;
using slab = freehold::detail::slab;
using heap_list = freehold::detail::heap_list<heap>;

// Few blocks to a slab, and two to a batch.
constexpr std::size_t block_class = freehold::detail::slab_class::of(4096);
constexpr std::size_t in_slab = 15;

struct alignas(freehold::detail::slab_bytes) slab_memory {
    std::byte bytes[freehold::detail::slab_bytes];
};

slab_memory memory[8];

// Three heaps in one pool, each with a slab, held by the threads of a scenario.
struct pool {
    pool() {
        for (std::size_t i = 0; i < heaps.size(); ++i) {
            open_slab(i);
            all.add(&heaps[i]);
        }
    }

    // Effects: serves the heap from a fresh slab. Requires: it has no free block.
    slab* open_slab(std::size_t i) {
        slab* const fresh = slab::of(&memory[slabs++]);
        fresh->block_class = freehold::detail::slab_cache::no_class;
        heaps[i].open(fresh, block_class);
        return fresh;
    }

    static slab* slab_in(std::size_t i) { return slab::of(&memory[i]); }

    // Effects: takes blocks out of the heap, which has them in its slabs.
    [[nodiscard]] std::vector<void*> take(std::size_t i, std::size_t blocks) {
        std::vector<void*> taken;
        while (taken.size() != blocks) taken.push_back(find(heaps[i]));
        return taken;
    }

    // Returns: a block for use, or null.
    [[nodiscard]] static void* find(heap& from) {
        void* const block = from.find(block_class);
        if (block != nullptr) support::wrote(block);
        return block;
    }

    // Effects: uses and frees a block of another heap.
    void free_remote(std::size_t i, void* block) {
        support::wrote(block);
        heaps[i].free_remote(block, slab::of(block));
    }

    // Effects: frees a block of the heap.
    void free_at_home(std::size_t i, void* block) {
        if (heaps[i].push_any(block, slab::of(block))) heaps[i].requeue(slab::of(block));
    }

    // As the pool does: under its mutex.
    [[nodiscard]] heap* adopt() {
        const std::lock_guard held(mutex);
        return entered_or_null(all.adopt());
    }

    [[nodiscard]] heap* adopt_in_turn() {
        const std::lock_guard held(mutex);
        return entered_or_null(all.adopt_in_turn());
    }

    // Effects: notes that the thread has the heap, which nobody else may have at that time.
    void enter(const heap* held) {
        EXPECT_TRUE(entered.insert(held).second) << "two threads hold one heap";
        support::wrote(held);
    }

    // Effects: leaves the heap, whose blocks another thread may have from then on.
    void leave(heap* held) {
        entered.erase(held);
        support::wrote(held);
        all.abandon(held);
    }

    // Effects: expects that every block of the slabs is kept or found, once, and that when all are freed, all slabs are
    // found empty, once.
    void expect_all_blocks(bool all_are_sent = false) {
        for (heap& each : heaps) {
            if (!all_are_sent) each.flush();
        }
        for (heap& each : heaps) {
            // A batch that was sent twice would be found for ever.
            while (void* const block = kept.size() < 1000 ? each.find(block_class) : nullptr) kept.push_back(block);
        }
        const std::set<void*> found(kept.begin(), kept.end());
        EXPECT_EQ(found.size(), kept.size()) << "a block was found twice";
        EXPECT_EQ(found.size(), slabs * in_slab) << "a block was lost";
        for (void* const block : found) {
            for (std::size_t i = 0; i < heaps.size(); ++i) {
                if (slab::of(block)->home == &heaps[i]) free_at_home(i, block);
            }
        }
        std::multiset<slab*> empty;
        for (heap& each : heaps) {
            each.put_all_aside();
            while (slab* const next = each.pop_empty()) empty.insert(next);
        }
        EXPECT_EQ(empty.size(), slabs) << "a slab did not become empty, or did twice";
        EXPECT_EQ(std::set<slab*>(empty.begin(), empty.end()).size(), slabs);
    }

    std::size_t slabs = 0;
    heap_list all;
    support::checked_mutex mutex;
    std::array<heap, 3> heaps{heap(0, all), heap(0, all), heap(0, all)};
    std::vector<void*> kept;  // blocks that are in use to the end
    std::set<const heap*> entered;

private:
    [[nodiscard]] heap* entered_or_null(heap* adopted) {
        if (adopted != nullptr) enter(adopted);
        return adopted;
    }
};

// What the first slab of the first heap is when blocks come home to it, all of which are in use.
enum class slab_state { current, aside, available };

template <slab_state State>
struct pool_with_slab : pool {
    pool_with_slab() : blocks(take(0, in_slab)) {
        if (State == slab_state::available) heaps[0].put_all_aside();
        while (State == slab_state::aside && !slab_in(0)->is_current_of(nullptr)) {
            open_slab(0);
            for (void* const block : take(0, in_slab)) kept.push_back(block);
        }
    }

    std::vector<void*> blocks;
};

// The owner allocates while another thread sends it blocks, one batch after the other.
template <slab_state State>
struct batches_come_while_the_owner_looks : pool_with_slab<State> {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        for (std::size_t i = 0; i < in_slab; ++i) {
            if (thread == 0 && i < 4) {
                void* const block = this->find(this->heaps[0]);
                if (block != nullptr) this->kept.push_back(block);
            }
            if (thread == 1 && i < 6) this->free_remote(1, this->blocks[i]);
        }
    }

    void check() {
        this->kept.insert(this->kept.end(), this->blocks.begin() + 6, this->blocks.end());
        this->expect_all_blocks();
    }
};

// Two threads send the last blocks of a slab home, while the owner looks for empty slabs.
template <slab_state State>
struct a_slab_becomes_empty : pool_with_slab<State> {
    static constexpr std::size_t threads = 3;

    a_slab_becomes_empty() {
        // Once it is available, the rest may come before.
        while (State == slab_state::available && this->blocks.size() > 4) {
            this->free_at_home(0, this->blocks.back());
            this->blocks.pop_back();
        }
    }

    void run(std::size_t thread) {
        if (thread == 0) {
            look();
            return look();
        }
        const std::size_t middle = this->blocks.size() / 2;
        for (std::size_t i = thread == 1 ? 0 : middle; i < (thread == 1 ? middle : this->blocks.size()); ++i) {
            this->free_remote(thread, this->blocks[i]);
        }
        this->heaps[thread].flush();
    }

    void check() {
        look();
        EXPECT_EQ(empty, std::vector<slab*>{this->slab_in(0)});
    }

    void look() {
        this->heaps[0].receive();
        while (slab* const found = this->heaps[0].pop_empty()) empty.push_back(found);
    }

    std::vector<slab*> empty;
};

// Two threads send blocks to one that receives them.
struct two_threads_send_to_one : pool {
    static constexpr std::size_t threads = 3;

    void run(std::size_t thread) {
        if (thread == 0) return kept.push_back(find(heaps[0]));
        for (std::size_t i = 0; i < 2; ++i) free_remote(thread, sent[2 * (thread - 1) + i]);
    }

    void check() { expect_all_blocks(); }

    std::vector<void*> sent = take(0, 4);
};

// Two threads end, each with a block of the other that it has not sent home yet.
struct two_threads_end_with_blocks_of_each_other : pool {
    static constexpr std::size_t threads = 2;

    two_threads_end_with_blocks_of_each_other() {
        free_remote(0, take(1, 1).front());
        free_remote(1, take(0, 1).front());
    }

    void run(std::size_t thread) { all.abandon(&heaps[thread]); }

    void check() { expect_all_blocks(true); }
};

// A thread ends, with a block of another, while that one sends it blocks and a third adopts its heap, if it comes late
// enough, and sends home what it finds there.
struct a_thread_ends_while_blocks_come_and_another_adopts : pool {
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
        if (heap* const adopted = adopt()) {
            EXPECT_EQ(adopted, heaps.data());
            kept.push_back(find(*adopted));
        }
    }

    void check() { expect_all_blocks(); }

    std::vector<void*> sent = take(0, 2);
};

// Heaps are adopted, in both ways, and abandoned again while a third thread abandons one: the first of the list may be
// another at any step, and the same once more.
struct three_heaps_are_adopted_and_abandoned : pool {
    static constexpr std::size_t threads = 3;

    three_heaps_are_adopted_and_abandoned() {
        all.abandon(&heaps[0]);
        all.abandon(&heaps[1]);
        enter(&heaps[2]);
    }

    void run(std::size_t thread) {
        if (thread == 2) leave(&heaps[2]);
        heap* const held = thread == 1 ? adopt_in_turn() : adopt();
        ASSERT_NE(held, nullptr) << "no more threads than heaps";
        support::execution::pass();
        leave(held);
    }

    void check() {
        std::set<heap*> found;
        while (heap* const each = adopt()) {
            if (!found.insert(each).second) break;
        }
        EXPECT_EQ(found.size(), heaps.size()) << "a heap was lost";
        EXPECT_FALSE(all.has_abandoned());
        expect_all_blocks();
    }
};

// A thread borrows blocks of an abandoned heap while another adopts it and a batch arrives there.
struct blocks_are_borrowed_from_a_heap_that_another_adopts : pool {
    static constexpr std::size_t threads = 3;

    blocks_are_borrowed_from_a_heap_that_another_adopts() {
        for (void* const block : take(1, in_slab)) kept.push_back(block);
        all.abandon(heaps.data());
    }

    void run(std::size_t thread) {
        if (thread == 2) {
            free_remote(2, sent.front());
            return heaps[2].flush();
        }
        heap* const adopted = thread == 0 ? adopt() : adopt_in_turn();
        if (adopted == nullptr) return;
        if (thread == 0) {
            if (void* const block = find(*adopted)) kept.push_back(block);
        } else {
            EXPECT_TRUE(heaps[1].take_from(*adopted, block_class));
            kept.push_back(find(heaps[1]));
        }
        leave(adopted);
    }

    void check() { expect_all_blocks(); }

    std::vector<void*> sent = take(0, 1);
};

// Two threads ask an abandoned heap for blocks of another size, while the last of its slab come home.
struct a_heap_is_asked_while_its_last_blocks_come_home : pool {
    static constexpr std::size_t threads = 3;

    a_heap_is_asked_while_its_last_blocks_come_home() {
        for (; sent.size() > 4; sent.pop_back()) free_at_home(0, sent.back());
        all.abandon(heaps.data());
    }

    void run(std::size_t thread) {
        if (thread == 0) {
            for (void* const block : sent) free_remote(2, block);
        } else if (heap* const adopted = thread == 1 ? adopt() : adopt_in_turn()) {
            ask(*adopted);
        }
    }

    void check() {
        ask(*adopt());
        EXPECT_EQ(empty, std::vector<slab*>{slab_in(0)});
    }

    void ask(heap& adopted) {
        EXPECT_FALSE(heaps[1].take_from(adopted, block_class - 1));
        while (slab* const found = adopted.pop_empty()) empty.push_back(found);
        leave(&adopted);
    }

    std::vector<void*> sent = take(0, in_slab);
    std::vector<slab*> empty;
};

// Two threads come, add a heap each where they find none, and use one each.
struct two_threads_come : pool {
    static constexpr std::size_t threads = 2;

    void run(std::size_t) {
        heap* mine = nullptr;
        while ((mine = adopt()) == nullptr) {
            ASSERT_LT(added, fresh.size()) << "more heaps than threads";
            heap* const made = &fresh[added++];
            all.add(made);
            all.abandon(made);
        }
        mine_too.insert(mine);
    }

    void check() {
        EXPECT_EQ(mine_too.size(), 2);
        expect_all_blocks();
    }

    std::set<heap*> mine_too;
    std::size_t added = 0;
    std::array<heap, 2> fresh{heap(0, all), heap(0, all)};
};

// A thread adds a heap while another walks over all of them.
struct a_heap_is_added_while_another_thread_walks : pool {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 0) {
            support::wrote(&fresh);
            return all.add(&fresh);
        }
        std::size_t found = 0;
        for (heap* each = all.first(); each != nullptr; each = each->next_in_resource) {
            support::has_read(each);
            ++found;
        }
        EXPECT_GE(found, heaps.size());
    }

    void check() {
        std::size_t found = 0;
        for (heap* each = all.first(); each != nullptr; each = each->next_in_resource) ++found;
        EXPECT_EQ(found, heaps.size() + 1);
    }

    heap fresh{0, all};
};

// A heap of which the list uses nothing but the links, of which each use is declared.
struct listed_heap {
    template <class T>
    using atomic = support::checked_atomic<T>;

    class link {
    public:
        void operator=(listed_heap* next) {
            support::wrote(this);
            next_ = next;
        }
        operator listed_heap*&() {
            support::wrote(this);
            return next_;
        }

    private:
        listed_heap* next_ = nullptr;
    };

    void flush() {}

    link next_in_resource;
    link next_abandoned;
};

// Two heaps are abandoned one after the other, and adopted by two threads; one of them, which visits them in turn,
// abandons its own again.
struct links_of_abandoned_heaps {
    static constexpr std::size_t threads = 3;

    void run(std::size_t thread) {
        if (thread == 0) {
            all.abandon(&heaps[0]);
            return all.abandon(&heaps[1]);
        }
        listed_heap* const held = adopt(thread == 1);
        if (thread == 2 && held != nullptr) all.abandon(held);
    }

    void check() {
        while (listed_heap* const each = adopt(true)) each->next_abandoned = nullptr;
    }

    listed_heap* adopt(bool last) {
        const std::lock_guard held(mutex);
        if (last) return all.adopt();
        static_cast<void>(all.begin_turn());
        return all.adopt_in_turn();
    }

    freehold::detail::heap_list<listed_heap> all;
    support::checked_mutex mutex;
    std::array<listed_heap, 2> heaps;
};

constexpr support::bounds some{.interruptions = 2, .surprises = 1};
constexpr support::bounds few{.interruptions = 2, .surprises = 1, .steps_after = false};

}  // namespace

TEST(checked_heaps, batches_come_for_a_current_slab_while_the_owner_looks_for_blocks) {
    EXPECT_GT(for_every_execution<batches_come_while_the_owner_looks<slab_state::current>>(few), 10);
}

TEST(checked_heaps, batches_come_for_a_slab_that_was_put_aside_while_the_owner_looks_for_blocks) {
    EXPECT_GT(for_every_execution<batches_come_while_the_owner_looks<slab_state::aside>>(few), 10);
}

TEST(checked_heaps, batches_come_for_an_available_slab_while_the_owner_looks_for_blocks) {
    EXPECT_GT(for_every_execution<batches_come_while_the_owner_looks<slab_state::available>>(few), 10);
}

TEST(checked_heaps, a_slab_that_was_put_aside_becomes_empty_once_through_two_threads) {
    EXPECT_GT(for_every_execution<a_slab_becomes_empty<slab_state::aside>>(few), 10);
}

TEST(checked_heaps, an_available_slab_becomes_empty_once_through_two_threads) {
    EXPECT_GT(for_every_execution<a_slab_becomes_empty<slab_state::available>>(few), 10);
}

TEST(checked_heaps, two_threads_send_blocks_to_one) {
    EXPECT_GT(for_every_execution<two_threads_send_to_one>(some), 10);
}

TEST(checked_heaps, two_threads_end_with_blocks_of_each_other) {
    EXPECT_GT(for_every_execution<two_threads_end_with_blocks_of_each_other>(some), 10);
}

TEST(checked_heaps, a_thread_ends_while_blocks_come_and_another_adopts_its_heap) {
    EXPECT_GT(for_every_execution<a_thread_ends_while_blocks_come_and_another_adopts>(few), 10);
}

TEST(checked_heaps, three_heaps_are_adopted_by_one_thread_at_a_time_and_none_is_lost) {
    EXPECT_GT(for_every_execution<three_heaps_are_adopted_and_abandoned>(few), 10);
}

TEST(checked_heaps, blocks_are_borrowed_from_a_heap_that_another_thread_adopts) {
    EXPECT_GT(for_every_execution<blocks_are_borrowed_from_a_heap_that_another_adopts>(few), 10);
}

TEST(checked_heaps, a_heap_is_asked_for_blocks_while_its_last_ones_come_home) {
    EXPECT_GT(for_every_execution<a_heap_is_asked_while_its_last_blocks_come_home>(few), 10);
}

TEST(checked_heaps, two_threads_come_and_have_a_heap_each) {
    EXPECT_GT(for_every_execution<two_threads_come>(few), 10);
}

TEST(checked_heaps, a_heap_is_added_while_another_thread_walks_over_all) {
    EXPECT_GT(for_every_execution<a_heap_is_added_while_another_thread_walks>(some), 10);
}

TEST(checked_heaps, links_of_abandoned_heaps_are_read_after_they_were_written) {
    EXPECT_GT(for_every_execution<links_of_abandoned_heaps>(few), 10);
}

// Without the checker, from here: what one thread does.

TEST(checked_heaps, blocks_are_sent_home_when_a_batch_is_full) {
    pool one;
    for (void* const block : one.take(0, 2)) one.free_remote(1, block);
    static_cast<void>(one.take(0, in_slab - 2));
    EXPECT_NE(pool::find(one.heaps[0]), nullptr);
}

TEST(checked_heaps, all_blocks_are_sent_home_again_and_again) {
    pool one;
    int flushed = 0;
    for (int i = 0; i < 3 * 256; ++i) {
        void* const block = pool::find(one.heaps[0]);
        ASSERT_NE(block, nullptr);
        flushed += one.heaps[1].free_remote(block, slab::of(block)) ? 1 : 0;
    }
    EXPECT_EQ(flushed, 3) << "once in 256 blocks";
}

TEST(checked_heaps, a_turn_is_of_all_heaps_that_are_abandoned_when_it_begins) {
    freehold::detail::heap_list<listed_heap> all;
    std::array<listed_heap, 4> heaps;
    for (listed_heap& each : heaps) all.abandon(&each);
    all.abandon(all.adopt_in_turn());  // the other three are in a turn that has begun
    EXPECT_EQ(all.begin_turn(), heaps.size());
    std::set<const listed_heap*> found;
    for (std::size_t i = 0; i < heaps.size(); ++i) found.insert(all.adopt_in_turn());
    EXPECT_EQ(found.size(), heaps.size());
    EXPECT_EQ(found.count(nullptr), 0);
    EXPECT_EQ(all.begin_turn(), 0);
}

TEST(checked_heaps, no_heap_is_left_when_all_are_taken) {
    pool one;
    for (heap& each : one.heaps) one.all.abandon(&each);
    one.all.abandon(one.all.adopt_in_turn());
    static_cast<void>(one.all.take_all());
    EXPECT_FALSE(one.all.has_abandoned());
    EXPECT_EQ(one.all.adopt(), nullptr);
    EXPECT_EQ(one.all.first(), nullptr);
}
