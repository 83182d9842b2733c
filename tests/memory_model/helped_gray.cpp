// The gray objects of a heap and its helper under the checker: what the program shades and what the helper finds is
// reached and traced by one of them, and the helper knows a block before it finds an object there. The inbox, the bits
// and the blocks are the library's. The pointers in objects are stored and read as traced_ptr does it.

#include <freehold/traced/detail/helped_gray.hpp>

#include <gtest/gtest.h>
#include <freehold/core/memcheck.hpp>
#include <freehold/traced/detail/marking_cycle.hpp>
#include <freehold/traced/detail/traced_chunk.hpp>
#include <freehold/traced/detail/write_barrier.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "support/checked_atomic_ref.hpp"
#include "support/checked_threading.hpp"
#include "support/checker.hpp"

namespace {

using freehold::detail::traced_block;
using freehold::detail::traced_chunk;
using freehold::detail::traced_type;
using support::checked_threading;
using support::for_every_execution;

using parked_helper = freehold::detail::parked_helper<checked_threading>;

void trace_nothing(const void*, freehold::detail::traced_marker&) {}

constexpr traced_type plain_type{.name = "plain", .cell_bytes = 4096, .trace = &trace_nothing};
constexpr traced_type concurrent_type{
    .name = "concurrent", .cell_bytes = 4096, .trace = &trace_nothing, .is_concurrent = true};

// A heap with a block of old objects, in a cycle that has reached none of them. The helper is parked. An object has one
// pointer.
struct heap {
    heap() {
        cycle.helped = &helped;
        cycle.is_running = true;
    }
    heap(const heap&) = delete;
    heap& operator=(const heap&) = delete;

    [[nodiscard]] traced_block& open(const traced_type& type) const {
        traced_block& opened = *chunk->open(type, 1);
        freehold::detail::tell_allocated(opened.begin, traced_chunk::block_bytes);
        support::wrote(&opened);
        support::wrote(opened.marks);
        support::wrote(opened.reached());
        return opened;
    }

    // Effects: makes objects in the block, and promotes them.
    static void fill(traced_block& block) {
        for (std::size_t i = 0; i < 3; ++i) construct(block.cell(i));
        for (std::size_t i = 0; i < 3; ++i) block.mark(i);
        support::wrote(block.marks);
    }

    static void construct(std::byte* object) {
        new (object) const std::byte*(nullptr);
        support::wrote(object);
    }

    static void store(const std::byte* object, const std::byte* target) {
        pointer_of(object).store(target, std::memory_order_relaxed);
    }

    // Effects: what the helper does when it looks at the heap.
    void mark() {
        if (!helped.handshake.enter()) return;
        while (helped.has_more() && !helped.handshake.is_wanted()) {
            const std::byte* const object = helped.gray.objects.pop();
            by_helper.push_back(object);
            trace(object, [this](traced_block& block, std::size_t index) {
                note_count(block);
                helped.reach(block, index);
            });
            helped.count(1);
        }
        helped.handshake.leave();
    }

    // Effects: parks the helper, and traces all that is gray.
    void finish() {
        cycle.park();
        EXPECT_EQ(helped.traced(), by_helper.size());
        while (freehold::detail::gray_objects* const from = cycle.any_gray()) {
            trace(from->objects.pop(), [this](traced_block& block, std::size_t index) {
                if (!block.is_marked(index)) return;
                if (block.type->is_concurrent) note_count(block);
                cycle.shade(block, index);
            });
        }
    }

    // Requires: finish() was called.
    static void expect_reached(const traced_block& block, std::size_t objects) {
        std::size_t found = 0;
        for (std::size_t i = 0; i < 3; ++i) found += block.is_reached<checked_threading>(i) ? 1 : 0;
        EXPECT_EQ(found, objects);
        if (!block.is_reached_counted) return;
        EXPECT_EQ(std::size_t{block.reached_count} + block.helped_count, objects);
    }

    // Some may be traced twice.
    void expect_traced(std::vector<const std::byte*> objects) {
        std::ranges::sort(objects);
        std::ranges::sort(traced);
        traced.erase(std::ranges::unique(traced).begin(), traced.end());
        EXPECT_EQ(traced, objects);
    }

    void check() {}

    struct end_chunk {
        void operator()(traced_chunk* ended) const noexcept { ended->~traced_chunk(); }
    };

    std::unique_ptr<traced_chunk, end_chunk> chunk{new (memory()) traced_chunk(space(), traced_chunk::bytes)};
    freehold::detail::basic_helped_gray<checked_threading> helped{nullptr};
    freehold::detail::basic_marking_cycle<checked_threading> cycle;
    traced_block& old = open(concurrent_type);
    std::vector<const std::byte*> traced;
    std::vector<const std::byte*> by_helper;  // the traced ones that the helper has traced

private:
    // Objects that the helper traces are counted by one thread at a time.
    static void note_count(const traced_block& block) {
        support::wrote(block.type->is_concurrent ? &block.reached_count : &block.helped_count);
    }

    [[nodiscard]] static void* memory() {
        static void* const used = ::operator new(traced_chunk::bytes, std::align_val_t{traced_chunk::bytes});
        return used;
    }

    [[nodiscard]] static freehold::detail::traced_space& space() {
        static freehold::detail::traced_space its;
        return its;
    }

