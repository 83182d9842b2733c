#include <gtest/gtest.h>
#include <freehold/traced/atomic_traced_ptr.hpp>
#include <freehold/traced/shared_traced_heap.hpp>

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <freehold/traced/traced_array.hpp>
#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_root.hpp>

#include "support/tracked.hpp"
#include "support/tracked_node.hpp"

namespace {

using freehold::atomic_traced_ptr;
using freehold::shared_traced_heap;
using freehold::traced_local;
using freehold::traced_ptr;
using freehold::traced_root;
using freehold::traced_view;
using support::tracked;

struct atomic_target {
    int id = 0;
    tracked counted = {};
};

struct atomic_derived : atomic_target {
    void trace(auto&) const {}
};

struct atomic_holder {
    atomic_traced_ptr<atomic_target> held = {};
    std::array<atomic_traced_ptr<const atomic_target>, 2> pair = {};
};

class atomic_traced_ptr_test : public support::tracked_test {
protected:
    void TearDown() override {
        holder.reset();
        heap.collect();
        tracked_test::TearDown();
    }

    [[nodiscard]] traced_local<atomic_target> target(int id) { return heap.make<atomic_target>(id); }

    shared_traced_heap heap;
    shared_traced_heap::session session{heap};
    traced_root<atomic_holder> holder = heap.make<atomic_holder>();
};

// The trace reads the pointer, in a thread that marks and has no session.
struct looks_first {
    void trace(auto& visit) const {
        static_cast<void>(next.load());
        visit(next);
    }

    atomic_traced_ptr<looks_first> next = {};
    std::array<long, 7> rest = {};
};

}  // namespace

static_assert(sizeof(atomic_traced_ptr<atomic_target>) == sizeof(void*));
static_assert(atomic_traced_ptr<atomic_target>::is_always_lock_free);
static_assert(!std::is_constructible_v<atomic_traced_ptr<atomic_derived>, traced_view<atomic_target>>);

TEST_F(atomic_traced_ptr_test, it_is_null_at_first) {
    EXPECT_FALSE(holder->held);
    EXPECT_EQ(holder->held.load(), nullptr);
    EXPECT_EQ(holder->held.get(), nullptr);
}

TEST_F(atomic_traced_ptr_test, it_keeps_what_is_stored) {
    holder->held.store(target(1));
    holder->pair[1] = target(2);
    heap.collect();
    EXPECT_EQ(holder->held->id + holder->pair[1].load()->id, 3);
    EXPECT_EQ(tracked::alive(), 2);
}

TEST_F(atomic_traced_ptr_test, a_young_collection_finds_what_an_old_object_leads_to) {
    heap.collect();
    holder->held = target(1);
    holder->pair[0].exchange(target(2));
    traced_view<const atomic_target> none;
    EXPECT_TRUE(holder->pair[1].compare_exchange_strong(none, target(3)));
    heap.collect_young();
    EXPECT_EQ(tracked::alive(), 3);
    EXPECT_EQ(holder->held->id + holder->pair[0]->id + holder->pair[1]->id, 6);
}

TEST_F(atomic_traced_ptr_test, it_lets_go_of_what_it_had) {
    holder->held = target(1);
    holder->held = target(2);
    heap.collect();
    EXPECT_EQ(tracked::alive(), 1);
    holder->held = nullptr;
    heap.collect();
    EXPECT_EQ(tracked::alive(), 0);
}

TEST_F(atomic_traced_ptr_test, an_exchange_returns_what_was_there) {
    const traced_local<atomic_target> first = target(1);
    holder->held = first;
    EXPECT_EQ(holder->held.exchange(target(2)), first);
    EXPECT_EQ(holder->held.exchange(nullptr)->id, 2);
    EXPECT_FALSE(holder->held);
}

TEST_F(atomic_traced_ptr_test, a_compare_exchange_compares) {
    const traced_local<atomic_target> first = target(1);
    const traced_local<atomic_target> second = target(2);
    holder->held = first;
    traced_view<atomic_target> expected = second;
    EXPECT_FALSE(holder->held.compare_exchange_strong(expected, second));
    EXPECT_EQ(expected, first);
    EXPECT_EQ(holder->held.load(), first);
    EXPECT_TRUE(holder->held.compare_exchange_strong(expected, second));
    EXPECT_EQ(holder->held.load(), second);
    expected = second;
    while (!holder->held.compare_exchange_weak(expected, nullptr)) EXPECT_EQ(expected, second);
    EXPECT_FALSE(holder->held);
}

TEST_F(atomic_traced_ptr_test, copies_point_to_the_same) {
    holder->held = target(1);
    const traced_local<atomic_holder> copy = heap.make<atomic_holder>(*holder);
    EXPECT_EQ(copy->held.load(), holder->held.load());
    copy->held = target(2);
    *holder = *copy;
    heap.collect();
    EXPECT_EQ(holder->held->id, 2);
    EXPECT_EQ(tracked::alive(), 1);
}

TEST_F(atomic_traced_ptr_test, it_takes_what_any_handle_points_to) {
    const traced_local<atomic_derived> derived = heap.make<atomic_derived>();
    const traced_root<atomic_derived> root = derived;
    holder->held = derived;
    EXPECT_EQ(holder->held, root);
    holder->held.store(root);
    holder->pair[0] = holder->held;
    EXPECT_EQ(holder->pair[0].load(), derived);
    const traced_local<atomic_target> kept = holder->held.load();
    EXPECT_EQ(kept, holder->held);
}

TEST_F(atomic_traced_ptr_test, it_may_be_an_argument_of_make) {
    const traced_local<atomic_holder> made = heap.make<atomic_holder>(target(1));
    heap.collect();
    EXPECT_EQ(made->held->id, 1);
    EXPECT_EQ(tracked::alive(), 1);
}

TEST_F(atomic_traced_ptr_test, it_is_an_element_of_an_array) {
    const auto array = heap.make_array<atomic_traced_ptr<atomic_target>>(10'000);
    heap.collect();
    for (std::size_t i = 0; i < array->size(); i += 1000) (*array)[i] = target(static_cast<int>(i));
    heap.collect_young();
    EXPECT_EQ(tracked::alive(), 10);
    EXPECT_EQ((*array)[9000]->id, 9000);
}

TEST(atomic_traced_ptr_in_a_traced_heap, it_is_a_traced_ptr) {
    freehold::traced_heap heap;
    const traced_local<atomic_holder> old = heap.make<atomic_holder>();
    heap.collect();
    old->held = heap.make<atomic_target>(1);
    heap.collect_young();
    EXPECT_EQ(old->held->id, 1);
}

TEST(atomic_traced_ptr, is_read_by_a_trace_in_another_thread) {
    freehold::traced_heap_options options;
    options.mark_threads = 3;
    shared_traced_heap heap(options);
    const shared_traced_heap::session session(heap);
    constexpr std::size_t many = 200'000;
    const traced_local<freehold::traced_array<traced_ptr<looks_first>>> all =
        heap.make_array<traced_ptr<looks_first>>(many);
    for (std::size_t i = 0; i < many; ++i) {
        const traced_local<looks_first> made = heap.make<looks_first>();
        if (i != 0) made->next = (*all)[i / 2];
        (*all)[i] = made;
    }
    heap.collect();
    EXPECT_GE(heap.live_bytes(), many * sizeof(looks_first));
}
