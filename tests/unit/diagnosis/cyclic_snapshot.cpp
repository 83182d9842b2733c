#include <gtest/gtest.h>
#include <freehold/diagnosis/cyclic_snapshot.hpp>

#include <cstddef>
#include <vector>

#include <freehold/cyclic/cyclic_ptr.hpp>

#include "support/session_thread.hpp"

using freehold::cyclic_heap;
using freehold::cyclic_ptr;
using freehold::heap_snapshot;
using freehold::make_cyclic;
using freehold::snapshot_of;
using freehold::snapshot_of_cyclic_objects;

namespace {

struct leaf {
    int value;
};

struct node {
    cyclic_ptr<node> left;
    cyclic_ptr<node> right;
    cyclic_ptr<leaf> value;
};

struct shared_node {
    freehold::concurrent_cyclic_ptr<shared_node> next;
};

class cyclic_snapshot : public testing::Test {
protected:
    void SetUp() override { freehold::cycle_collector::collect(); }
};

}  // namespace

TEST_F(cyclic_snapshot, an_owner_outside_is_a_root) {
    const auto one = make_cyclic<node>();
    one->left = make_cyclic<node>();
    one->left->right = one;
    one->left->value = make_cyclic<leaf>(1);
    const heap_snapshot snapshot = snapshot_of_cyclic_objects();
    EXPECT_EQ(snapshot.size(), 3U);
    ASSERT_EQ(snapshot.roots().size(), 1U);
    EXPECT_EQ(snapshot.roots()[0].object, snapshot.at(one.get()));
    const heap_snapshot::path path = who_owns(snapshot, one->left->value.get());
    EXPECT_STREQ(path.begin.kind, "owner outside");
    ASSERT_EQ(path.owners.size(), 2U);
    EXPECT_EQ(path.owners[0].object, one.get());
    EXPECT_EQ(path.owners[1].object, one->left.get());
    EXPECT_EQ(path.owners[1].place, 2U);
}

TEST_F(cyclic_snapshot, garbage_cycles_wait_for_a_collection) {
    {
        const auto one = make_cyclic<node>();
        one->left = make_cyclic<node>();
        one->left->left = one;
    }
    EXPECT_EQ(find_cycles(snapshot_of_cyclic_objects()).size(), 1U);
    freehold::cycle_collector::collect();
    EXPECT_EQ(snapshot_of_cyclic_objects().size(), 0U);
}

TEST_F(cyclic_snapshot, memory_outside_of_the_heap_counts) {
    struct image {
        std::vector<char> pixels;
    };
    const auto picture = make_cyclic<image>(std::vector<char>(1000));
    EXPECT_EQ(snapshot_of_cyclic_objects().objects().at(0).external_bytes, 1000U);
}

TEST_F(cyclic_snapshot, it_changes_nothing) {
    const auto one = make_cyclic<node>();
    one->left = make_cyclic<node>();
    one->left->left = one;
    const auto candidates = freehold::cycle_collector::candidates();
    for (int i = 0; i < 3; ++i) static_cast<void>(snapshot_of_cyclic_objects());
    EXPECT_EQ(one.use_count(), 2);
    EXPECT_EQ(freehold::cycle_collector::candidates(), candidates);
    EXPECT_EQ(freehold::cycle_collector::collect(), 0U);
    EXPECT_EQ(one->left->left, one);
}

TEST_F(cyclic_snapshot, a_heap_has_the_objects_of_all_its_sessions) {
    cyclic_heap heap;
    support::session_thread other(heap);
    cyclic_heap::session session(heap);
    auto one = heap.make<shared_node>();
    other.run(session, [&] {
        one->next = heap.make<shared_node>();
        one->next->next = one;
    });
    const heap_snapshot snapshot = snapshot_of(heap);
    EXPECT_EQ(snapshot.size(), 2U);
    ASSERT_EQ(snapshot.roots().size(), 1U);
    EXPECT_EQ(snapshot.roots()[0].object, snapshot.at(one.get()));
    EXPECT_EQ(who_owns(snapshot, one->next.get()).owners.size(), 1U);
    one = nullptr;
    EXPECT_EQ(snapshot_of(heap).roots().size(), 0U);
    EXPECT_EQ(heap.collect(), 2U);
}
