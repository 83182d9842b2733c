// The contract of the owning pointers: reset and swap.

#include "owning_pointer.hpp"

namespace contracts {

CONTRACT(owning_pointer, reset_destroys_the_old_object_when_the_pointer_is_null) {
    auto p = TestFixture::make(1);
    bool was_null = false;
    p->at_end = [&] { was_null = !p; };
    p.reset();
    EXPECT_TRUE(was_null);
}

CONTRACT(owning_pointer, an_object_may_reset_the_pointer_that_lets_it_go) {
    auto p = TestFixture::make(1);
    p->at_end = [&] { p.reset(); };
    p = TestFixture::make(2);
    EXPECT_FALSE(p);
    EXPECT_EQ(TestFixture::destroyed(), 2);
    p = TestFixture::make(3);
    p->at_end = [&] { p.reset(); };
    p.reset();
    EXPECT_EQ(TestFixture::destroyed(), 3);
}

CONTRACT(owning_pointer, reset_of_null_does_nothing) {
    typename TestFixture::pointer p;
    p.reset();
    EXPECT_FALSE(p);
}

CONTRACT(general_pointer, reset_to_a_new_object_releases_the_old_one) {
    auto p = TestFixture::make(1);
    int seen = 0;
    p->at_end = [&] { seen = p->value; };
    p.reset(new typename TestFixture::object(2));
    EXPECT_EQ(p->value, 2);
    EXPECT_EQ(TestFixture::owners(p), 1);
    EXPECT_EQ(seen, 2) << "the old object was destroyed before the pointer had its new one";
}

CONTRACT(owning_pointer, swap_exchanges_the_objects) {
    auto p = TestFixture::make(1);
    auto q = TestFixture::make(2);
    const auto other = p;
    p.swap(q);
    EXPECT_EQ(p->value, 2);
    EXPECT_EQ(q->value, 1);
    EXPECT_EQ(TestFixture::owners(p), 1);
    EXPECT_EQ(TestFixture::owners(q), 2);
    swap(p, q);
    EXPECT_EQ(p->value, 1);
    EXPECT_EQ(q->value, 2);
    EXPECT_EQ(TestFixture::destroyed(), 0);
}

CONTRACT(owning_pointer, swap_with_null_moves_the_object) {
    auto p = TestFixture::make(1);
    typename TestFixture::pointer q;
    p.swap(q);
    EXPECT_FALSE(p);
    EXPECT_EQ(q->value, 1);
    p.swap(q);
    EXPECT_EQ(p->value, 1);
    EXPECT_FALSE(q);
}

CONTRACT(owning_pointer, swap_with_itself_changes_nothing) {
    auto p = TestFixture::make(7);
    p.swap(p);
    ASSERT_TRUE(p);
    EXPECT_EQ(p->value, 7);
    EXPECT_EQ(TestFixture::owners(p), 1);
}

CONTRACT(owning_pointer, swap_between_owners_of_one_object_keeps_it) {
    auto p = TestFixture::make(7);
    auto q = p;
    p.swap(q);
    EXPECT_TRUE(p == q);
    EXPECT_EQ(TestFixture::owners(p), 2);
}

}  // namespace contracts