    [[nodiscard]] static support::checked_atomic_ref<const std::byte*> pointer_of(const std::byte* object) {
        return support::checked_atomic_ref(*reinterpret_cast<const std::byte**>(const_cast<std::byte*>(object)));
    }

    template <class Found>
    void trace(const std::byte* object, Found found) {
        traced.push_back(object);
        const std::byte* const target = pointer_of(object).load(std::memory_order_relaxed);
        if (target == nullptr) return;
        traced_block& its = traced_chunk::block_of(target);
        support::has_read(&its);
        support::has_read(its.marks);
        found(its, its.index_of(target));
    }
};

// Of old objects of which the first is gray, and leads to the second.
struct old_objects : heap {
    old_objects() {
        fill(old);
        store(old.cell(0), old.cell(1));
        cycle.shade(old, 0);
    }
};

struct both_reach_objects : old_objects {
    static constexpr std::size_t threads = 2;

    both_reach_objects() { cycle.resume(); }

    void run(std::size_t thread) {
        if (thread == 1) return mark();
        cycle.shade(old, 1);
        cycle.shade(old, 2);
        finish();
        expect_reached(old, 3);
    }

    void check() { expect_traced({old.cell(0), old.cell(1), old.cell(2)}); }
};

// What the program has done before it shades an object, the thread sees that traces it.
struct the_program_shades_what_it_has_changed : old_objects {
    static constexpr std::size_t threads = 2;

    the_program_shades_what_it_has_changed() { cycle.resume(); }

    void run(std::size_t thread) {
        if (thread == 1) {
            mark();
            for (const std::byte* const each : by_helper) EXPECT_TRUE(each != old.cell(2) || change.get() == 1);
            return;
        }
        change.set(1);
        cycle.shade(old, 2);
        finish();
    }

    void check() { expect_traced({old.cell(0), old.cell(1), old.cell(2)}); }

    support::plain<int> change = 0;
};

struct the_helper_returns_objects : heap {
    static constexpr std::size_t threads = 2;

    the_helper_returns_objects() {
        fill(old);
        fill(returned);
        store(old.cell(0), returned.cell(0));
        cycle.shade(old, 0);
        cycle.resume();
    }

    void run(std::size_t thread) {
        if (thread == 1) {
            mark();
            EXPECT_LE(by_helper.size(), 1U);
            return;
        }
        cycle.shade(returned, 0);
        cycle.shade(returned, 1);
        finish();
        expect_reached(returned, 2);
    }

    void check() { expect_traced({old.cell(0), returned.cell(0), returned.cell(1)}); }

    traced_block& returned = open(plain_type);
};

// A new object is in a block that is opened while the helper marks.
struct a_block_is_opened : old_objects {
    static constexpr std::size_t threads = 2;

    a_block_is_opened() { cycle.resume(); }

    void run(std::size_t thread) {
        if (thread == 1) {
            mark();
            return mark();
        }
        traced_block* opened = nullptr;
        {
            const parked_helper parked(cycle);
            opened = &open(concurrent_type);
        }
        EXPECT_TRUE(cycle.is_helped_now());
        construct(opened->cell(0));
        store(old.cell(0), opened->cell(0));
        finish();
        expect_reached(*opened, 0);
    }
};

// A collection promotes the objects of a new old.
struct a_block_is_promoted : old_objects {
    static constexpr std::size_t threads = 2;

    a_block_is_promoted() { cycle.resume(); }

    void run(std::size_t thread) {
        if (thread == 1) {
            mark();
            return mark();
        }
        cycle.park();
        traced_block& opened = open(concurrent_type);
        fill(opened);
        store(old.cell(2), opened.cell(0));
        cycle.shade(old, 2);
        cycle.resume();
        store(opened.cell(0), opened.cell(1));
        cycle.shade(opened, 1);
        finish();
        expect_reached(opened, 2);
        expect_traced({old.cell(0), old.cell(1), old.cell(2), opened.cell(0), opened.cell(1)});
    }
};

struct the_helper_is_idle : old_objects {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 1) return mark();
        cycle.resume();
        const bool was_idle = helped.is_idle();
        cycle.park();
        EXPECT_EQ(helped.is_idle(), helped.gray.empty());
        EXPECT_TRUE(helped.gray.empty() || !was_idle);
        cycle.stop();
        EXPECT_TRUE(helped.is_idle());
        EXPECT_EQ(helped.traced(), 0U);
    }
};

constexpr support::bounds some{.interruptions = 3, .surprises = 2, .steps_after = false};

}  // namespace

TEST(checked_helped_gray, both_reach_objects) { EXPECT_GT(for_every_execution<both_reach_objects>(some), 10); }

TEST(checked_helped_gray, the_program_shades_what_it_has_changed) {
    EXPECT_GT(for_every_execution<the_program_shades_what_it_has_changed>(some), 10);
}

TEST(checked_helped_gray, the_helper_returns_objects) {
    EXPECT_GT(for_every_execution<the_helper_returns_objects>(some), 10);
}

TEST(checked_helped_gray, a_block_is_opened) { EXPECT_GT(for_every_execution<a_block_is_opened>(some), 10); }

TEST(checked_helped_gray, a_block_is_promoted) { EXPECT_GT(for_every_execution<a_block_is_promoted>(some), 10); }

TEST(checked_helped_gray, the_helper_is_idle) { EXPECT_GT(for_every_execution<the_helper_is_idle>(some), 10); }
