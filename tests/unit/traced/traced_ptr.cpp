// The pointer itself. What it means in a collection is tested in traced_heap.cpp and traced_graphs.cpp.

#include <gtest/gtest.h>
#include <freehold/traced/traced_ptr.hpp>

#include <any>
#include <compare>
#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include <freehold/traced/traced_heap.hpp>

#include "support/tracked_node.hpp"

namespace {

using freehold::traced_heap;
using freehold::traced_local;
using freehold::traced_ptr;
using freehold::traced_root;
using support::tracked;
using support::tracked_node;

class traced_ptr_test : public support::tracked_test {
protected:
    traced_heap heap;

    void TearDown() override {
        heap.collect();
        support::tracked_test::TearDown();
    }
};

// Aggregates, whose traced_ptrs are made straight from the arguments of heap.make.

struct chained {
    int value;
    traced_ptr<chained> next;
    std::optional<traced_ptr<chained>> maybe = {};
};

struct reads_anything {
    template <class Handle>
    explicit(false) reads_anything(const Handle& handle) : id(handle.get()->id) {}

    int id;
};

struct takes_anything {
    traced_ptr<tracked_node> next;
    std::any anything;
    reads_anything read;

    template <class Visitor>
    void trace(Visitor& visit) const {
        visit(next);
    }
};

struct shelf {
    std::vector<traced_ptr<chained>> links;
};

// Stores the handle that it is made from somewhere else.
struct diverted {
    template <class Handle>
        requires std::constructible_from<traced_ptr<chained>, const Handle&>
    diverted(const Handle& handle) {
        place->links.emplace_back(handle);
    }

    static inline shelf* place = nullptr;
};

struct holder {
    diverted part;
    traced_ptr<chained> next = {};

    template <class Visitor>
    void trace(Visitor& visit) const {
        visit(next);
    }
};

}  // namespace

static_assert(sizeof(traced_ptr<int>) == sizeof(int*));
static_assert(!std::is_trivially_copyable_v<traced_ptr<int>>);
static_assert(std::is_trivially_destructible_v<traced_ptr<int>>);
static_assert(std::is_nothrow_copy_constructible_v<traced_ptr<int>>);
static_assert(std::is_convertible_v<traced_ptr<int>, traced_ptr<const int>>);
static_assert(!std::is_convertible_v<traced_ptr<const int>, traced_ptr<int>>);
static_assert(!std::is_convertible_v<int*, traced_ptr<int>>);
static_assert(freehold::is_traced_pointer<traced_ptr<int>>);

TEST_F(traced_ptr_test, is_empty_by_default) {
    const traced_ptr<tracked_node> empty;
    EXPECT_FALSE(empty);
    EXPECT_EQ(empty, nullptr);
    EXPECT_EQ(traced_ptr<tracked_node>(nullptr), empty);
}

TEST_F(traced_ptr_test, copies_and_assigns) {
    const traced_local<tracked_node> kept = heap.make<tracked_node>(1);
    kept->next = kept;
    EXPECT_EQ(kept->next, kept);
    kept->pair[0] = kept->next;
    EXPECT_EQ(kept->pair[0], kept->next);
    kept->next = nullptr;
    EXPECT_EQ(kept->next, nullptr);
    kept->next = kept->pair[1];
    EXPECT_FALSE(kept->next);
}

TEST_F(traced_ptr_test, is_ordered) {
    const traced_local<tracked_node> kept = heap.make<tracked_node>(1);
    kept->next = heap.make<tracked_node>(2);
    kept->pair[0] = kept;
    const std::set<traced_ptr<tracked_node>> all = {kept->next, kept->pair[0], kept->next};
    EXPECT_EQ(all.size(), 2U);
    EXPECT_EQ(kept->next <=> kept, kept->next <=> kept->pair[0]);
    EXPECT_EQ(kept->pair[0] <=> kept, std::strong_ordering::equal);
}

