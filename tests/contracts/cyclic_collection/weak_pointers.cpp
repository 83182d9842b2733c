// What weak pointers of collected objects promise.

#include <gtest/gtest.h>

#include "families.hpp"
#include "support/tracked.hpp"

namespace contracts {
namespace {

template <class Family>
struct known_node_in {
    using family = Family;

    pointer<known_node_in> next;
    weak_pointer<known_node_in> back;
    support::tracked part;
};

CONTRACT(cyclic_weak_pointers, it_refers_to_nothing_at_first) {
    using node = known_node_in<TypeParam>;
    const weak_pointer<node> watching;
    EXPECT_TRUE(watching.expired());
    EXPECT_FALSE(watching.lock());
    EXPECT_EQ(watching.use_count(), 0);
    EXPECT_TRUE(weak_pointer<node>(pointer<node>()).expired());
}

CONTRACT(cyclic_weak_pointers, lock_makes_an_owner) {
    using node = known_node_in<TypeParam>;
    const auto p = make<node>();
    const weak_pointer<node> watching = p;
    EXPECT_EQ(watching.use_count(), 1);
    const auto locked = watching.lock();
    EXPECT_EQ(locked, p);
    EXPECT_EQ(p.use_count(), 2);
}

CONTRACT(cyclic_weak_pointers, it_does_not_keep_its_object) {
    using node = known_node_in<TypeParam>;
    auto p = make<node>();
    const weak_pointer<node> watching = p;
    const auto copy = watching;
    p.reset();
    EXPECT_EQ(support::tracked::destroyed(), 1);
    EXPECT_TRUE(watching.expired());
    EXPECT_TRUE(copy.expired());
    EXPECT_FALSE(watching.lock());
}

CONTRACT(cyclic_weak_pointers, it_does_not_refer_to_a_later_object_at_the_same_address) {
    using node = known_node_in<TypeParam>;
    auto p = make<node>();
    const weak_pointer<node> watching = p;
    p.reset();
    p = make<node>();
    EXPECT_TRUE(watching.expired());
}

CONTRACT(cyclic_weak_pointers, several_refer_to_one_object_in_turn) {
    using node = known_node_in<TypeParam>;
    auto p = make<node>();
    {
        const weak_pointer<node> first = p;
    }
    const weak_pointer<node> second = p;
    EXPECT_EQ(second.lock(), p);
    p.reset();
    EXPECT_TRUE(second.expired());
}

CONTRACT(cyclic_weak_pointers, it_is_no_edge) {
    using node = known_node_in<TypeParam>;
    auto p = make<node>();
    p->next = make<node>();
    p->next->back = p;
    p.reset();
    EXPECT_EQ(support::tracked::destroyed(), 2) << "promptly";
}

CONTRACT(cyclic_weak_pointers, it_expires_in_a_collected_cycle) {
    using node = known_node_in<TypeParam>;
    auto p = make<node>();
    p->next = p;
    const weak_pointer<node> watching = p;
    p.reset();
    EXPECT_FALSE(watching.expired()) << "nobody knows yet";
    EXPECT_EQ(TypeParam::collect(), 1U);
    EXPECT_TRUE(watching.expired());
}

CONTRACT(cyclic_weak_pointers, what_was_locked_survives_a_collection) {
    using node = known_node_in<TypeParam>;
    auto p = make<node>();
    p->next = p;
    const weak_pointer<node> watching = p;
    p.reset();
    auto locked = watching.lock();
    EXPECT_EQ(TypeParam::collect(), 0U);
    EXPECT_FALSE(watching.expired());
    locked.reset();
    EXPECT_EQ(TypeParam::collect(), 1U);
}

CONTRACT(cyclic_weak_pointers, reset_and_swap_exchange_what_it_refers_to) {
    using node = known_node_in<TypeParam>;
    const auto p = make<node>();
    weak_pointer<node> a = p;
    weak_pointer<node> b;
    swap(a, b);
    EXPECT_TRUE(a.expired());
    EXPECT_EQ(b.lock(), p);
    b.reset();
    EXPECT_TRUE(b.expired());
}

CONTRACT(cyclic_weak_pointers, it_may_outlive_its_object) {
    using node = known_node_in<TypeParam>;
    weak_pointer<node> watching;
    {
        const auto p = make<node>();
        watching = p;
    }
    EXPECT_TRUE(watching.expired());
}

}  // namespace
}  // namespace contracts
