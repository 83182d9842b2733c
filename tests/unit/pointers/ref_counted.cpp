#include <gtest/gtest.h>
#include <freehold/counting/plain_counting.hpp>
#include <freehold/pointers/intrusive_ptr.hpp>
#include <freehold/pointers/ref_counted.hpp>

#include <type_traits>

#include "support/tracked.hpp"

namespace {

struct node : freehold::ref_counted<node>, support::tracked {
    explicit node(int initial = 0) : value(initial) {}

    int value;
};

struct local_node : freehold::ref_counted<local_node, freehold::plain_counting>, support::tracked {};

struct polymorphic : freehold::ref_counted<polymorphic>, support::tracked {
    virtual ~polymorphic() = default;
};

struct derived : polymorphic {
    support::tracked other_part;
};

class ref_counted : public support::tracked_test {};

}  // namespace

static_assert(sizeof(freehold::ref_counted<node>) == 8);
static_assert(!std::is_destructible_v<freehold::ref_counted<node>>, "only as a part of Derived");
static_assert(std::is_nothrow_copy_constructible_v<local_node>);

TEST_F(ref_counted, an_object_begins_without_an_owner) {
    const node on_the_stack;
    EXPECT_EQ(on_the_stack.use_count(), 0);
}

TEST_F(ref_counted, a_copy_of_an_object_begins_without_an_owner) {
    const auto p = freehold::make_intrusive<node>(7);
    const node copy(*p);
    EXPECT_EQ(copy.use_count(), 0);
    EXPECT_EQ(copy.value, 7);
    EXPECT_EQ(p->use_count(), 1);
}

TEST_F(ref_counted, an_assigned_object_keeps_its_owners) {
    const auto p = freehold::make_intrusive<node>(1);
    const auto q = freehold::make_intrusive<node>(2);
    const auto another_owner_of_q = q;
    *p = *q;
    EXPECT_EQ(p->value, 2);
    EXPECT_EQ(p->use_count(), 1);
    EXPECT_EQ(q->use_count(), 2);
}

TEST_F(ref_counted, the_last_owner_deletes_the_object_as_derived) {
    {
        const freehold::intrusive_ptr<polymorphic> p(new derived);
    }
    EXPECT_EQ(support::tracked::destroyed(), 2) << "both parts";
}

TEST_F(ref_counted, a_constant_object_can_be_owned) {
    {
        const freehold::intrusive_ptr<const node> p = freehold::make_intrusive<node>(7);
    }
    EXPECT_EQ(support::tracked::destroyed(), 1);
    {
        const freehold::intrusive_ptr<const local_node> p(new local_node);
    }
    EXPECT_EQ(support::tracked::destroyed(), 2);
}