TEST_F(traced_ptr_test, is_hashed_by_the_address_of_its_object) {
    const traced_local<tracked_node> kept = heap.make<tracked_node>(1);
    kept->next = kept;
    const std::hash<traced_ptr<tracked_node>> hash;
    EXPECT_EQ(hash(kept), hash(kept->next));
    EXPECT_EQ(hash(kept), std::hash<const tracked_node*>()(kept.get()));
    std::unordered_set<traced_ptr<tracked_node>> all = {kept, kept->next, nullptr};
    EXPECT_EQ(all.size(), 2U);
}

TEST_F(traced_ptr_test, stores_anywhere_are_harmless) {
    const traced_local<tracked_node> kept = heap.make<tracked_node>(1);
    heap.collect();
    static traced_ptr<tracked_node> in_static_room;
    const auto on_the_free_store = std::make_unique<traced_ptr<tracked_node>>();
    for (int i = 0; i < 1000; ++i) {
        const traced_ptr<tracked_node> on_the_stack = heap.make<tracked_node>(i);
        *on_the_free_store = on_the_stack;
        in_static_room = on_the_stack;
        kept->next = in_static_room;
        heap.collect_young();
        ASSERT_EQ(kept->next->id, i);
    }
    in_static_room = nullptr;
    heap.collect();
    EXPECT_EQ(tracked::alive(), 2);
}

TEST_F(traced_ptr_test, new_aggregates_keep_their_arguments_alive_between_old_objects) {
    constexpr int count = 1000;
    traced_local<chained> old;
    for (int i = 0; i < count; ++i) {
        static_cast<void>(heap.make_unrooted<chained>(-1, nullptr));
        old = heap.make<chained>(i, old);
    }
    heap.collect();  // leaves a free cell between any two
    traced_local<chained> kept;
    for (int i = 0; i < count; ++i) {
        const traced_local<chained> target = heap.make<chained>(i, nullptr);
        kept = heap.make<chained>(-i, kept, target);
    }
    heap.collect_young();
    for (int i = 0; i < count; ++i) static_cast<void>(heap.make_unrooted<chained>(-1, nullptr));
    heap.collect_young();
    for (int i = count; i-- > 0; old = old->next) ASSERT_EQ(old->value, i);
    for (int i = count; i-- > 0; kept = kept->next) ASSERT_EQ((*kept->maybe)->value, i);
    EXPECT_FALSE(kept);
}

TEST_F(traced_ptr_test, a_handle_that_a_new_aggregate_stores_elsewhere_is_remembered) {
    const traced_local<shelf> old = heap.make<shelf>();
    old->links.reserve(100);
    heap.collect();
    diverted::place = old.get();
    for (int i = 0; i < 100; ++i) {
        const traced_local<chained> target = heap.make<chained>(i, nullptr);
        static_cast<void>(heap.make_unrooted<holder>(target, target));
    }
    heap.collect_young();
    for (int i = 0; i < 10000; ++i) static_cast<void>(heap.make_unrooted<chained>(-1, nullptr));
    heap.collect_young();
    ASSERT_EQ(old->links.size(), 100U);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(old->links[static_cast<std::size_t>(i)]->value, i);
}

TEST_F(traced_ptr_test, a_member_of_a_new_aggregate_that_takes_anything_gets_the_handle_itself) {
    const traced_local<tracked_node> target = heap.make<tracked_node>(1);
    const traced_root<tracked_node> root = heap.make<tracked_node>(2);
    traced_local<takes_anything> made = heap.make<takes_anything>(target, root, root);
    EXPECT_NE(std::any_cast<traced_root<tracked_node>>(&made->anything), nullptr);
    EXPECT_EQ(made->read.id, 2);
    made = nullptr;
    heap.collect();  // destroys the copy of the root, and the next collection what that kept alive
}

TEST_F(traced_ptr_test, assigning_a_variable_in_a_loop_takes_no_memory) {
    const traced_local<tracked_node> kept = heap.make<tracked_node>(1);
    kept->next = kept;
    traced_ptr<tracked_node> cursor = kept;
    for (int i = 0; i < 1'000'000; ++i) cursor = cursor->next;
    EXPECT_EQ(cursor, kept);
    heap.collect_young();
}
